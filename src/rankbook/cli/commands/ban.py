"""`rankbook ban`: keep a player out of every ranking."""

import typer

from rankbook.cli.commands.change import change
from rankbook.cli.options import BookOption, IdOption, JsonOption, PlayerArgument, opened
from rankbook.model import Event


def ban(
    ctx: typer.Context,
    player: PlayerArgument,
    id: IdOption = "",
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Keep a player out of every ranking, until unbanned; results go on being recorded."""
    with opened(ctx, book) as open_book:
        change(open_book, Event(kind="ban", player=player, id=id), as_json)
