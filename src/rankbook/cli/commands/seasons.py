"""`rankbook seasons`: the periods of a board, and how a player stood in each of them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from rankbook.book import Rankbook
from rankbook.cli.options import BoardArgument, BookOption, JsonOption, TagOption, opened, pairs
from rankbook.cli.screen import tables
from rankbook.cli.screen.cells import aligned, moment, number, period_text, share, tags_text
from rankbook.cli.screen.output import clean, result
from rankbook.errors import Refused
from rankbook.model import PeriodSummary, PlayerPeriod

Played = tuple[str, PlayerPeriod]


def seasons(
    ctx: typer.Context,
    board: BoardArgument,
    window: Annotated[
        str | None, typer.Option("--window", metavar="W", help="The window; else all of them.")
    ] = None,
    player: Annotated[
        str | None, typer.Option("--player", metavar="NAME", help="Compare this player's periods.")
    ] = None,
    tag: TagOption = None,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """List the periods of a board that have entries, newest first, or compare a player's."""
    tags = pairs(tag, "--tag")
    if tags and player is None:
        raise Refused("--tag", "is for a player's periods; name the player with --player")
    with opened(ctx, book) as open_book:
        if player is None:
            found = open_book.periods(board, window)
            document: dict[str, Any] = {"board": board, "periods": found}
        else:
            played = _played(open_book, player, board, window, tags)
            document = {"board": board, "player": player, "tags": tags, "periods": _flat(played)}
    result(
        as_json,
        document,
        lambda: _periods(board, found) if player is None else _places(board, player, tags, played),
    )


def _played(
    book: Rankbook, player: str, board: str, window: str | None, tags: dict[str, str]
) -> list[Played]:
    """The player's periods of one window, or of every one of the board."""
    windows = book.spec.board(board).windows if window is None else [window]
    return [
        (name, each) for name in windows for each in book.player_periods(player, board, name, tags)
    ]


def _flat(played: Sequence[Played]) -> list[dict[str, Any]]:
    return [{"window": window, **msgspec.structs.asdict(each)} for window, each in played]


def _periods(board: str, found: Sequence[PeriodSummary]) -> Table:
    made = tables.table(board, f"{len(found):,} periods")
    made.add_column("period", overflow="fold")
    made.add_column("start (UTC)", no_wrap=True)
    made.add_column("end (UTC)", no_wrap=True)
    made.add_column("sealed", no_wrap=True)
    for name in ("rankings", "entries"):
        made.add_column(name, justify="right", no_wrap=True)
    for each in found:
        made.add_row(
            Text(clean(period_text(each.window, each.period.id))),
            _instant(each.period.start),
            _instant(each.period.end),
            _yes(each.period.sealed),
            number(each.rankings),
            number(each.entries),
        )
    return made


def _places(board: str, player: str, tags: dict[str, str], played: Sequence[Played]) -> Table:
    caption = f"{sum(1 for _, each in played if each.rank)} of {len(played):,} periods"
    made = tables.table(f"{player} · {board} · {tags_text(tags)}", caption)
    made.add_column("period", overflow="fold")
    for name in ("rank", "of", "score", "percentile"):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_column("sealed", no_wrap=True)
    scores = aligned([number(each.score) for _, each in played])
    for (window, each), score in zip(played, scores, strict=True):
        made.add_row(
            Text(clean(period_text(window, each.period.id))),
            number(each.rank),
            number(each.count),
            score,
            share(each.percentile),
            _yes(each.period.sealed),
        )
    return made


def _instant(at: datetime | None) -> str:
    return "-" if at is None else moment(at)


def _yes(sealed: bool) -> str:
    return "yes" if sealed else "no"
