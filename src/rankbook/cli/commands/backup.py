"""`rankbook backup`: a copy of the book, taken while it serves."""

from pathlib import Path
from typing import Annotated

import typer

from rankbook.cli.call import Call, subcommand
from rankbook.cli.screen.output import note
from rankbook.cli.screen.progress import counting


@subcommand
def backup(
    call: Call,
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where to put it: missing, or empty.")
    ],
) -> None:
    """Copy log, rankings and rankbook.toml into a directory, while the book is in use.

    The directory appears only when the copy is complete; a backup that was stopped leaves none.
    """
    with call.open(catch_up=False) as book, counting("copying bytes") as copied:
        made = book.backup(directory, copied)
    call.answer(
        made, lambda: f"{directory} is a backup of the book at log position {made.position:,}."
    )
    if not made.log:
        note("The log is in PostgreSQL and not in this backup: back it up there, with pg_dump.")
