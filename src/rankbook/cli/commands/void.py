"""`rankbook void`: take a result back."""

from typing import Annotated

import typer

from rankbook.cli.commands.change import change
from rankbook.cli.options import BookOption, IdOption, JsonOption, opened
from rankbook.model import Event


def void(
    ctx: typer.Context,
    event_id: Annotated[str, typer.Argument(metavar="EVENT_ID", help="The id of the result.")],
    id: IdOption = "",
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Take a result back for good: the next best one of the player counts, if there is any."""
    with opened(ctx, book) as open_book:
        change(open_book, Event(kind="void", player="", target=event_id, id=id), as_json)
