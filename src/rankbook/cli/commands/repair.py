"""`rankbook repair`: mend the rankings that do not agree with the log."""

from rankbook.book import Verification
from rankbook.cli.call import Call, subcommand
from rankbook.cli.screen.output import Part
from rankbook.cli.screen.progress import counting
from rankbook.cli.screen.verification import comparison


@subcommand
def repair(call: Call) -> None:
    """Remake exactly those rankings that do not agree with the log, and list them."""
    with call.open(catch_up=False) as book, counting("repairing") as repaired:
        found = book.repair(progress=repaired)
    call.answer(found, lambda: _drawn(found))


def _drawn(found: Verification) -> list[Part]:
    mended = [] if found.agrees else ["They are mended: made anew from the log."]
    return [*comparison(found), *mended]
