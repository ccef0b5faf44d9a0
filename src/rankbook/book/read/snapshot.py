"""One snapshot for an answer that takes several reads: all its figures belong to one position.

A store on this machine holds a snapshot open meanwhile. Any other store is first read without one.
If something was published between two reads, all queries are asked again together, in one snapshot.
The answer is then made again from the new results.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from rankbook.book.read.limits import RETRIES
from rankbook.errors import StoreError
from rankbook.store.base import (
    Answer,
    AroundMember,
    Query,
    RankingId,
    Reading,
    Reads,
    SnapshotReads,
    Stored,
    sliced,
)

T = TypeVar("T")


def in_one_snapshot(store: Reads, read: Callable[[Reads], T]) -> T:
    """What `read` returns. Everything that it reads comes from one snapshot of the store.

    `read` may be called more than once, and must only read. Raises what it raises. If an error may
    come from reads at two positions, `read` is called again.
    """
    if isinstance(store, SnapshotReader):
        return read(store)
    if isinstance(store, SnapshotReads):
        with store.snapshot():
            return read(store)
    known: Reading | None = None
    queries: list[Query] = []
    for _attempt in range(RETRIES):
        reader = SnapshotReader(store, queries, known)
        try:
            found = read(reader)
        except Exception:
            if reader.is_one_snapshot():
                raise
        else:
            if reader.is_one_snapshot():
                return found
        queries = reader.asked()
        known = store.read(queries)
    raise StoreError("the rankings change faster than they can be read")


class SnapshotReader:
    """A store as one attempt reads it. A query that was asked before gets the same answer."""

    def __init__(self, store: Reads, queries: Sequence[Query], known: Reading | None) -> None:
        """`known` has the answers to `queries`, if they were asked before."""
        self._store = store
        self._answers: dict[Query, Answer] = {}
        self._readings: list[Reading] = []
        if known is not None:
            self._add(queries, known)

    def position(self) -> int:
        """The position of the snapshot. Costs a read if nothing was read before."""
        if not self._readings:
            self._add([], self._store.read([]))
        return self._readings[0].position

    def read(self, queries: Sequence[Query]) -> Reading:
        """Answers to all queries. New queries are asked in one call."""
        missing = [query for query in queries if query not in self._answers]
        if missing:
            self._add(missing, self._store.read(missing))
        return Reading(self.position(), [self._answers[query] for query in queries])

    def entries(self, wanted: Sequence[tuple[RankingId, bytes]]) -> tuple[int, list[Stored | None]]:
        """The position, and the entry of each (ranking, member) wanted."""
        position, answers = self.read([AroundMember(id, member, 1) for id, member in wanted])
        rows = [sliced(answer).rows for answer in answers]
        return position, [Stored(each[0].key, each[0].value) if each else None for each in rows]

    def asked(self) -> list[Query]:
        """Every query asked so far."""
        return [*self._answers]

    def is_one_snapshot(self) -> bool:
        """Whether all answers agree: no publication came between the reads."""
        versions = {(query.ranking, each.version) for query, each in self._answers.items()}
        rankings = {ranking for ranking, _version in versions}
        positions = {reading.position for reading in self._readings}
        return len(positions) <= 1 and len(versions) == len(rankings)

    def _add(self, queries: Sequence[Query], reading: Reading) -> None:
        self._readings.append(reading)
        self._answers.update(zip(queries, reading.answers, strict=True))
