"""`rankbook fold`: rank what is pending."""

from typing import Annotated

import msgspec
import typer

from rankbook.cli.call import Call, subcommand
from rankbook.cli.screen import following
from rankbook.cli.screen.progress import counting
from rankbook.errors import Refused


class Folded(msgspec.Struct, frozen=True, kw_only=True):
    """How many events were ranked, and the log position that the rankings are at."""

    ranked: int
    position: int


@subcommand
def fold(
    call: Call,
    follow: Annotated[
        bool, typer.Option("--follow", help="Keep ranking new events, until SIGINT or SIGTERM.")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="N", min=0, help="With --follow: end after N seconds."),
    ] = None,
) -> None:
    """Rank what is recorded and pending, and close the periods that have ended."""
    if seconds is not None and not follow:
        raise Refused("--seconds", "is for --follow")
    with call.open(catch_up=False) as book:
        if follow:
            following.follow(book, seconds, call.as_json)
            return
        with counting("ranking", book.pending()) as ranked:
            book.fold(progress=ranked)
            book.catch_up(progress=ranked)
        found = Folded(ranked=ranked.done, position=book.store.position())
    what = f"{found.ranked:,} ranked" if found.ranked else "nothing was pending"
    call.answer(found, lambda: f"{what}; the rankings are at log position {found.position:,}")
