"""`rankbook correct`: give a result other values."""

from typing import Annotated

import typer

from rankbook.cli.commands.change import change
from rankbook.cli.options import BookOption, IdOption, JsonOption, opened, pairs, typed
from rankbook.model import Event


def correct(
    ctx: typer.Context,
    event_id: Annotated[str, typer.Argument(metavar="EVENT_ID", help="The id of the result.")],
    values: Annotated[
        list[str],
        typer.Argument(metavar="NAME=VALUE...", help="All of its values: they replace the old."),
    ],
    profile: Annotated[
        list[str] | None,
        typer.Option("--profile", metavar="NAME=VALUE", help="Of the player; else as it was."),
    ] = None,
    id: IdOption = "",
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Give a recorded result other values, all of them; it still happened when it happened."""
    with opened(ctx, book) as open_book:
        event = Event(
            kind="correct",
            player="",
            target=event_id,
            id=id,
            values=typed(open_book.spec, pairs(values, "values")),
            profile=pairs(profile, "--profile"),
        )
        change(open_book, event, as_json)
