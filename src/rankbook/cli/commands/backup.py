"""`rankbook backup`: a copy of the book, taken while it serves."""

from pathlib import Path
from typing import Annotated

import typer

from rankbook.cli.options import BookOption, JsonOption, opened
from rankbook.cli.screen.output import document, note, show
from rankbook.cli.screen.progress import counted, progress


def backup(
    ctx: typer.Context,
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where to put it: missing, or empty.")
    ],
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Copy log, rankings and rankbook.toml into a directory, while the book is in use.

    A backup that was stopped on the way is never there under that name.
    """
    with opened(ctx, book, catch_up=False) as open_book, progress() as told:
        made = open_book.backup(directory, counted(told, "copying bytes"))
    if as_json:
        document(made)
    else:
        show(f"{directory} is a backup of the book at log position {made.position:,}.")
    if not made.log:
        note("The log is in PostgreSQL and not in this backup: back it up there, with pg_dump.")
