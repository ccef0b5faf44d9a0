"""`rankbook init`: make a book."""

from pathlib import Path
from typing import Annotated

import typer

from rankbook.book import FILE
from rankbook.cli.books import EXAMPLES, make, template
from rankbook.cli.call import Call
from rankbook.cli.options import BookOption
from rankbook.cli.screen.output import show


def init(
    ctx: typer.Context,
    directory: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="Where to make it; else --book.", show_default=False),
    ] = None,
    example: Annotated[
        str,
        typer.Option("--example", metavar="NAME", help="One of: " + ", ".join(EXAMPLES) + "."),
    ] = "points",
    book: BookOption = None,
) -> None:
    """Make a book: a directory with a commented rankbook.toml, a log and rankings."""
    where = Call(ctx=ctx, book=book).directory if directory is None else directory
    make(where, template(example))
    show(f"{where / FILE} is written; the book is ready")
