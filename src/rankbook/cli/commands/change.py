"""What the subcommands share that record something other than a result."""

from rankbook.book import Rankbook
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import result
from rankbook.model import Event


def change(book: Rankbook, event: Event, as_json: bool) -> None:
    """Record the event durably, apply it, and print its receipt: what changed where."""
    receipt = book.submit(event)
    result(as_json, receipt, lambda: tables.receipt(receipt, only_changed=True))
