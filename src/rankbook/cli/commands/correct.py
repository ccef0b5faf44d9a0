"""`rankbook correct`: give a result other values."""

from typing import Annotated

import typer

from rankbook.cli.call import Call, subcommand
from rankbook.cli.changes import submit_change
from rankbook.cli.options import EventArgument, IdOption, pairs, typed
from rankbook.model import Event


@subcommand
def correct(
    call: Call,
    event_id: EventArgument,
    values: Annotated[
        list[str],
        typer.Argument(metavar="NAME=VALUE...", help="All of its values: they replace the old."),
    ],
    profile: Annotated[
        list[str] | None,
        typer.Option("--profile", metavar="NAME=VALUE", help="The player's; else as it was."),
    ] = None,
    id: IdOption = "",
) -> None:
    """Replace all values of a recorded result; the time when it happened stays."""
    with call.open() as book:
        event = Event(
            kind="correct",
            player="",
            target=event_id,
            id=id,
            values=typed(book.spec, pairs(values, "values")),
            profile=pairs(profile, "--profile"),
        )
        submit_change(call, book, event)
