"""`rankbook outcome`: what has become of an event, by its id."""

from rankbook.cli.call import Call, subcommand
from rankbook.cli.options import EventArgument
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import Part


@subcommand
def outcome(call: Call, event_id: EventArgument) -> None:
    """Say whether an event is unknown, recorded, or ranked, with its receipt; rank nothing."""
    with call.open(catch_up=False) as book:
        found = book.outcome(event_id)
    reason = found.reason and f", {found.reason}"
    drawn: list[Part] = [f"{event_id}: {found.status.replace('_', ' ')}{reason}"]
    if found.receipt is not None and found.receipt.rankings:
        drawn.append(tables.receipt(found.receipt))
    call.answer(found, lambda: drawn)
