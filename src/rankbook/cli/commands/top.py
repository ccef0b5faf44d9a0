"""`rankbook top`: the first entries of a ranking."""

import typer

from rankbook.book.read.view import TOP
from rankbook.cli.options import (
    BoardArgument,
    BookOption,
    JsonOption,
    LimitOption,
    PeriodOption,
    TagOption,
    WindowOption,
    chosen,
    opened,
)
from rankbook.cli.screen.output import result, stdout
from rankbook.cli.screen.standings import standings


def top(
    ctx: typer.Context,
    board: BoardArgument,
    window: WindowOption = None,
    tag: TagOption = None,
    period: PeriodOption = None,
    limit: LimitOption = TOP,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show the first entries of a ranking."""
    with opened(ctx, book) as open_book:
        view = chosen(open_book, board, window=window, period=period, tag=tag)
        found = view.top(limit)
    result(as_json, found, lambda: standings(found, stdout().width))
