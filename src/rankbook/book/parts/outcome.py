"""What has become of an event. A caller asks this if the reply to a submission was lost."""

from rankbook.book import events
from rankbook.book.parts.folding import Parts
from rankbook.errors import EventConflict
from rankbook.log.base import Log
from rankbook.model import Event, EventLike, EventOutcome
from rankbook.rules import as_event


def outcome_of(given: EventLike | str, log: Log, parts: Parts) -> EventOutcome:
    """See `Rankbook.outcome`. Raises `EventConflict`."""
    event = given if isinstance(given, str) else as_event(given)
    id = event if isinstance(event, str) else event.id
    [recorded] = log.find([id]) if id else [None]
    if recorded is None:
        return EventOutcome(status="unknown")
    if isinstance(event, Event) and not events.same(event, recorded):
        raise EventConflict(id)
    receipt, reason = parts.receipt(recorded)
    match receipt.status:
        case "pending":
            return EventOutcome(status="recorded", receipt=receipt)
        case "set_aside":
            return EventOutcome(status="set_aside", receipt=receipt, reason=reason)
    return EventOutcome(status="ranked", receipt=receipt)
