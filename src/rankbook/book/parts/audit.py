"""One audit over the audits of all parts. It holds what all of them hold, and each ranking once."""

from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from typing import TypeVar

from rankbook.book.parts.partition import Partition, is_alike
from rankbook.store.base import Audit, Progress, RankingId, Row, Stored

T = TypeVar("T")


class PartitionedAudit:
    """The protocol `Audit` over one audit for each part. Its position is the lowest of theirs."""

    def __init__(self, partition: Partition, opened: Sequence[Audit]) -> None:
        self.position = min([each.position for each in opened])
        self._partition = partition
        self._opened = opened

    def _owners(self, ranking: RankingId) -> list[Audit]:
        """The parts that hold a ranking: one part, or each part a share of it. If all parts hold
        the same, it is the first part whose position is the highest."""
        owners = [self._opened[number] for number in self._partition.where(ranking.name)]
        if is_alike(ranking.name):
            return [max(owners, key=lambda each: each.position)]
        return owners

    def _all(self, ranking: RankingId, walk: Callable[[Audit], Iterator[T]]) -> Iterator[T]:
        for each in self._owners(ranking):
            yield from walk(each)

    def rankings(self) -> Iterator[RankingId]:
        """See `Audit.rankings`."""
        ids = {id.name: id for each in self._opened for id in each.rankings()}
        yield from [id for _name, id in sorted(ids.items())]

    def order(self, ranking: RankingId) -> Iterator[tuple[bytes, bytes]]:
        """See `Audit.order`."""
        yield from merge(*[each.order(ranking) for each in self._owners(ranking)])

    def members(self, ranking: RankingId) -> Iterator[Row]:
        """See `Audit.members`."""
        return self._all(ranking, lambda each: each.members(ranking))

    def entries(self, ranking: RankingId, members: Sequence[bytes]) -> list[Stored | None]:
        """See `Audit.entries`."""
        found = [each.entries(ranking, members) for each in self._owners(ranking)]
        return [next((one for one in each if one), None) for each in zip(*found, strict=True)]

    def faults(self, progress: Progress | None = None) -> Iterator[str]:
        """See `Audit.faults`; each says in which part it is."""
        for name, each in zip(self._partition.names, self._opened, strict=True):
            yield from [f"part {name}: {fault}" for fault in each.faults(progress)]
