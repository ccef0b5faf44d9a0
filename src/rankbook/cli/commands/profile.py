"""`rankbook profile`: what is shown of a player."""

from typing import Annotated

import typer

from rankbook.cli.call import Call, subcommand
from rankbook.cli.changes import submit_change
from rankbook.cli.options import IdOption, PlayerArgument, pairs
from rankbook.model import Event


@subcommand
def profile(
    call: Call,
    player: PlayerArgument,
    values: Annotated[
        list[str],
        typer.Argument(metavar="NAME=VALUE...", help="The whole profile, as name=Asha."),
    ],
    id: IdOption = "",
) -> None:
    """Replace a player's current profile, which boards with profiles = "player" show."""
    with call.open() as book:
        current = pairs(values, "profile")
        submit_change(call, book, Event(kind="profile", player=player, profile=current, id=id))
        shown = any(board.profiles == "player" for board in book.spec.boards)
    if not shown:
        call.note(
            'no board of this book has profiles = "player": '
            "each entry shows the profile that came with its result"
        )
