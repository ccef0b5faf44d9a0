"""`rankbook rank`: where a player stands in a ranking."""

from msgspec.structs import asdict

from rankbook.cli.call import RankingCall, subcommand
from rankbook.cli.options import PlayerArgument
from rankbook.cli.screen import tables


@subcommand
def rank(call: RankingCall, player: PlayerArgument) -> None:
    """Show a player's rank and score in a ranking, among how many, and the percentile."""
    with call.view() as view:
        found = view.standing(player)
    score = None if found.entry is None else found.entry.score
    call.answer({**asdict(found), "score": score}, lambda: tables.rank(found))
    if found.entry is None:
        call.note_missing(player)
