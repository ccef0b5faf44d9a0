"""The entries that one step of folding reads and changes, over the store at one position."""

from collections.abc import Iterable
from typing import NamedTuple

from rankbook.errors import PositionMoved
from rankbook.store.base import (
    ByPosition,
    Change,
    Query,
    RankingId,
    Reading,
    Row,
    Slice,
    Store,
    Stored,
)

PAGE = 1000


class Cell(NamedTuple):
    """The place of one player's entry in one ranking."""

    ranking: RankingId
    member: bytes


class Working:
    """Reads through to the store, and holds back what is changed until `changes` is asked for.

    Every read raises `PositionMoved` when the store is no longer where it was.
    """

    def __init__(self, store: Store, position: int) -> None:
        self._store = store
        self.position = position
        self._before: dict[tuple[str, bytes], Stored | None] = {}
        self._after: dict[tuple[str, bytes], Stored | None] = {}
        self._ids: dict[str, RankingId] = {}
        self._dropped: dict[str, RankingId] = {}

    def prefetch(self, cells: Iterable[tuple[RankingId, bytes]]) -> None:
        """Read many entries at once; those that are known are not read again."""
        wanted = {
            (id.name, member): (id, member)
            for id, member in cells
            if (id.name, member) not in self._before
        }
        if not wanted:
            return
        position, found = self._store.entries(list(wanted.values()))
        if position != self.position:
            raise PositionMoved(f"the rankings moved from {self.position} to {position}")
        for (key, (id, _member)), entry in zip(wanted.items(), found, strict=True):
            self._ids[id.name] = id
            self._before[key] = entry
            self._after[key] = None if id.name in self._dropped else entry

    def get(self, id: RankingId, member: bytes) -> Stored | None:
        """The entry as it is now, with what the step has changed."""
        key = (id.name, member)
        if key not in self._after:
            self.prefetch([(id, member)])
        return self._after[key]

    def was(self, id: RankingId, member: bytes) -> Stored | None:
        """The entry as it was before the step."""
        key = (id.name, member)
        if key not in self._before:
            self.prefetch([(id, member)])
        return self._before[key]

    def put(self, id: RankingId, member: bytes, entry: Stored) -> None:
        """Give the member this entry."""
        self.get(id, member)
        self._after[(id.name, member)] = entry

    def remove(self, id: RankingId, member: bytes) -> None:
        """Take the member's entry out."""
        self.get(id, member)
        self._after[(id.name, member)] = None

    def drop(self, id: RankingId) -> None:
        """Take a whole ranking out, with what the step has put in it."""
        self._dropped[id.name] = id
        for key in self._after:
            if key[0] == id.name:
                self._after[key] = None

    def rows(self, id: RankingId) -> Iterable[Row]:
        """Every entry of a ranking as it is now; in the order before the step, new ones last."""
        known = {member for name, member in self._after if name == id.name}
        start = 0
        while True:
            [answer] = self.read([ByPosition(id, start, PAGE)]).answers
            if not isinstance(answer, Slice) or not answer.rows:
                break
            yield from [row for row in answer.rows if row.member not in known]
            start += len(answer.rows)
        for member in sorted(known):
            entry = self._after[(id.name, member)]
            if entry is not None:
                yield Row(member, entry.key, entry.value)

    def read(self, queries: list[Query]) -> Reading:
        """Answers from the store as it was before the step."""
        reading = self._store.read(queries)
        if reading.position != self.position:
            raise PositionMoved(f"the rankings moved from {self.position} to {reading.position}")
        return reading

    def changes(self) -> list[Change]:
        """One change for each entry that is not what it was."""
        return [
            Change(self._ids[key[0]], key[1], None)
            if entry is None
            else Change(self._ids[key[0]], key[1], entry.key, entry.value)
            for key, entry in self._after.items()
            if key[0] not in self._dropped and entry != self._before[key]
        ]

    def drops(self) -> list[RankingId]:
        """The rankings that are taken out whole."""
        return list(self._dropped.values())
