"""`rankbook restore`: make a book from a backup."""

from pathlib import Path
from typing import Annotated

import typer

from rankbook.book import restore as make
from rankbook.cli.call import Call, LogPosition, subcommand


@subcommand
def restore(
    call: Call,
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="The backup.")],
) -> None:
    """Make a book at --book from a backup, and rank what its rankings lack.

    If there is a book already, nothing is changed.
    """
    where = call.directory
    make(directory, where)
    with call.open() as book:
        position = book.store.position()
    call.answer(
        LogPosition(position=position),
        lambda: f"{where} is restored; log and rankings are at log position {position:,}.",
    )
