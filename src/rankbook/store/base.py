"""The store: where rankings live. It keeps bytes in order and publishes changes; it knows no rule.

A ranking is two indexes over the same entries: the order (key + member) and the members
(member -> key, value). Keys of one ranking all have `key_bytes` bytes; ascending bytes are rank
order, best first, and entries whose first `group_bytes` bytes agree are tied. Positions here are
0-based.

Reads are asked for as a list of queries and answered from one snapshot, so that a store behind a
network answers a whole bundle in one round trip. A query for rows may name a ranking `beside` its
own: each row then comes with what that one keeps for the same member.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

Progress = Callable[[int], None]

MANIFEST = 0  # the receipt that says what the rankings were made under: no event has this position


class RankingId(NamedTuple):
    """The name of a ranking, and the shape of its order keys."""

    name: str
    key_bytes: int
    group_bytes: int


class Stored(NamedTuple):
    """An entry as the member index has it."""

    key: bytes
    value: bytes


class Change(NamedTuple):
    """The new entry of a member, or its removal where `key` is None."""

    ranking: RankingId
    member: bytes
    key: bytes | None
    value: bytes = b""


class Row(NamedTuple):
    """An entry in rank order."""

    member: bytes
    key: bytes
    value: bytes


class ByPosition(NamedTuple):
    """Rows from the 0-based position `start`, at most `limit`.

    A reader who has them as of the version `known` need not get them again: a store may answer
    without rows while the ranking's version is this.
    """

    ranking: RankingId
    start: int
    limit: int
    beside: RankingId | None = None
    known: int | None = None


class AroundMember(NamedTuple):
    """A window of `limit` rows that holds the member, centred where the edges allow.

    The window is full wherever the ranking has that many entries: with `limit` n, (n - 1) // 2
    rows stand before the member unless an edge moves the window. No entry: no rows.
    """

    ranking: RankingId
    member: bytes
    limit: int
    beside: RankingId | None = None


class FromBound(NamedTuple):
    """At most `limit` rows at or after `bound` (bytes of key + member), in rank order.

    With `reverse`, the rows just before `bound`, still listed in rank order.
    """

    ranking: RankingId
    bound: bytes
    limit: int
    reverse: bool = False
    beside: RankingId | None = None


class CountBefore(NamedTuple):
    """How many entries, and groups of ties, stand before each bound (bytes of key + member).

    Where `groups` are not asked for, a store may answer any number of them.
    """

    ranking: RankingId
    bounds: tuple[bytes, ...]
    groups: bool = True


Query = ByPosition | AroundMember | FromBound | CountBefore


class Slice(msgspec.Struct, frozen=True):
    """Neighbouring rows of one ranking.

    `version` is the log position of the last publish that named the ranking, and 0 while the
    ranking is empty: it is then as if nobody had written to it. `count` and `groups` are of
    the whole ranking. `start` is the position of the first row, `before` the number of entries
    and `groups_before` the number of groups that stand before the first row's group; all three
    are 0 where there are no rows. `beside` has the value that the ranking beside keeps for each
    row's member, and is empty where none was named.
    """

    version: int
    count: int
    groups: int
    start: int
    before: int
    groups_before: int
    rows: list[Row]
    beside: tuple[bytes | None, ...] = ()


class Counts(msgspec.Struct, frozen=True):
    """The answer to CountBefore: (entries, groups) before each bound; a group that a bound cuts
    counts."""

    version: int
    count: int
    groups: int
    before: list[tuple[int, int]]


Answer = Slice | Counts


def sliced(answer: Answer) -> Slice:
    """An answer that is rows. Raises TypeError for counts: the store answered another query."""
    if not isinstance(answer, Slice):
        raise TypeError("the store answered another query")
    return answer


class Reading(NamedTuple):
    """The answers to a list of queries, all from the snapshot at `position`."""

    position: int
    answers: list[Answer]


class Reads(Protocol):
    """What a store does for those who read rankings. Raises `StoreError` when it cannot be used."""

    def position(self) -> int:
        """How far into the log these rankings have been folded; 0 when empty."""
        ...

    def entries(self, wanted: Sequence[tuple[RankingId, bytes]]) -> tuple[int, list[Stored | None]]:
        """The position, and the entry of each (ranking, member) wanted, from one snapshot."""
        ...

    def read(self, queries: Sequence[Query]) -> Reading:
        """Answer all queries from one snapshot. A ranking nobody wrote to is empty."""
        ...


class Store(Reads, Protocol):
    """What every store does. All methods raise `StoreError` when the store cannot be used."""

    @property
    def remote(self) -> bool:
        """Whether each call is a round trip over a network, so that fewer calls are faster."""
        ...

    def publish(
        self,
        changes: Sequence[Change],
        receipts: Sequence[tuple[int, bytes]],
        *,
        expect: int,
        then: int,
        drops: Sequence[RankingId] = (),
    ) -> None:
        """Write every change, every receipt (by seq) and the position in one atomic step.

        Rankings in `drops` lose every entry; they are not in `changes`. At most one change a
        (ranking, member): more, or a key of another length, is a `StoreError`. Raises
        `PositionMoved`, and changes nothing, when the position is not `expect`.
        """
        ...

    def receipts(self, seqs: Sequence[int]) -> list[bytes | None]:
        """The receipts published for these log positions."""
        ...

    def close(self) -> None:
        """Make everything durable and release it; closing twice is harmless."""
        ...


class Audit(Protocol):
    """One snapshot of a store, for checking: everything there is, in a stated order."""

    position: int

    def rankings(self) -> Iterator[RankingId]:
        """Every ranking that has an entry, by name."""
        ...

    def order(self, ranking: RankingId) -> Iterator[tuple[bytes, bytes]]:
        """(key, member) of the order index, in rank order."""
        ...

    def members(self, ranking: RankingId) -> Iterator[Row]:
        """The entries of the member index, in no particular order."""
        ...

    def entries(self, ranking: RankingId, members: Sequence[bytes]) -> list[Stored | None]:
        """The entries of these members in the member index."""
        ...

    def faults(self, progress: Progress | None = None) -> Iterator[str]:
        """Broken invariants of the store's own form, in English; nothing when sound.

        `progress` is told numbers of entries looked at.
        """
        ...


@runtime_checkable
class Auditable(Protocol):
    """A store whose whole content can be walked in one snapshot."""

    def audit(self) -> AbstractContextManager[Audit]:
        """Open the snapshot."""
        ...


@runtime_checkable
class Rebuildable(Protocol):
    """A store that can stage rankings: make them anew, and then serve them instead of the old."""

    def staging(self) -> Store:
        """The staged rankings, with a position, entries and receipts of their own.

        They are begun where there are none. They outlive the process, so that another can go on.
        """
        ...

    def promote(
        self, wanted: Callable[[str], bool] | None, manifest: bytes, *, behind: bool = False
    ) -> bool:
        """Serve the staged rankings, in one step; False while they are behind what is served.

        `manifest` becomes their receipt 0. With `behind`, they may be behind.

        With `wanted`, only rankings whose names it is true for; receipts and the others stay, and
        the positions must be the same.
        """
        ...

    def discard(self) -> None:
        """Give up the staged rankings."""
        ...


@runtime_checkable
class Replaceable(Protocol):
    """A store in files, which can be replaced whole where it is damaged beyond mending in place."""

    def is_readable(self) -> bool:
        """Whether a process can read everything and survive it."""
        ...

    def replace(self, fill: Callable[[Store], object]) -> None:
        """Have `fill` write an empty store in a place of its own, and serve that from then on.

        The old files are kept under another name. Raises `StoreError` while other processes have
        the store open, and `fill`'s errors; then nothing is replaced.
        """
        ...


@runtime_checkable
class SnapshotReads(Protocol):
    """A store that can answer many calls of one thread from one snapshot, which costs it less."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Within the block every call of this thread that reads is of one snapshot. No call that
        writes may be made there."""
        ...


@runtime_checkable
class Partitionable(Protocol):
    """A store that can keep rankings in parts of its place, each of them a store of its own."""

    def part(self, name: str) -> Store:
        """The store in the part of this name: its own position, rankings and receipts.

        Connections may be shared: each part, and this store, is closed at the end.
        """
        ...


@runtime_checkable
class Counted(Protocol):
    """A store that can say at almost no cost how often it has been written to."""

    def writes(self) -> int:
        """How many writes there were until now, of any process and any kind: each `publish` is one.
        Raises `StoreError` when closed."""
        ...


@runtime_checkable
class Describable(Protocol):
    """A store that can say what it holds, in numbers."""

    def describe(self) -> dict[str, Any]:
        """Names and numbers, ready for JSON."""
        ...


@runtime_checkable
class Portable(Protocol):
    """A store in files, which can be copied while it is written."""

    @property
    def path(self) -> Path:
        """The directory that it is in."""
        ...

    def copy(self, directory: Path) -> None:
        """Write one snapshot of it into a directory that is there and empty."""
        ...


def window(position: int, limit: int, count: int) -> tuple[int, int]:
    """The start and length of a window of `limit` rows around `position`, out of `count`.

    (limit - 1) // 2 rows stand before the position unless an edge moves the window.
    """
    start = min(position - (limit - 1) // 2, count - limit)
    start = max(0, start)
    return start, min(limit, count - start)


def after_prefix(prefix: bytes) -> bytes:
    """The first bytes above everything that begins with `prefix`."""
    number = int.from_bytes(prefix, "big") + 1
    if number >> (8 * len(prefix)):
        return b"\xff" * (len(prefix) + 1)
    return number.to_bytes(len(prefix), "big")
