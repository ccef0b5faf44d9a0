"""What has become of an event, and how far rankings are behind."""

from collections.abc import Callable
from contextlib import suppress

from rankbook.book import events
from rankbook.book.fold import receipts
from rankbook.book.fold.folder import Folder
from rankbook.book.parts.folding import Part, Parts
from rankbook.book.upkeep.doctor import lag_seconds
from rankbook.errors import EventConflict, StoreError
from rankbook.log.base import Followable, Recorded
from rankbook.model import Event, EventOutcome, Lag, Receipt
from rankbook.store.base import Store


class Outcomes:
    """The part of a Rankbook that answers what happened; the rest is in book.py."""

    log: Followable
    store: Store
    _clock: Callable[[], int]
    _folder: Folder | Parts
    _whole: Part
    _in_parts: Parts | None
    _ready: Callable[[], None]

    def outcome(self, event: Event | str) -> EventOutcome:
        """What has become of the event with this id: unknown, recorded, ranked, or set aside.

        This resolves a submission whose reply was lost; nothing is written. Given the event itself,
        the content is compared too, and other content raises `EventConflict`. An answer of
        "unknown" is of now: a submission that is still under way may be recorded later.
        """
        id = event if isinstance(event, str) else event.id
        [recorded] = self.log.find([id]) if id else [None]
        if recorded is None:
            return EventOutcome(status="unknown")
        with suppress(StoreError):
            self._ready()
        if isinstance(event, Event) and not events.same(event, recorded):
            raise EventConflict(id)
        receipt, reason = self._receipt(recorded)
        if receipt.status == "pending":
            return EventOutcome(status="recorded", receipt=receipt)
        return EventOutcome(
            status="set_aside" if reason else "ranked", receipt=receipt, reason=reason
        )

    def pending(self) -> int:
        """How far the rankings are behind the log, as a difference of positions."""
        self._ready()
        return max(0, self.log.head() - self.store.position())

    def lag(self) -> Lag:
        """How many events are pending, and how long the oldest of them has been recorded.

        The time is that since it was received, so it counts how long a transaction of an outbox
        was open. Raises `StoreError` while the store is down.
        """
        seconds = lag_seconds(self.log, self.store.position(), self._clock())
        return Lag(self.pending(), seconds)

    def _receipt(self, recorded: Recorded) -> tuple[Receipt, str]:
        """The receipt of an event, and the reason where it was set aside."""
        if self._in_parts is not None:
            return self._in_parts.receipt(recorded)
        stored = self._whole.receipts([recorded.seq]).get(recorded.seq)
        receipt = receipts.receipt(self._folder.decider, recorded, stored)
        return receipt, receipts.reason(stored or b"")
