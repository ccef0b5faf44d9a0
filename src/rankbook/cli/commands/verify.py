"""`rankbook verify`: hold every ranking against the log."""

import typer
from rich.table import Table
from rich.text import Text

from rankbook.book import Verification
from rankbook.cli.exits import DISAGREES
from rankbook.cli.options import BookOption, JsonOption, opened
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import clean, document, note, show
from rankbook.cli.screen.progress import counted, progress

SHOWN = 50


def verify(
    ctx: typer.Context,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Fold the log anew and compare it with every ranking; exit 1 where they disagree."""
    with opened(ctx, book) as open_book, progress() as told:
        found = open_book.verify(progress=counted(told, "verifying"))
    if as_json:
        document(found)
    else:
        report(found)
    if not found.agrees:
        raise typer.Exit(DISAGREES)


def report(found: Verification) -> None:
    """Say whether rankings and log agree; where they do not, show where."""
    _compared(found)
    if found.pending:
        show(f"Recorded and not ranked yet: {found.pending:,}; rankbook fold ranks them.")
    if found.set_aside:
        show(f"Set aside, as they cannot be read: {found.set_aside:,}; rankbook doctor lists them.")


def _compared(found: Verification) -> None:
    size = (
        f"{found.rankings:,} rankings, {found.entries:,} entries, log position {found.position:,}"
    )
    if found.agrees:
        show(f"The rankings agree with the log: {size}.")
        return
    show(f"The rankings DISAGREE with the log: {size}.")
    if found.disagreements:
        show(_table(found))
    for fault in found.faults[:SHOWN]:
        show(f"fault: {fault}")
    hidden = len(found.disagreements) + len(found.faults) - 2 * SHOWN
    if hidden > 0:
        note("more was found; --json lists it")


def _table(found: Verification) -> Table:
    count = len(found.disagreements)
    made = tables.table("disagreements", f"{min(count, SHOWN):,} of {count:,}")
    for name in ("ranking", "player", "index", "kind", "expected", "found"):
        made.add_column(name, overflow="fold")
    for each in found.disagreements[:SHOWN]:
        cells = (each.ranking, each.player, each.index, each.kind, each.expected, each.found)
        made.add_row(*[Text(clean("-" if cell is None else str(cell))) for cell in cells])
    return made
