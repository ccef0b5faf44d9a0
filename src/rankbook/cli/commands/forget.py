"""`rankbook forget`: erase what is known of a player."""

import sys
from typing import Annotated

import typer

from rankbook.cli.call import Call, subcommand
from rankbook.cli.changes import submit_change
from rankbook.cli.options import IdOption, PlayerArgument
from rankbook.cli.screen.output import ask
from rankbook.errors import Refused
from rankbook.model import Event


@subcommand
def forget(
    call: Call,
    player: PlayerArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    id: IdOption = "",
) -> None:
    """Take a player out of every ranking and erase their events from the log, for good.

    On a terminal it asks first.
    """
    if not yes:
        _confirm(player)
    with call.open() as book:
        submit_change(call, book, Event(kind="forget", player=player, id=id))


def _confirm(player: str) -> None:
    if not sys.stdin.isatty():
        raise Refused("--yes", "is needed where nobody can be asked: it cannot be undone")
    if not ask(f"Forget {player}? Their events are erased, and that cannot be undone."):
        raise Refused("--yes", "was not the answer; nothing was changed")
