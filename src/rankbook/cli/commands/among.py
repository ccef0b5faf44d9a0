"""`rankbook among`: some players, ranked among themselves."""

from typing import Annotated

import typer

from rankbook.book import MAX_LIMIT
from rankbook.cli.call import RankingCall, subcommand
from rankbook.cli.screen.output import stdout
from rankbook.cli.screen.standings import friends
from rankbook.errors import Refused


@subcommand
def among(
    call: RankingCall,
    players: Annotated[list[str], typer.Argument(metavar="PLAYER...", help="The players' ids.")],
) -> None:
    """Show some players' entries: the rank among them, and the rank among all."""
    asked = list(dict.fromkeys(players))
    if len(asked) > MAX_LIMIT:
        raise Refused("PLAYER", f"is given {len(asked):,} times; there may be {MAX_LIMIT:,}")
    with call.view() as view:
        found = view.among(asked)
    call.answer(found, lambda: friends(found, stdout().width))
    for player in found.missing:
        call.note_missing(player)
