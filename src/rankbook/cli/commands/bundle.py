"""`rankbook bundle`: rankings that are read together."""

from typing import Annotated

import typer
from rich.console import Group, RenderableType
from rich.text import Text

from rankbook.book import BundleReading
from rankbook.cli.options import BookOption, JsonOption, opened
from rankbook.cli.screen.output import result, stdout
from rankbook.cli.screen.standings import standings


def bundle(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The bundle's name.")],
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show all rankings of a bundle, read from one snapshot."""
    with opened(ctx, book) as open_book:
        found = open_book.bundle(name)
    result(as_json, found, lambda: draw(found, stdout().width))


def draw(found: BundleReading, width: int) -> Group:
    """The tables of a bundle's rankings, an empty line between two."""
    drawn: list[RenderableType] = []
    for each in found.rankings:
        drawn += [Text(), standings(each, width)]
    return Group(*drawn[1:])
