"""`rankbook seasons`: the periods of a board, and how a player stood in each of them."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer
from msgspec.structs import asdict

from rankbook.book import Rankbook
from rankbook.cli.call import Call, subcommand
from rankbook.cli.options import BoardArgument, TagOption, pairs
from rankbook.cli.screen import periods
from rankbook.errors import Refused


@subcommand
def seasons(
    call: Call,
    board: BoardArgument,
    window: Annotated[
        str | None, typer.Option("--window", metavar="W", help="The window; else all of them.")
    ] = None,
    player: Annotated[
        str | None, typer.Option("--player", metavar="NAME", help="Compare this player's periods.")
    ] = None,
    tag: TagOption = None,
) -> None:
    """List the periods of a board that have entries, newest first, or compare a player's."""
    tags = pairs(tag, "--tag")
    if tags and player is None:
        raise Refused("--tag", "is for a player's periods; name the player with --player")
    with call.open() as book:
        if player is None:
            found = book.periods(board, window)
        else:
            played = _played(book, player, board, window, tags)
    if player is None:
        call.answer({"board": board, "periods": found}, lambda: periods.listed(board, found))
        return
    document = {"board": board, "player": player, "tags": tags, "periods": _flat(played)}
    call.answer(document, lambda: periods.compared(f"{player} · {board}", tags, played))


def _played(
    book: Rankbook, player: str, board: str, window: str | None, tags: dict[str, str]
) -> list[periods.Played]:
    """The player's periods of one window, or of every one of the board."""
    windows = book.spec.board(board).windows if window is None else [window]
    return book.snapshot(
        lambda reader: [
            (name, each)
            for name in windows
            for each in reader.player_periods(player, board, name, tags)
        ]
    )


def _flat(played: Sequence[periods.Played]) -> list[dict[str, Any]]:
    return [{"window": window, **asdict(each)} for window, each in played]
