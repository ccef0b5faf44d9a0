"""`rankbook player`: a player's entry and rank in every current ranking."""

import msgspec
import typer

from rankbook.cli.options import BookOption, JsonOption, PlayerArgument, opened
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import note, result
from rankbook.model import Standings


class PlayerReading(msgspec.Struct, frozen=True, kw_only=True):
    """The current rankings that a player has an entry in, each with that entry only."""

    player: str
    rankings: tuple[Standings, ...]


def player(
    ctx: typer.Context,
    player: PlayerArgument,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show a player's entry and rank in every current ranking."""
    with opened(ctx, book) as open_book:
        found = tuple(open_book.player(player))
    reading = PlayerReading(player=player, rankings=found)
    result(as_json, reading, lambda: tables.places(player, found))
    if not found and not as_json:
        note(f"{player} has no entry in a current ranking")
