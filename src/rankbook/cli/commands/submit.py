"""`rankbook submit`: record one result and show what it changed."""

import sys
from typing import Annotated

import typer

from rankbook.cli.options import BookOption, IdOption, JsonOption, opened, pairs, typed
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import result
from rankbook.errors import Refused
from rankbook.importing import common, ndjson
from rankbook.model import Event

STDIN = "-"


def submit(
    ctx: typer.Context,
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
        typer.Option("--profile", metavar="NAME=VALUE", help="Of the player, as name=Asha."),
    ] = None,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Record a result durably, rank it, and show every ranking that it touched."""
    with opened(ctx, book) as open_book:
        if player == STDIN:
            if values or id or at or profile:
                raise Refused("-", "the event is read from stdin; nothing else can be given")
            event = _from_stdin()
        else:
            event = Event(
                player=player,
                values=typed(open_book.spec, pairs(values, "values")),
                id=id,
                at=common.moment(at, "--at") if at else None,
                profile=pairs(profile, "--profile"),
            )
        receipt = open_book.submit(event)
    result(as_json, receipt, lambda: tables.receipt(receipt))


def _from_stdin() -> Event:
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise Refused("-", "is not valid UTF-8") from None
    return ndjson.parse(text)
