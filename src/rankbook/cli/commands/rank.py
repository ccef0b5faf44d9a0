"""`rankbook rank`: where a player stands in a ranking."""

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from rankbook.book import RankingView
from rankbook.book.read.scores import percentile_of
from rankbook.cli.options import (
    BoardArgument,
    BookOption,
    JsonOption,
    PeriodOption,
    PlayerArgument,
    TagOption,
    WindowOption,
    chosen,
    opened,
)
from rankbook.cli.screen import tables
from rankbook.cli.screen.cells import number, share, title
from rankbook.cli.screen.output import clean, note, result
from rankbook.model import Number, Period


class RankReading(msgspec.Struct, frozen=True, kw_only=True):
    """How a player stands in one ranking, from one snapshot: None without an entry.

    `percentile` is the share, 0 to 100, of the other entries that do not stand better.
    """

    board: str
    window: str
    period: Period
    tags: dict[str, str]
    count: int
    player: str
    rank: int | None
    score: Number | None
    percentile: float | None


def rank(
    ctx: typer.Context,
    board: BoardArgument,
    player: PlayerArgument,
    window: WindowOption = None,
    tag: TagOption = None,
    period: PeriodOption = None,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show a player's rank and score in a ranking, among how many, and the percentile."""
    with opened(ctx, book) as open_book:
        view = chosen(open_book, board, window=window, period=period, tag=tag)
        found = _read(view, player)
    result(as_json, found, lambda: _drawn(found))
    if found.rank is None and not as_json:
        note(f"{player} has no entry in this ranking")


def _read(view: RankingView, player: str) -> RankReading:
    answer = view.ask(view.entry_query(player))
    shown = view.standings(answer)
    entry = shown.entries[0] if shown.entries else None
    return RankReading(
        board=shown.board,
        window=shown.window,
        period=shown.period,
        tags=shown.tags,
        count=shown.count,
        player=player,
        rank=None if entry is None else entry.rank,
        score=None if entry is None else entry.score,
        percentile=percentile_of(view, answer),
    )


def _drawn(found: RankReading) -> Table:
    made = tables.table(found.player)
    made.add_column("ranking", overflow="fold")
    for name in ("rank", "of", "score", "percentile"):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_row(
        Text(clean(title(found.board, found.window, found.period, found.tags))),
        number(found.rank),
        number(found.count),
        number(found.score),
        share(found.percentile),
    )
    return made
