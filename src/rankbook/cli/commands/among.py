"""`rankbook among`: some players among themselves, and among all."""

from typing import Annotated

import typer

from rankbook.book.read.slices import MAX_LIMIT
from rankbook.cli.options import (
    BoardArgument,
    BookOption,
    JsonOption,
    PeriodOption,
    TagOption,
    WindowOption,
    chosen,
    opened,
)
from rankbook.cli.screen.output import note, result, stdout
from rankbook.cli.screen.standings import friends
from rankbook.errors import Refused


def among(
    ctx: typer.Context,
    board: BoardArgument,
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="The players' ids.")],
    window: WindowOption = None,
    tag: TagOption = None,
    period: PeriodOption = None,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show some players' entries: the rank among them, and that among all."""
    asked = list(dict.fromkeys(players))
    if len(asked) > MAX_LIMIT:
        raise Refused("PLAYER", f"is given {len(asked):,} times; there may be {MAX_LIMIT:,}")
    with opened(ctx, book) as open_book:
        view = chosen(open_book, board, window=window, period=period, tag=tag)
        found = view.among(asked)
    result(as_json, found, lambda: friends(found, stdout().width))
    there = [each.entry.player for each in found.friends]
    for player in asked:
        if player not in there and not as_json:
            note(f"{player} has no entry in this ranking")
