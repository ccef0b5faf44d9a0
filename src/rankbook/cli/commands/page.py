"""`rankbook page`: a ranking from page to page."""

from typing import Annotated

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
from rankbook.cli.screen.output import document, show, stdout
from rankbook.cli.screen.standings import standings
from rankbook.model import Standings


def page(
    ctx: typer.Context,
    board: BoardArgument,
    cursor: Annotated[
        str | None,
        typer.Option("--cursor", metavar="C", help="Where the page is, as printed; else first."),
    ] = None,
    window: WindowOption = None,
    tag: TagOption = None,
    period: PeriodOption = None,
    limit: LimitOption = TOP,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show a page of a ranking, and the cursors of the pages next to it.

    A cursor marks a place in the order: no entry comes twice or is missed while others move.
    """
    with opened(ctx, book) as open_book:
        view = chosen(open_book, board, window=window, period=period, tag=tag)
        found = view.page(limit, cursor)
    if as_json:
        document(found)
    else:
        show(standings(found, stdout().width), *_cursors(found))


def _cursors(found: Standings) -> list[str]:
    """A line for each page next to this one, to be copied."""
    there = (("next", found.next), ("previous", found.previous))
    return [f"{name}: --cursor {cursor}" for name, cursor in there if cursor is not None]
