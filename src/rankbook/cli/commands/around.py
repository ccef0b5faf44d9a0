"""`rankbook around`: the entries around a player's."""

from rankbook.book import AROUND
from rankbook.cli.call import RankingCall, subcommand
from rankbook.cli.options import LimitOption, PlayerArgument


@subcommand
def around(call: RankingCall, player: PlayerArgument, limit: LimitOption = AROUND) -> None:
    """Show the entries of a ranking around a player's."""
    with call.view() as view:
        found = view.around(player, limit)
    call.entries(found)
    if not found.entries:
        call.note_missing(player)
