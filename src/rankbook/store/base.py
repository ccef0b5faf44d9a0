"""The store: where rankings live. It keeps bytes in order and publishes changes; it knows no rule.

A ranking is two indexes over the same entries: the order (key + member) and the members (member ->
key, value). Keys of one ranking all have `key_bytes` bytes. Ascending bytes are rank order, best
first. Entries whose first `group_bytes` bytes agree are tied. Positions here are 0-based.

A reader gives a list of queries, and the store answers them from one snapshot. So a store behind a
network answers a whole bundle in one round trip. A query for rows may name a second ranking
`beside` its own. Each row then also has the value that the second ranking keeps for the same
member.
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
    """The new entry of a member, or its removal if `key` is None."""

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

    If a reader has the rows of the version `known`, the store may leave the rows out while the
    ranking has that version.
    """

    ranking: RankingId
    start: int
    limit: int
    beside: RankingId | None = None
    known: int | None = None


class AroundMember(NamedTuple):
    """A window of `limit` rows that holds the member, centred unless an edge is near.

    The window is full if the ranking has that many entries: with `limit` n, (n - 1) // 2 rows stand
    before the member unless an edge moves the window. No entry: no rows.
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

    Without `groups`, a store may answer any number of groups.
    """

    ranking: RankingId
    bounds: tuple[bytes, ...]
    groups: bool = True


Query = ByPosition | AroundMember | FromBound | CountBefore


class Slice(msgspec.Struct, frozen=True):
    """Neighbouring rows of one ranking.

    `version` is the log position of the last publish that named the ranking. An empty ranking has
    0, as if nobody had ever written to it. `count` and `groups` are of the whole ranking. `start`
    is the position of the first row. `before` and `groups_before` are the numbers of entries and
    groups before the first row's group. All three are 0 if there are no rows. `beside` has the
    second ranking's value for each row's member, and is empty if the query named none.
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
    """The answer to CountBefore: (entries, groups) before each bound. A group that a bound cuts is
    counted."""

    version: int
    count: int
    groups: int
    before: list[tuple[int, int]]


Answer = Slice | Counts


def sliced(answer: Answer) -> Slice:
    """The answer, if it is rows. Raises TypeError for counts: the store answered another query."""
    if not isinstance(answer, Slice):
        raise TypeError("the store answered another query")
    return answer


class Reading(NamedTuple):
    """The answers to a list of queries, all from the snapshot at `position`."""

    position: int
    answers: list[Answer]


class Reads(Protocol):
    """What a store does for readers. Raises `StoreError` if it cannot be used."""

    def position(self) -> int:
        """The log position up to which these rankings are folded; 0 when empty."""
        ...

    def entries(self, wanted: Sequence[tuple[RankingId, bytes]]) -> tuple[int, list[Stored | None]]:
        """The position, and the entry of each (ranking, member) wanted, from one snapshot."""
        ...

    def read(self, queries: Sequence[Query]) -> Reading:
        """Answer all queries from one snapshot. A ranking nobody wrote to is empty."""
        ...


class Store(Reads, Protocol):
    """What every store does. All methods raise `StoreError` if the store cannot be used."""

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

        Rankings in `drops` lose every entry; they are not in `changes`. Each (ranking, member) has
        at most one change. A second one, or a key of another length, is a `StoreError`. If the
        position is not `expect`, this raises `PositionMoved` and changes nothing.
        """
        ...

    def receipts(self, seqs: Sequence[int]) -> list[bytes | None]:
        """The receipts published for these log positions."""
        ...

    def close(self) -> None:
        """Make everything durable and release it; closing twice is harmless."""
        ...


class Audit(Protocol):
    """One snapshot of a store, for checking: its whole content, in a stated order."""

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

        `progress` is called with numbers of entries checked.
        """
        ...


@runtime_checkable
class Auditable(Protocol):
    """A store whose whole content can be read in one snapshot."""

    def audit(self) -> AbstractContextManager[Audit]:
        """Open the snapshot."""
        ...


@runtime_checkable
class Rebuildable(Protocol):
    """A store that can stage rankings: make new ones, and then serve them instead of the old
    ones."""

    def staging(self) -> Store:
        """The staged rankings, with their own position, entries and receipts.

        If there are none, they are begun. They outlive the process, so that another can continue.
        """
        ...

    def promote(
        self, wanted: Callable[[str], bool] | None, manifest: bytes, *, behind: bool = False
    ) -> bool:
        """Serve the staged rankings, in one step. False while they are behind the served ones.

        `manifest` becomes their receipt 0. With `behind`, they may be behind.

        With `wanted`, it promotes only rankings for whose names `wanted` is true. Receipts and the
        other rankings stay, and the positions must be the same.
        """
        ...

    def discard(self) -> None:
        """Discard the staged rankings."""
        ...


@runtime_checkable
class Replaceable(Protocol):
    """A store in files, which can be replaced whole if it is damaged beyond repair."""

    def is_readable(self) -> bool:
        """Whether a process can read everything without crashing."""
        ...

    def replace(self, fill: Callable[[Store], object]) -> None:
        """Have `fill` write an empty store in another place, and serve that from then on.

        The old files are kept under another name. Raises `StoreError` while other processes have
        the store open, and what `fill` raises; then nothing is replaced.
        """
        ...


@runtime_checkable
class SnapshotReads(Protocol):
    """A store that can answer many calls of one thread from one snapshot, at less cost."""

    def snapshot(self) -> AbstractContextManager[None]:
        """Within the block, every read of this thread uses one snapshot. The thread must not write
        there."""
        ...


@runtime_checkable
class Partitionable(Protocol):
    """A store that can keep several parts in one place, each of them a store of its own."""

    def part(self, name: str) -> Store:
        """The store in the part of this name: its own position, rankings and receipts.

        Parts may share connections. Close each part, and this store, at the end.
        """
        ...


@runtime_checkable
class Counted(Protocol):
    """A store that knows, at almost no cost, how often it has been written to."""

    def writes(self) -> int:
        """How many writes there were so far, by any process and of any kind; each `publish` is one.
        Raises `StoreError` when closed."""
        ...


@runtime_checkable
class Describable(Protocol):
    """A store that can describe its content in numbers."""

    def describe(self) -> dict[str, Any]:
        """Names and numbers, ready for JSON."""
        ...


@runtime_checkable
class Portable(Protocol):
    """A store in files, which can be copied while it is written."""

    @property
    def path(self) -> Path:
        """The store's directory."""
        ...

    def copy(self, directory: Path) -> None:
        """Write one snapshot of the store into an existing empty directory."""
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
