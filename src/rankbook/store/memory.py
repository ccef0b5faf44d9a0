"""The store in memory: the reference for tests of the other stores, and a test double.

A ranking is a sorted list of key + member and a dict of members. Keys of one ranking have one
length, so the bytes key + member sort as the pairs do, and a bound is plain bytes in that order.
Clear rather than fast: a publish costs O(n) for each change, and a read with groups O(n).
"""

from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from itertools import groupby, pairwise
from threading import RLock
from typing import Literal

from msgspec import structs

from rankbook.errors import PositionMoved, StoreError
from rankbook.store.base import (
    Answer,
    AroundMember,
    Audit,
    ByPosition,
    Change,
    CountBefore,
    Counts,
    FromBound,
    Progress,
    Query,
    RankingId,
    Reading,
    Row,
    Slice,
    Stored,
)

When = Literal["before", "after"]


class MemoryRanking:
    """One ranking: `order` holds key + member, `members` the entries.

    `version` is the position of the last publish that named the ranking. A ranking without
    entries is not kept, so its version is 0 and its keys may take another shape.
    """

    def __init__(self, id: RankingId) -> None:
        self.id = id
        self.version = 0
        self.order: list[bytes] = []
        self.members: dict[bytes, Stored] = {}

    def write(self, change: Change, version: int) -> None:
        """Give the member its new entry, or none."""
        self.version = version
        old = self.members.pop(change.member, None)
        if old is not None:
            del self.order[bisect_left(self.order, old.key + change.member)]
        if change.key is not None:
            self.members[change.member] = Stored(change.key, change.value)
            insort(self.order, change.key + change.member)

    def groups(self, end: int) -> int:
        """How many groups have an entry among the first `end`."""
        width = self.id.group_bytes
        return sum(1 for _ in groupby(self.order[:end], key=lambda item: item[:width]))

    def rows(self, start: int, limit: int) -> Slice:
        """At most `limit` rows from `start`, which is a position or past the end."""
        rows = [self._row(item) for item in self.order[start : start + max(limit, 0)]]
        if not rows:
            return Slice(self.version, len(self.order), self.groups(len(self.order)), 0, 0, 0, [])
        before = bisect_left(self.order, rows[0].key[: self.id.group_bytes])
        return Slice(
            version=self.version,
            count=len(self.order),
            groups=self.groups(len(self.order)),
            start=start,
            before=before,
            groups_before=self.groups(before),
            rows=rows,
        )

    def by_position(self, query: ByPosition) -> Slice:
        """Answer a ByPosition."""
        return self.rows(query.start, query.limit)

    def around_member(self, query: AroundMember) -> Slice:
        """Answer an AroundMember: centred, then moved back inside the ranking."""
        entry = self.members.get(query.member)
        if entry is None:
            return self.rows(0, 0)
        position = bisect_left(self.order, entry.key + query.member)
        centred = position - (query.limit - 1) // 2
        return self.rows(max(0, min(centred, len(self.order) - query.limit)), query.limit)

    def from_bound(self, query: FromBound) -> Slice:
        """Answer a FromBound."""
        position = bisect_left(self.order, query.bound)
        if not query.reverse:
            return self.rows(position, query.limit)
        start = max(0, position - max(query.limit, 0))
        return self.rows(start, position - start)

    def count_before(self, query: CountBefore) -> Counts:
        """Answer a CountBefore."""
        ends = [bisect_left(self.order, bound) for bound in query.bounds]
        return Counts(
            version=self.version,
            count=len(self.order),
            groups=self.groups(len(self.order)),
            before=[(end, self.groups(end)) for end in ends],
        )

    def answer(self, query: Query) -> Answer:
        """Answer any query."""
        match query:
            case ByPosition():
                return self.by_position(query)
            case AroundMember():
                return self.around_member(query)
            case FromBound():
                return self.from_bound(query)
            case CountBefore():
                return self.count_before(query)

    def _row(self, item: bytes) -> Row:
        member = item[self.id.key_bytes :]
        return Row(member, *self.members[member])


def find(rankings: dict[str, MemoryRanking], id: RankingId) -> MemoryRanking:
    """The ranking of this name, or an empty one. Raises `StoreError` for another shape."""
    ranking = rankings.get(id.name, MemoryRanking(id))
    if ranking.id != id:
        raise StoreError(f"{id.name!r} is kept as {ranking.id}, not as {id}")
    return ranking


