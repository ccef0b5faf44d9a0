"""Seals: the log hears once of every period that has ended, whoever notices it first."""

from collections.abc import Iterable

from rankbook.book import state
from rankbook.book.submit.validation import EventValidator
from rankbook.errors import StoreError
from rankbook.log.base import Log
from rankbook.model import Event
from rankbook.rules import instant
from rankbook.store.base import ByPosition, Row, Store, sliced

MOST_SEALS = 100


def due_seals(stores: Iterable[Store], now_us: int) -> list[Event]:
    """The seals of the periods that have closed by now: at most 100, the earliest first.

    A seal has one id and the boundary's own instant, so two processes record one. A store that
    cannot be used now is passed over.
    """
    rows: list[Row] = []
    for store in stores:
        try:
            [answer] = store.read([ByPosition(state.OPEN, 0, MOST_SEALS)]).answers
        except StoreError:
            continue
        rows += sliced(answer).rows
    first = sorted([(row.key, row.member) for row in rows])[:MOST_SEALS]
    return [
        _seal(member.decode(), state.read_number(key))
        for key, member in first
        if state.read_number(key) <= now_us
    ]


def _seal(period: str, closes_us: int) -> Event:
    at = instant(closes_us)
    return Event(id=state.seal_id(period), kind="seal", player="", target=period, at=at)


def record_due_seals(
    stores: Iterable[Store], validator: EventValidator, log: Log, now_us: int
) -> bool:
    """Record the seals that are due; whether any was new."""
    due = due_seals(stores, now_us)
    if not due:
        return False
    drafts = [each.draft for each in validator.validate(due, now_us)]
    # A seal that somebody else recorded, or whose body is lost, may have other content.
    known = log.find([draft.id for draft in drafts])
    drafts = [draft for draft, there in zip(drafts, known, strict=True) if there is None]
    return bool(drafts) and bool(log.record(drafts).new)
