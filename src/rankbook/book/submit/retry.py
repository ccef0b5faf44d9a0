"""Submitting with retries: after an error it asks the log whether the event is recorded."""

from collections.abc import Callable
from time import sleep
from typing import Protocol

from rankbook.errors import ConfigError, LogError, StoreError
from rankbook.model import Event, EventLike, EventOutcome, Receipt
from rankbook.rules import as_event

ATTEMPTS = 8
FIRST_SECONDS = 0.1
MOST_SECONDS = 30.0

# After these nobody knows: the event may be recorded, or not.
UNCERTAIN = (LogError, StoreError, TimeoutError, ConnectionError)


class Submits(Protocol):
    """A book, or a client that stands for one."""

    def submit(self, event: Event) -> Receipt:
        """See `Rankbook.submit`."""
        ...

    def outcome(self, event: Event) -> EventOutcome:
        """See `Rankbook.outcome`: with the event itself, other content is a conflict."""
        ...


def backoff_seconds(failures: int) -> float:
    """How long to wait after this many failures in a row: 0.1 s, doubling, 30 s at most."""
    return float(min(MOST_SECONDS, FIRST_SECONDS * 2 ** min(failures - 1, 30)))


def submit_with_retry(
    book: Submits,
    event: EventLike,
    *,
    attempts: int = ATTEMPTS,
    pause: Callable[[float], object] = sleep,
) -> Receipt:
    """Submit an event that has an id until it is known to be recorded, and return its receipt.

    Some errors leave the outcome open: log or store out of use, a lost connection, a time-out.
    After such an error it asks for the outcome. If that is not "ranked", it submits again with the
    same id, after pauses of 0.1 s, doubling. If the receipt is still "pending" after the last
    attempt, it returns that: the event is safe.

    Raises `ConfigError` for an event without an id, and `EventConflict` if the id is recorded with
    other content. When all `attempts` fail, it raises the last error. Then ask for the `outcome`,
    or submit again with the same id, at any later time.
    """
    submitted = as_event(event)
    if not submitted.id:
        raise ConfigError("id", "is empty; without one a retry would be another event")
    if attempts < 1:
        raise ValueError("attempts is at least 1")
    for attempt in range(1, attempts + 1):
        try:
            return book.submit(submitted)
        except UNCERTAIN as error:
            receipt = _resolved(book, submitted)
            if receipt is not None and (receipt.status != "pending" or attempt == attempts):
                return receipt
            if attempt == attempts:
                raise
            trouble = error
        pause(backoff_seconds(attempt))
    raise trouble


def _resolved(book: Submits, event: Event) -> Receipt | None:
    """The receipt, if the event is known to be recorded."""
    try:
        return book.outcome(event).receipt
    except UNCERTAIN:
        return None
