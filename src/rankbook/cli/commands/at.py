"""`rankbook at`: the entry at a place of a ranking."""

from typing import Annotated

import typer

from rankbook.cli.call import RankingCall, subcommand

MAX_PLACE = 1_000_000_000_000


@subcommand
def at(
    call: RankingCall,
    place: Annotated[
        int,
        typer.Argument(metavar="PLACE", min=1, max=MAX_PLACE, help="The place: 1 is the first."),
    ],
) -> None:
    """Show the entry at a place in the order, whatever rank tied players share."""
    with call.view() as view:
        found = view.from_place(place, 1)
    call.entries(found)
    if not found.entries:
        call.note(f"there is no place {place:,}: the ranking has {found.count:,} entries")
