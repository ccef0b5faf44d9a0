"""`rankbook init`: make a book."""

from importlib import resources
from pathlib import Path
from typing import Annotated

import typer

from rankbook.book import Rankbook
from rankbook.book.book import FILE
from rankbook.cli.options import BookOption, place
from rankbook.cli.screen.output import show
from rankbook.errors import BookError, NotFound

EXAMPLES = {"points": "points.toml", "typing": "typing.toml"}


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
    where = directory if directory is not None else place(ctx, book)
    make(where, template(example))
    show(f"{where / FILE} is written; the book is ready")


def template(example: str) -> str:
    """The text of an example's rankbook.toml. Raises `NotFound` and lists the examples."""
    if example not in EXAMPLES:
        raise NotFound(f"no example {example!r}; there are: {', '.join(EXAMPLES)}")
    return resources.files("rankbook.cli").joinpath(EXAMPLES[example]).read_text(encoding="utf-8")


def make(directory: Path, text: str) -> None:
    """Make a book with this rankbook.toml. Raises `BookError` where one is, and changes nothing."""
    path = directory / FILE
    directory.mkdir(parents=True, exist_ok=True)
    try:
        stream = path.open("x", encoding="utf-8")
    except FileExistsError:
        raise BookError(f"{path} is there already; nothing was changed") from None
    try:
        with stream:
            stream.write(text)
        Rankbook.open(directory).close()
    except BaseException:
        path.unlink(missing_ok=True)
        raise
