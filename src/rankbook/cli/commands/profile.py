"""`rankbook profile`: what is shown of a player."""

from typing import Annotated

import typer

from rankbook.cli.commands.change import change
from rankbook.cli.options import BookOption, IdOption, JsonOption, PlayerArgument, opened, pairs
from rankbook.cli.screen.output import note
from rankbook.model import Event


def profile(
    ctx: typer.Context,
    player: PlayerArgument,
    values: Annotated[
        list[str],
        typer.Argument(metavar="NAME=VALUE...", help="The whole profile, as name=Asha."),
    ],
    id: IdOption = "",
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Give a player another current profile, which boards with profiles = "player" show."""
    with opened(ctx, book) as open_book:
        current = pairs(values, "profile")
        change(open_book, Event(kind="profile", player=player, profile=current, id=id), as_json)
        shown = any(board.profiles == "player" for board in open_book.spec.boards)
    if not shown and not as_json:
        note('no board of this book has profiles = "player": entries show those of their results')
