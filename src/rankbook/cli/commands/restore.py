"""`rankbook restore`: make a book from a backup."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from rankbook.book.upkeep.backup import restore as make
from rankbook.cli.options import BookOption, JsonOption, opened, place
from rankbook.cli.screen.output import document, show


class Restored(msgspec.Struct, frozen=True, kw_only=True):
    """The log position that log and rankings are at."""

    position: int


def restore(
    ctx: typer.Context,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The backup.")],
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Make a book at --book from a backup, and rank what its rankings lack.

    Where there is a book already, nothing is changed.
    """
    where = place(ctx, book)
    make(directory, where)
    with opened(ctx, where) as open_book:
        position = open_book.store.position()
    if as_json:
        document(Restored(position=position))
    else:
        show(f"{where} is restored; log and rankings are at log position {position:,}.")