class MemoryStore:
    """`Store`, `Auditable` and `Partitionable` in memory. Thread-safe; it ends with the process."""

    remote = False

    def __init__(self) -> None:
        self._lock = RLock()
        self._position = 0
        self._writes = 0
        self._rankings: dict[str, MemoryRanking] = {}
        self._receipts: dict[int, bytes] = {}
        self._faults: list[When] = []
        self._parts: dict[str, MemoryStore] = {}
        self._closed = False

    def fail_next_publish(self, when: When) -> None:
        """For tests: make a later publish raise `StoreError`. Each call is for one publish, in
        turn.

        "before": the store fails and writes nothing. "after": everything is written, and the reply
        is lost. A publish that is refused (moved position, malformed change) does not use up the
        fault.
        """
        with self._lock:
            self._faults.append(when)

    def position(self) -> int:
        """See `Store.position`."""
        with self._open():
            return self._position

    def entries(self, wanted: Sequence[tuple[RankingId, bytes]]) -> tuple[int, list[Stored | None]]:
        """See `Store.entries`. O(wanted)."""
        with self._open():
            found = [self._ranking(ranking).members.get(member) for ranking, member in wanted]
            return self._position, found

    def publish(
        self,
        changes: Sequence[Change],
        receipts: Sequence[tuple[int, bytes]],
        *,
        expect: int,
        then: int,
        drops: Sequence[RankingId] = (),
    ) -> None:
        """See `Store.publish`. O(n) for each change.

        Raises `StoreError`, with nothing written, for a key of another length than its ranking's,
        for a ranking that is known in another shape, and for two changes of one entry.
        """
        with self._open():
            self._validate(changes)
            if self._position != expect:
                raise PositionMoved(f"the position is {self._position}, not {expect}")
            fault = self._faults.pop(0) if self._faults else None
            if fault == "before":
                raise StoreError("a test asked this publish to fail before it was applied")
            for id in drops:
                self._rankings.pop(id.name, None)
            for change in changes:
                id = change.ranking
                self._rankings.setdefault(id.name, MemoryRanking(id)).write(change, then)
            for name in {change.ranking.name for change in changes}:
                if not self._rankings[name].order:
                    del self._rankings[name]
            self._receipts.update(receipts)
            self._position = then
            self._writes += 1
            if fault == "after":
                raise StoreError("a test asked for the reply of this publish to be lost")

    def read(self, queries: Sequence[Query]) -> Reading:
        """See `Store.read`. O(n) a query."""
        with self._open():
            answers = [self._answer(query) for query in queries]
            return Reading(self._position, answers)

    def _answer(self, query: Query) -> Answer:
        answer = self._ranking(query.ranking).answer(query)
        if isinstance(query, CountBefore) or not isinstance(answer, Slice) or query.beside is None:
            return answer
        kept = self._ranking(query.beside).members
        beside = [kept[row.member].value if row.member in kept else None for row in answer.rows]
        return structs.replace(answer, beside=tuple(beside))

    def writes(self) -> int:
        """See `Counted.writes`."""
        with self._open():
            return self._writes

    def receipts(self, seqs: Sequence[int]) -> list[bytes | None]:
        """See `Store.receipts`. O(seqs)."""
        with self._open():
            return [self._receipts.get(seq) for seq in seqs]

    @contextmanager
    def audit(self) -> Iterator[Audit]:
        """See `Auditable.audit`. Copies everything, so later publishes do not show."""
        with self._open():
            snapshot = MemoryAudit(self._position, deepcopy(self._rankings))
        yield snapshot

    def part(self, name: str) -> "MemoryStore":
        """See `Partitionable.part`. The same name is the same store."""
        with self._open():
            return self._parts.setdefault(name, MemoryStore())

    def close(self) -> None:
        """See `Store.close`. The content is gone; every other call then raises `StoreError`."""
        with self._lock:
            self._closed = True
            self._rankings.clear()
            self._receipts.clear()
            for part in self._parts.values():
                part.close()

    @contextmanager
    def _open(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise StoreError("the store is closed")
            yield

    def _ranking(self, id: RankingId) -> MemoryRanking:
        return find(self._rankings, id)

    def _validate(self, changes: Sequence[Change]) -> None:
        shapes: dict[str, RankingId] = {}
        seen = set()
        for change in changes:
            id = self._ranking(change.ranking).id
            if shapes.setdefault(id.name, id) != id:
                raise StoreError(f"{id.name!r} comes in two shapes in one publish")
            if change.key is not None and len(change.key) != id.key_bytes:
                raise StoreError(f"a key of {id.name!r} has {id.key_bytes} bytes: {change.key!r}")
            if (id, change.member) in seen:
                raise StoreError(f"two changes of {change.member!r} in {id.name!r} in one publish")
            seen.add((id, change.member))


class MemoryAudit:
    """The `Audit` protocol over a copy of a store's rankings."""

    def __init__(self, position: int, rankings: dict[str, MemoryRanking]) -> None:
        self.position = position
        self._rankings = rankings

    def rankings(self) -> Iterator[RankingId]:
        """See `Audit.rankings`."""
        return (ranking.id for _, ranking in sorted(self._rankings.items()))

    def order(self, ranking: RankingId) -> Iterator[tuple[bytes, bytes]]:
        """See `Audit.order`."""
        width = ranking.key_bytes
        return ((item[:width], item[width:]) for item in find(self._rankings, ranking).order)

    def members(self, ranking: RankingId) -> Iterator[Row]:
        """See `Audit.members`."""
        members = find(self._rankings, ranking).members
        return (Row(member, *entry) for member, entry in members.items())

    def entries(self, ranking: RankingId, members: Sequence[bytes]) -> list[Stored | None]:
        """See `Audit.entries`."""
        known = find(self._rankings, ranking).members
        return [known.get(member) for member in members]

    def faults(self, progress: Progress | None = None) -> Iterator[str]:
        """See `Audit.faults`."""
        for name, ranking in sorted(self._rankings.items()):
            entries = {entry.key + member for member, entry in ranking.members.items()}
            if any(left >= right for left, right in pairwise(ranking.order)):
                yield f"{name}: the order index is not in strictly ascending order"
            if entries != set(ranking.order):
                yield f"{name}: the order index and the member index hold different entries"
            if any(len(entry.key) != ranking.id.key_bytes for entry in ranking.members.values()):
                yield f"{name}: a key does not have {ranking.id.key_bytes} bytes"
            if ranking.version > self.position:
                yield f"{name}: its version is ahead of the position"
