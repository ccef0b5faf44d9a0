"""What a book holds and whether its store is sound, for `rankbook doctor`."""

from itertools import islice
from typing import Any

import msgspec

from rankbook.book import state
from rankbook.book.upkeep.log_check import log_faults
from rankbook.errors import Corrupt, LogError
from rankbook.log.base import Log
from rankbook.model import SetAside
from rankbook.store.base import Auditable, ByPosition, Describable, Progress, Row, Store, sliced

MOST_FAULTS = 1000
MOST_UNREADABLE = 1000


class Examination(msgspec.Struct, frozen=True, kw_only=True):
    """What `doctor` found. `log_position` is the newest event's; `store_position` is how far the
    rankings are folded; `pending` is their difference. `lag_seconds` is how long ago the oldest
    pending event was recorded. `set_aside` counts events that cannot be read, and `unreadable`
    lists at most 1,000 of them. `store` is what the store says of itself. `faults` are at most
    1,000 broken invariants."""

    log_position: int
    store_position: int
    pending: int
    lag_seconds: float
    set_aside: int
    unreadable: tuple[SetAside, ...]
    store: dict[str, Any]
    faults: tuple[str, ...]


def examine(log: Log, store: Store, now_us: int, progress: Progress) -> Examination:
    """Examine log and store, and check every invariant of the stored form on one snapshot."""
    position = store.position()
    faults = log_faults(log)
    head, lag = position, 0.0
    try:
        head, lag = log.head(), lag_seconds(log, position, now_us)
    except (LogError, Corrupt) as error:
        faults.append(str(error))
    if isinstance(store, Auditable):
        with store.audit() as audit:
            position = audit.position
            faults += islice(audit.faults(progress), MOST_FAULTS)
    set_aside, unreadable = _set_aside(store)
    return Examination(
        log_position=head,
        store_position=position,
        pending=max(0, head - position),
        lag_seconds=lag,
        set_aside=set_aside,
        unreadable=unreadable,
        store=store.describe() if isinstance(store, Describable) else {},
        faults=tuple(faults[:MOST_FAULTS]),
    )


def lag_seconds(log: Log, position: int, now_us: int) -> float:
    """How long ago the oldest event after `position` was recorded. 0 if there is none."""
    pending = log.read(position, 1)
    return max(0, now_us - pending[0].received_us) / 1_000_000 if pending else 0.0


def _set_aside(store: Store) -> tuple[int, tuple[SetAside, ...]]:
    """How many events were set aside, and the oldest of them."""
    try:
        [answer] = store.read([ByPosition(state.POISON, 0, MOST_UNREADABLE)]).answers
        found = sliced(answer)
        return found.count, tuple([_unreadable(row) for row in found.rows])
    except (Corrupt, msgspec.DecodeError):
        return 0, ()  # A broken form is among the faults.


def _unreadable(row: Row) -> SetAside:
    event_id, reason = state.unpack_poison(row.value)
    return SetAside(seq=state.read_number(row.key), event_id=event_id, reason=reason)
