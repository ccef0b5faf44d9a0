"""`rankbook verify`: compare every ranking with the log."""

import typer

from rankbook.cli.call import Call, subcommand
from rankbook.cli.exits import DISAGREES
from rankbook.cli.screen.progress import counting
from rankbook.cli.screen.verification import comparison


@subcommand
def verify(call: Call) -> None:
    """Fold the log anew and compare it with every ranking; exit 1 where they disagree."""
    with call.open() as book, counting("verifying") as verified:
        found = book.verify(progress=verified)
    call.answer(found, lambda: comparison(found))
    if not found.agrees:
        raise typer.Exit(DISAGREES)
