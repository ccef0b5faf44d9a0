"""What a book holds and whether its store is sound, for `rankbook doctor`."""

from itertools import islice
from typing import Any

import msgspec

from rankbook.log.base import Log
from rankbook.store.base import Auditable, Describable, Progress, Store

MOST_FAULTS = 1000


class Examination(msgspec.Struct, frozen=True, kw_only=True):
    """`log_position` is the newest event's, `store_position` how far rankings are folded, and
    `pending` their difference; `store` is what the store says of itself; `faults` are at most
    1,000 broken invariants."""

    log_position: int
    store_position: int
    pending: int
    store: dict[str, Any]
    faults: tuple[str, ...]


def examine(log: Log, store: Store, progress: Progress) -> Examination:
    """Look at log and store, and check every invariant of the store's form on one snapshot."""
    head, position = log.head(), store.position()
    faults: tuple[str, ...] = ()
    if isinstance(store, Auditable):
        with store.audit() as audit:
            faults = tuple(islice(audit.faults(progress), MOST_FAULTS))
    return Examination(
        log_position=head,
        store_position=position,
        pending=max(0, head - position),
        store=store.describe() if isinstance(store, Describable) else {},
        faults=faults,
    )
