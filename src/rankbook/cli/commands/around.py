"""`rankbook around`: the entries around a player's."""

import typer

from rankbook.book.read.view import AROUND
from rankbook.cli.options import (
    BoardArgument,
    BookOption,
    JsonOption,
    LimitOption,
    PeriodOption,
    PlayerArgument,
    TagOption,
    WindowOption,
    chosen,
    opened,
)
from rankbook.cli.screen.output import note, result, stdout
from rankbook.cli.screen.standings import standings


def around(
    ctx: typer.Context,
    board: BoardArgument,
    player: PlayerArgument,
    window: WindowOption = None,
    tag: TagOption = None,
    period: PeriodOption = None,
    limit: LimitOption = AROUND,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show the entries of a ranking around a player's."""
    with opened(ctx, book) as open_book:
        view = chosen(open_book, board, window=window, period=period, tag=tag)
        found = view.around(player, limit)
    result(as_json, found, lambda: standings(found, stdout().width))
    if not found.entries and not as_json:
        note(f"{player} has no entry in this ranking")
