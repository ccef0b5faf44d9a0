"""The log: append-only truth. This file has its protocols and records, and knows no SQL and no
rule."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable


class Draft(NamedTuple):
    """An event on its way into the log. `body` is its canonical content (JSON bytes)."""

    id: str
    kind: str
    player: str
    at_us: int
    received_us: int
    body: bytes


class Recorded(NamedTuple):
    """An event in the log. `seq` orders the log. Once an event is handed out, none with a lower
    `seq` ever appears.

    In the answer to a caller's transaction `seq` may be 0: the event gets it after the commit. If
    `intact` is false, the event was changed after it was recorded, and does not match its checksum.
    Then no field but `seq` can be relied on.
    """

    seq: int
    id: str
    kind: str
    player: str
    at_us: int
    received_us: int
    body: bytes
    intact: bool = True


class Recording(NamedTuple):
    """The recorded events, in the order of the drafts. `new` counts those that the log did not
    have."""

    events: list[Recorded]
    new: int


class Log(Protocol):
    """What every log does. All methods raise `LogError` if the log cannot be used."""

    def record(self, drafts: Sequence[Draft]) -> Recording:
        """Append in one transaction, durable at return.

        If an id is known with the same kind, player and body (also within the batch), the answer
        has its first record. If it is known with other content, this raises `EventConflict`, and
        writes nothing of the batch.
        """
        ...

    def read(self, after: int, limit: int) -> list[Recorded]:
        """Events with seq > `after`, oldest first, at most `limit`.

        An earlier event never appears after a later one was handed out.
        """
        ...

    def find(self, ids: Sequence[str]) -> list[Recorded | None]:
        """The events with these ids, in this order; None where there is none.

        No event has an id that a database cannot hold.
        """
        ...

    def of_player(self, player: str, until: int) -> Iterator[Recorded]:
        """A player's events with seq <= `until`, oldest first."""
        ...

    def erase(self, until: int) -> int:
        """Erase the players named by "forget" events with seq <= `until`. Returns how many.

        All their events up to the forget keep their place, times and id. Their kind becomes
        "forgotten" (the forget keeps its own), and their player and body become empty. A damaged
        event stays damaged. Call this once every store has folded that far; a second call does
        nothing.
        """
        ...

    def head(self) -> int:
        """The seq of the newest event that `read` can give; 0 for an empty log."""
        ...

    def close(self) -> None:
        """Release everything; closing twice is harmless."""
        ...


class Waits(Protocol):
    """What a log does for followers."""

    def wait(self, after: int, seconds: float) -> bool:
        """Wait until `read` has an event with seq > `after`. False if there is none within
        `seconds`.

        With 0 seconds it only looks. Raises `LogError` if the log cannot be used.
        """
        ...


class Followable(Log, Waits, Protocol):
    """A log that can be followed. Every log that `open_log` opens can."""


class Migrated(NamedTuple):
    """The number of a log's tables before and after a migration."""

    before: int
    after: int


@runtime_checkable
class Checkable(Protocol):
    """A log that can look for damage in its own storage."""

    def faults(self, *, thorough: bool = False) -> list[str]:
        """The damage found, in words; nothing if all is sound. O(log).

        `thorough` also compares every index, and looks for missing positions.
        """
        ...


@runtime_checkable
class Portable(Protocol):
    """A log in a file, which can be copied while it is written."""

    @property
    def path(self) -> Path:
        """The path of the log."""
        ...

    def copy(self, path: Path, progress: Callable[[int], None]) -> int:
        """Write one snapshot of the log to a new file. Returns the position that it reaches.

        `progress` is called with numbers of bytes. Raises `LogError`.
        """
        ...
