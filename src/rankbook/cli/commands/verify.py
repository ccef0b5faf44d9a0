"""`rankbook verify`: compare every ranking with the log, or check the log alone."""

from typing import Annotated

import typer

from rankbook import verify_log
from rankbook.cli.call import Call, subcommand
from rankbook.cli.exits import DISAGREES
from rankbook.cli.screen.progress import counting
from rankbook.cli.screen.verification import comparison, soundness


@subcommand
def verify(
    call: Call,
    log: Annotated[
        bool, typer.Option("--log", help="Read the log alone, and check each event's checksum.")
    ] = False,
) -> None:
    """Fold the log anew and compare it with every ranking; exit 1 where they disagree."""
    if log:
        with counting("reading") as read:
            sound = verify_log(call.directory, progress=read)
        call.answer(sound, lambda: soundness(sound))
        passed = sound.sound
    else:
        with call.open() as book, counting("verifying") as verified:
            found = book.verify(progress=verified)
        call.answer(found, lambda: comparison(found))
        passed = found.agrees
    if not passed:
        raise typer.Exit(DISAGREES)
