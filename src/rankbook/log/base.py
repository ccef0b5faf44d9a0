"""The log: append-only truth. A protocol and the records that cross it; no SQL, no rule."""

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
    """An event in the log. `seq` orders the log; nothing is ever handed out before it later.

    In the answer to a caller's transaction it may be 0: it is then given after the commit.
    Where `intact` is false, the event was changed after it was recorded, and does not match its
    checksum. No field but `seq` can be relied on then.
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
    """What recording gave, in the order of the drafts; `new` counts those not known before."""

    events: list[Recorded]
    new: int


class Log(Protocol):
    """What every log does. All methods raise `LogError` when the log cannot be used."""

    def record(self, drafts: Sequence[Draft]) -> Recording:
        """Append in one transaction, durable at return.

        A known id with the same kind, player and body gives its first record (also within the
        batch); with other content raises `EventConflict`, and nothing of the batch is written.
        """
        ...

    def read(self, after: int, limit: int) -> list[Recorded]:
        """Events with seq > `after`, oldest first, at most `limit`.

        What was handed out never gains an earlier member.
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
        """Erase the players named by "forget" events with seq <= `until`, and say how many.

        Of their events up to that one, the place, the times and the id are left: the kind becomes
        "forgotten" (that of the forget event itself stays), player and body are emptied. What
        was damaged stays so. To be called once every store has folded that far; calling again
        does nothing.
        """
        ...

    def head(self) -> int:
        """The seq of the newest event that `read` can hand out; 0 for an empty log."""
        ...

    def close(self) -> None:
        """Release everything; closing twice is harmless."""
        ...


class Waits(Protocol):
    """What a log also does for those who follow it."""

    def wait(self, after: int, seconds: float) -> bool:
        """Wait until `read` has something with seq > `after`; False when it has not in `seconds`.

        Raises `LogError` when the log cannot be used. With 0 seconds it only looks.
        """
        ...


class Followable(Log, Waits, Protocol):
    """A log that can be followed, as every log that `open_log` opens."""


class Migrated(NamedTuple):
    """The number of a log's tables before they were brought up to this program's, and after."""

    before: int
    after: int


@runtime_checkable
class Checkable(Protocol):
    """A log that can look for damage in what keeps its events."""

    def faults(self, *, thorough: bool = False) -> list[str]:
        """What is damaged, in words; nothing where all is sound. O(log).

        `thorough` also compares every index, and looks for positions that are missing.
        """
        ...


@runtime_checkable
class Portable(Protocol):
    """A log in a file, which can be copied while it is written."""

    @property
    def path(self) -> Path:
        """Where it is."""
        ...

    def copy(self, path: Path, progress: Callable[[int], None]) -> int:
        """Write one snapshot of it to a new file, and say the position that this reaches.

        `progress` is told numbers of bytes. Raises `LogError`.
        """
        ...
