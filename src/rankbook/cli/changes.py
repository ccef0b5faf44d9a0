"""Recording an event that is not a result: what void, correct, ban and the like share."""

from rankbook.book import Rankbook
from rankbook.cli.call import Call
from rankbook.cli.screen import tables
from rankbook.model import Event


def submit_change(call: Call, book: Rankbook, event: Event) -> None:
    """Record the event durably, apply it, and print the rankings that it changed."""
    receipt = book.submit(event)
    call.answer(receipt, lambda: tables.receipt(receipt, only_changed=True))
