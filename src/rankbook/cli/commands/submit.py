"""`rankbook submit`: record one result and show what it changed."""

import sys
from typing import Annotated

import typer

from rankbook.cli.call import Call, subcommand
from rankbook.cli.options import IdOption, pairs, typed
from rankbook.cli.screen import tables
from rankbook.errors import Refused
from rankbook.importing import parse_event
from rankbook.model import Event
from rankbook.rules import parse_instant

STDIN = "-"


@subcommand
def submit(
    call: Call,
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="The player's id, or - for JSON on stdin.")
    ],
    values: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME=VALUE...", help="The result's values.", show_default=False),
    ] = None,
    id: IdOption = "",
    at: Annotated[
        str, typer.Option("--at", metavar="TIME", help="When it happened, in RFC 3339; else now.")
    ] = "",
    profile: Annotated[
        list[str] | None,
        typer.Option("--profile", metavar="NAME=VALUE", help="The player's, as name=Asha."),
    ] = None,
) -> None:
    """Record a result durably, rank it, and show every ranking that it touched."""
    with call.open() as book:
        if player == STDIN:
            if values or id or at or profile:
                raise Refused("-", "the event is read from stdin; nothing else can be given")
            event = _from_stdin()
        else:
            event = Event(
                player=player,
                values=typed(book.spec, pairs(values, "values")),
                id=id,
                at=parse_instant(at, "--at") if at else None,
                profile=pairs(profile, "--profile"),
            )
        receipt = book.submit(event)
    call.answer(receipt, lambda: tables.receipt(receipt))


def _from_stdin() -> Event:
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise Refused("-", "is not valid UTF-8") from None
    return parse_event(text)
