"""`rankbook repair`: mend the rankings that do not agree with the log."""

import typer

from rankbook.cli.commands.verify import report
from rankbook.cli.options import BookOption, JsonOption, opened
from rankbook.cli.screen.output import document, show
from rankbook.cli.screen.progress import counted, progress


def repair(
    ctx: typer.Context,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Make exactly those rankings anew that do not agree with the log, and say which they were."""
    with opened(ctx, book) as open_book, progress() as told:
        found = open_book.repair(progress=counted(told, "repairing"))
    if as_json:
        document(found)
        return
    report(found)
    if not found.agrees:
        show("They are mended: made anew from the log.")
