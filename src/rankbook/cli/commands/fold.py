"""`rankbook fold`: rank what is pending."""

from typing import Annotated

import msgspec
import typer

from rankbook.cli.options import BookOption, JsonOption, opened
from rankbook.cli.screen import following
from rankbook.cli.screen.output import document, show
from rankbook.cli.screen.progress import counted, progress
from rankbook.errors import Refused


class Folded(msgspec.Struct, frozen=True, kw_only=True):
    """How many events were ranked, and the log position that the rankings are at."""

    ranked: int
    position: int


def fold(
    ctx: typer.Context,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with what comes, until SIGINT or SIGTERM.")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", metavar="N", min=0, help="With --follow: end after N seconds."),
    ] = None,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Rank what is recorded and pending, and close the periods that have ended."""
    if seconds is not None and not follow:
        raise Refused("--seconds", "is for --follow")
    if follow:
        with opened(ctx, book, catch_up=False) as open_book:
            following.follow(open_book, seconds, as_json)
        return
    ranked = 0

    with opened(ctx, book, catch_up=False) as open_book, progress() as told:
        tell = counted(told, "ranking", open_book.pending())

        def more(count: int) -> None:
            nonlocal ranked
            ranked += count
            tell(count)

        open_book.fold(progress=more)
        open_book.catch_up(progress=more)
        found = Folded(ranked=ranked, position=open_book.store.position())
    if as_json:
        document(found)
        return
    what = f"{found.ranked:,} ranked" if found.ranked else "nothing was pending"
    show(f"{what}; the rankings are at log position {found.position:,}")
