"""`rankbook unban`: let a player into the rankings again."""

import typer

from rankbook.cli.commands.change import change
from rankbook.cli.options import BookOption, IdOption, JsonOption, PlayerArgument, opened
from rankbook.model import Event


def unban(
    ctx: typer.Context,
    player: PlayerArgument,
    id: IdOption = "",
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Let a player in again: the results before the ban count as before, those during it do not."""
    with opened(ctx, book) as open_book:
        change(open_book, Event(kind="unban", player=player, id=id), as_json)
