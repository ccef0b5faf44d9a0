"""Seals: the log records the end of every period once, whoever notices it first."""

from collections.abc import Iterable, Sequence

import msgspec

from rankbook.book import events, state
from rankbook.book.submit.validation import EventValidator
from rankbook.errors import StoreError
from rankbook.log import Log, Recorded
from rankbook.model import Event
from rankbook.rules import instant
from rankbook.store.base import ByPosition, Row, Store, sliced

MOST_SEALS = 100


def due_seals(stores: Iterable[Store], now_us: int) -> list[Event]:
    """The seals of the periods that have closed by now: at most 100, the earliest first.

    A seal has one id, and the instant of the boundary. So if two processes find it due, it is
    recorded once. A part whose store cannot be used now is skipped.
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


def _unrecorded(seals: Sequence[Event], log: Log) -> list[Event]:
    """The seals that the log does not have, each with a free id.

    In an older log a caller's event may have the seal's id, or the seal may have been damaged
    since. Then the period is closed under another id.
    """
    free: list[Event] = []
    taken = 0
    while seals:
        known = log.find([seal.id for seal in seals])
        pairs = list(zip(seals, known, strict=True))
        free += [seal for seal, there in pairs if there is None]
        taken += 1
        seals = [
            msgspec.structs.replace(seal, id=state.seal_id(seal.target, taken))
            for seal, there in pairs
            if there is not None and not _closes(there, seal.target)
        ]
    return free


def _closes(recorded: Recorded, period: str) -> bool:
    """Whether a recorded event is a seal that closes the period, or will when it is folded."""
    if recorded.kind != "seal" or not recorded.intact:
        return False
    try:
        return events.body(recorded).target == period
    except events.Unreadable:
        return state.sealed_period(recorded.id) == period


def record_due_seals(
    stores: Iterable[Store], validator: EventValidator, log: Log, now_us: int
) -> bool:
    """Record the seals that are due. Returns whether any was new."""
    due = _unrecorded(due_seals(stores, now_us), log)
    if not due:
        return False
    drafts = [each.draft for each in validator.validate(due, now_us)]
    return bool(log.record(drafts).new)
