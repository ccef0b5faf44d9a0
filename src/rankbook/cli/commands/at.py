"""`rankbook at`: who stands at a place of a ranking."""

from typing import Annotated

import typer

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
from rankbook.cli.screen.standings import standings
from rankbook.store.base import ByPosition

MAX_PLACE = 1_000_000_000_000


def at(
    ctx: typer.Context,
    board: BoardArgument,
    place: Annotated[
        int,
        typer.Argument(metavar="PLACE", min=1, max=MAX_PLACE, help="The place: 1 is the first."),
    ],
    window: WindowOption = None,
    tag: TagOption = None,
    period: PeriodOption = None,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show who stands at a place in the order, whatever rank those who are equal share."""
    with opened(ctx, book) as open_book:
        view = chosen(open_book, board, window=window, period=period, tag=tag)
        found = view.standings(view.ask(ByPosition(view.id, place - 1, 1, view.beside)))
    result(as_json, found, lambda: standings(found, stdout().width))
    if not found.entries and not as_json:
        note(f"there is no place {place:,}: the ranking has {found.count:,} entries")
