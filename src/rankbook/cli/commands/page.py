"""`rankbook page`: a ranking from page to page."""

from typing import Annotated

import typer

from rankbook.book import TOP
from rankbook.cli.call import RankingCall, subcommand
from rankbook.cli.options import LimitOption
from rankbook.cli.screen.output import stdout
from rankbook.cli.screen.standings import standings
from rankbook.model import Standings


@subcommand
def page(
    call: RankingCall,
    cursor: Annotated[
        str | None,
        typer.Option("--cursor", metavar="C", help="The page's cursor, as printed; else first."),
    ] = None,
    limit: LimitOption = TOP,
) -> None:
    """Show a page of a ranking, and the cursors of the pages next to it.

    A cursor marks a place in the order: no entry comes twice or is missed while others move.
    """
    with call.view() as view:
        found = view.page(limit, cursor)
    call.answer(found, lambda: [standings(found, stdout().width), *_cursors(found)])


def _cursors(found: Standings) -> list[str]:
    """A line for each page next to this one, to be copied."""
    there = (("next", found.next), ("previous", found.previous))
    return [f"{name}: --cursor {cursor}" for name, cursor in there if cursor is not None]
