"""Following: folding events as others record them, until stopped.

Any number of processes may follow one book beside those that submit to it, because each step has
one winner. While log or store are down, a follower waits longer after each failure, and tries
again.
"""

from collections.abc import Callable
from time import monotonic, sleep

import msgspec

from rankbook.book.book import Rankbook
from rankbook.book.submit.retry import backoff_seconds
from rankbook.errors import LogError, RankbookError, StoreError

WAIT_SECONDS = 1.0
TOLD_EVERY_SECONDS = 1.0


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a follower: how many events it has ranked, the log position of the rankings, how
    many events are pending, and the age of the oldest of them in seconds."""

    ranked: int
    position: int
    pending: int
    lag_seconds: float


class Trouble(msgspec.Struct, frozen=True, kw_only=True):
    """The error that keeps a follower from folding, and the seconds until it tries again."""

    error: RankbookError
    seconds: float


class _Stopped(Exception):
    """Ends a fold between two of its steps."""


class Follower:
    """Folds a book until stopped. `told` is called with its state: at the start, and after it has
    ranked something, at most once a second. `troubled` is called with each failure.

    `stopped` is asked between steps. `pause` waits for seconds, or less if the follower is stopped.
    `monotonic` is a clock in seconds.
    """

    def __init__(
        self,
        book: Rankbook,
        *,
        stopped: Callable[[], bool] = lambda: False,
        told: Callable[[Followed], object] = lambda _followed: None,
        troubled: Callable[[Trouble], object] = lambda _trouble: None,
        pause: Callable[[float], object] = sleep,
        monotonic: Callable[[], float] = monotonic,
    ) -> None:
        self._book = book
        self._stopped = stopped
        self._told = told
        self._troubled = troubled
        self._pause = pause
        self._monotonic = monotonic
        self._ranked = 0
        self._told_ranked: int | None = None
        self._told_at = 0.0
        self._until: float | None = None

    def run(self, seconds: float | None = None) -> int:
        """Follow until stopped, or for this many seconds. Returns how many events it has ranked.

        Raises errors that do not pass by themselves, such as `RebuildNeeded`.
        """
        self._until = None if seconds is None else self._monotonic() + seconds
        failures = 0
        while not self._over():
            try:
                self._round()
                failures = 0
            except _Stopped:
                break
            except (LogError, StoreError) as error:
                failures += 1
                wait = self._at_most(backoff_seconds(failures))
                self._troubled(Trouble(error=error, seconds=wait))
                self._pause(wait)
        return self._ranked

    def _round(self) -> None:
        """Fold pending events, close and erase what is due, and wait for more."""
        book = self._book
        book.fold(progress=self._more)
        book.close_due(progress=self._more)
        book.log.erase(book.store.position())
        self._tell()
        book.log.wait(book.store.position(), self._at_most(WAIT_SECONDS))

    def _more(self, count: int) -> None:
        self._ranked += count
        if self._monotonic() - self._told_at >= TOLD_EVERY_SECONDS:
            self._tell()
        if self._over():
            raise _Stopped

    def _tell(self) -> None:
        if self._told_ranked == self._ranked:
            return
        lag = self._book.lag()
        self._told_ranked, self._told_at = self._ranked, self._monotonic()
        self._told(
            Followed(
                ranked=self._ranked,
                position=lag.position,
                pending=lag.events,
                lag_seconds=lag.seconds,
            )
        )

    def _over(self) -> bool:
        return self._stopped() or (self._until is not None and self._monotonic() >= self._until)

    def _at_most(self, seconds: float) -> float:
        """So many seconds, or what is left."""
        left = seconds if self._until is None else self._until - self._monotonic()
        return max(0.0, min(seconds, left))
