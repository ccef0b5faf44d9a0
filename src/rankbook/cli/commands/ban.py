"""`rankbook ban`: keep a player out of every ranking."""

from rankbook.cli.call import Call, subcommand
from rankbook.cli.changes import submit_change
from rankbook.cli.options import IdOption, PlayerArgument
from rankbook.model import Event


@subcommand
def ban(call: Call, player: PlayerArgument, id: IdOption = "") -> None:
    """Keep a player out of every ranking until unbanned; results are still recorded."""
    with call.open() as book:
        submit_change(call, book, Event(kind="ban", player=player, id=id))
