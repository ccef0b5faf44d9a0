"""`rankbook forget`: erase what is known of a player."""

import sys
from typing import Annotated

import typer

from rankbook.cli.commands.change import change
from rankbook.cli.options import BookOption, IdOption, JsonOption, PlayerArgument, opened
from rankbook.cli.screen.output import ask
from rankbook.errors import Refused
from rankbook.model import Event


def forget(
    ctx: typer.Context,
    player: PlayerArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    id: IdOption = "",
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Take a player out of every ranking and erase their events from the log, for good.

    On a terminal it asks first.
    """
    if not yes:
        _confirm(player)
    with opened(ctx, book) as open_book:
        change(open_book, Event(kind="forget", player=player, id=id), as_json)


def _confirm(player: str) -> None:
    if not sys.stdin.isatty():
        raise Refused("--yes", "is needed where nobody can be asked: it cannot be undone")
    if not ask(f"Forget {player}? Their events are erased, and that cannot be undone."):
        raise Refused("--yes", "was not the answer; nothing was changed")
