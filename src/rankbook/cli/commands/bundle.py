"""`rankbook bundle`: rankings that are read together."""

from typing import Annotated

import typer

from rankbook.cli.call import Call, subcommand
from rankbook.cli.screen.output import stdout
from rankbook.cli.screen.standings import bundle as draw


@subcommand
def bundle(
    call: Call, name: Annotated[str, typer.Argument(metavar="NAME", help="The bundle's name.")]
) -> None:
    """Show all rankings of a bundle, read from one snapshot."""
    with call.open() as book:
        found = book.bundle(name)
    call.answer(found, lambda: draw(found, stdout().width))
