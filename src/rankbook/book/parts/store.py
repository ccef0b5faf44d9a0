"""The parts of a book read as one store: the part that has a ranking answers queries about it.

A call asks each part at most once, and each answers from its own snapshot. Each part is written on
its own (folding.py).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from rankbook.book.fold import receipts
from rankbook.book.parts.audit import PartitionedAudit
from rankbook.book.parts.partition import Partition, is_alike
from rankbook.errors import SpecError, StoreError
from rankbook.store.base import (
    Answer,
    Audit,
    Auditable,
    ByPosition,
    Change,
    Describable,
    FromBound,
    Partitionable,
    Query,
    RankingId,
    Reading,
    Slice,
    Store,
    Stored,
    sliced,
)

SUMS = ("rankings", "entries")


class PartitionedStore:
    """The protocols `Store` (without `publish`), `Auditable` and `Describable` over a book's parts.

    Its position is the lowest of the parts' positions. A reading's position is the lowest of the
    parts that it read.
    """

    remote = True

    def __init__(self, partition: Partition, base: Store) -> None:
        """Raises `SpecError` for a store that has no parts."""
        if not isinstance(base, Partitionable):
            raise SpecError("book.partition", "is for stores on Redis; this one has no parts")
        self.partition = partition
        self.parts: tuple[Store, ...] = tuple([base.part(name) for name in partition.names])
        self._base: Store = base

    def position(self) -> int:
        """The position up to which all parts are folded. Costs a call to each of them."""
        return min([part.position() for part in self.parts])

    def entries(self, wanted: Sequence[tuple[RankingId, bytes]]) -> tuple[int, list[Stored | None]]:
        """See `Store.entries`. Reads one snapshot of each part. The first part answers for what all
        parts have alike."""
        asked = _by_part([self.partition.where(id.name)[:1] for id, _member in wanted])
        found: list[Stored | None] = [None] * len(wanted)
        positions: list[int] = []
        for number, places in asked.items():
            position, entries = self.parts[number].entries([wanted[place] for place in places])
            positions.append(position)
            for place, entry in zip(places, entries, strict=True):
                found[place] = entry
        return (min(positions) if positions else self.position()), found

    def publish(
        self,
        changes: Sequence[Change],
        receipts: Sequence[tuple[int, bytes]],
        *,
        expect: int,
        then: int,
        drops: Sequence[RankingId] = (),
    ) -> None:
        """Raises `StoreError`: each part is published on its own."""
        raise StoreError("a book in parts is published part by part")

    def read(self, queries: Sequence[Query]) -> Reading:
        """See `Store.read`. Reads one snapshot of each part. If all parts have something alike, the
        parts that are read anyway are asked, and the newest answer counts. If each part has a
        share, all parts are asked."""
        owners = [self.partition.where(query.ranking.name) for query in queries]
        alone = sorted({each[0] for each in owners if len(each) == 1})
        places = [
            tuple(alone or each[:1]) if len(each) > 1 and is_alike(query.ranking.name) else each
            for query, each in zip(queries, owners, strict=True)
        ]
        found: list[list[Answer]] = [[] for _query in queries]
        positions: list[int] = []
        for number, asked in _by_part(places).items():
            shares = [_share(queries[place], owners[place]) for place in asked]
            reading = self.parts[number].read(shares)
            positions.append(reading.position)
            for place, answer in zip(asked, reading.answers, strict=True):
                found[place].append(answer)
        answers = [_answer(query, each) for query, each in zip(queries, found, strict=True)]
        return Reading(min(positions) if positions else self.position(), answers)

    def receipts(self, seqs: Sequence[int]) -> list[bytes | None]:
        """See `Store.receipts`. Gives the receipts of events that every part has folded."""
        found = zip(*[part.receipts(seqs) for part in self.parts], strict=True)
        whole = [[each for each in one if each is not None] for one in found]
        return [receipts.merge(one) if len(one) == len(self.parts) else None for one in whole]

    def close(self) -> None:
        """Close every part, and what they share."""
        with ExitStack() as stack:
            for store in (self._base, *self.parts):
                stack.callback(store.close)

    @contextmanager
    def audit(self) -> Iterator[Audit]:
        """See `Auditable.audit`. Holds one snapshot of each part. Raises `StoreError` if a part
        cannot be audited."""
        with ExitStack() as stack:
            opened = [stack.enter_context(auditable(part).audit()) for part in self.parts]
            yield PartitionedAudit(self.partition, opened)

    def describe(self) -> dict[str, Any]:
        """What the parts hold together."""
        said = [part.describe() for part in self.parts if isinstance(part, Describable)]
        positions = [part.position() for part in self.parts]
        whole: dict[str, Any] = {"parts": len(self.parts)}
        if said and "kind" in said[0]:
            whole["kind"] = said[0]["kind"]
        whole |= {name: sum([each.get(name, 0) for each in said]) for name in SUMS if said}
        return whole | {"least_position": min(positions), "greatest_position": max(positions)}


def auditable(store: Store) -> Auditable:
    """The store as one that can be walked. Raises `StoreError`."""
    if not isinstance(store, Auditable):
        raise StoreError("this store cannot be walked, so it cannot be verified")
    return store


def _by_part(places: Sequence[Sequence[int]]) -> Mapping[int, list[int]]:
    """Part -> the indices in `places` of the queries for it."""
    asked: dict[int, list[int]] = {}
    for place, numbers in enumerate(places):
        for number in numbers:
            asked.setdefault(number, []).append(place)
    return asked


def _share(query: Query, owners: Sequence[int]) -> Query:
    """The queries to each of several owners for its share of the rows."""
    if len(owners) == 1 or is_alike(query.ranking.name):
        return query
    if isinstance(query, ByPosition):
        return ByPosition(query.ranking, 0, query.start + query.limit)
    if isinstance(query, FromBound):
        return query
    raise StoreError(
        f"{query.ranking.name!r} is spread over parts: it is read by position or from a bound"
    )


def _answer(query: Query, found: Sequence[Answer]) -> Answer:
    if len(found) == 1:
        return found[0]
    if is_alike(query.ranking.name) or not isinstance(query, ByPosition | FromBound):
        return max(found, key=lambda each: each.version)
    return _merged(query, [sliced(each) for each in found])


def _merged(query: ByPosition | FromBound, found: Sequence[Slice]) -> Slice:
    """The rows of several parts in one order. It leaves out how many ties stand before them."""
    known = {row for each in found for row in each.rows}
    rows = sorted(known, key=lambda row: (row.key, row.member))
    if isinstance(query, ByPosition):
        rows, start = rows[query.start : query.start + query.limit], query.start
    else:
        rows, start = rows[-query.limit :] if query.reverse else rows[: query.limit], 0
    start = start if rows else 0
    return Slice(
        version=max([each.version for each in found]),
        count=sum([each.count for each in found]),
        groups=sum([each.groups for each in found]),
        start=start,
        before=start,
        groups_before=start,
        rows=rows,
    )
