"""`rankbook unban`: let a player into the rankings again."""

from rankbook.cli.call import Call, subcommand
from rankbook.cli.changes import submit_change
from rankbook.cli.options import IdOption, PlayerArgument
from rankbook.model import Event


@subcommand
def unban(call: Call, player: PlayerArgument, id: IdOption = "") -> None:
    """Let a player in again: results before the ban count again, results during it do not."""
    with call.open() as book:
        submit_change(call, book, Event(kind="unban", player=player, id=id))
