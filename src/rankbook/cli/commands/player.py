"""`rankbook player`: a player's entry and rank in every current ranking."""

import msgspec

from rankbook.cli.call import Call, subcommand
from rankbook.cli.options import PlayerArgument
from rankbook.cli.screen import tables
from rankbook.model import Standings


class PlayerReading(msgspec.Struct, frozen=True, kw_only=True):
    """The current rankings that a player has an entry in, each with that entry only."""

    player: str
    rankings: tuple[Standings, ...]


@subcommand
def player(call: Call, player: PlayerArgument) -> None:
    """Show a player's entry and rank in every current ranking."""
    with call.open() as book:
        found = tuple(book.player(player))
    call.answer(PlayerReading(player=player, rankings=found), lambda: tables.places(player, found))
    if not found:
        call.note(f"{player} has no entry in a current ranking")
