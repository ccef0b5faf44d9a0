"""`rankbook outcome`: what has become of an event, by its id."""

from typing import Annotated

import typer

from rankbook.cli.options import BookOption, JsonOption, opened
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import document, show


def outcome(
    ctx: typer.Context,
    event_id: Annotated[str, typer.Argument(metavar="EVENT_ID", help="The event's id.")],
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Say whether an event is unknown, recorded, or ranked, with its receipt; rank nothing."""
    with opened(ctx, book, catch_up=False) as open_book:
        found = open_book.outcome(event_id)
    if as_json:
        document(found)
        return
    show(f"{event_id}: {found.status.replace('_', ' ')}{found.reason and f', {found.reason}'}")
    if found.receipt is not None and found.receipt.rankings:
        show(tables.receipt(found.receipt))
