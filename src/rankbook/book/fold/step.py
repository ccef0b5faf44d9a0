"""The entries that one step of folding reads and changes, over the store at one position."""

from collections.abc import Iterable, Mapping
from itertools import islice

from rankbook.book.published import KeyChange
from rankbook.book.read.slices import sliced
from rankbook.errors import PositionMoved
from rankbook.store.base import (
    AroundMember,
    ByPosition,
    Change,
    CountBefore,
    Counts,
    Query,
    RankingId,
    Reading,
    Row,
    Slice,
    Store,
    Stored,
)

PAGE = 1000

Entries = Mapping[bytes, Stored | None]


class RankingState:
    """What a step knows of one ranking: member -> entry, before the step and now."""

    __slots__ = ("after", "before", "counts", "dropped", "id", "missing")

    def __init__(self, id: RankingId) -> None:
        self.id = id
        self.before: dict[bytes, Stored | None] = {}
        self.after: dict[bytes, Stored | None] = {}
        self.missing: list[bytes] = []
        self.counts: dict[bytes, int] = {}
        self.dropped = False


class StepState:
    """Reads through to the store, and holds back what is changed until `changes` is asked for.

    Every read raises `PositionMoved` when the store is no longer where it was.
    """

    def __init__(self, store: Store, position: int) -> None:
        self._store = store
        self.position = position
        self._tables: dict[str, RankingState] = {}
        self._wanting: list[RankingState] = []

    def _table(self, id: RankingId) -> RankingState:
        found = self._tables.get(id.name)
        if found is None:
            found = self._tables[id.name] = RankingState(id)
        return found

    def want(self, id: RankingId, member: bytes) -> None:
        """Say that an entry will be read, so that `load` reads many at once."""
        table = self._tables.get(id.name)
        if table is None:
            table = self._tables[id.name] = RankingState(id)
        if member not in table.before:
            table.before[member] = None
            if not table.missing:
                self._wanting.append(table)
            table.missing.append(member)

    def load(self) -> None:
        """Read every entry that is wanted and not known."""
        tables, self._wanting = self._wanting, []
        wanted = [(table.id, member) for table in tables for member in table.missing]
        if not wanted:
            return
        position, found = self._store.entries(wanted)
        if position != self.position:
            raise PositionMoved(f"the rankings moved from {self.position} to {position}")
        start = 0
        for table in tables:
            stop = start + len(table.missing)
            self._loaded(table, found[start:stop])
            start = stop

    def _loaded(self, table: RankingState, found: Iterable[Stored | None]) -> None:
        entries = dict(zip(table.missing, found, strict=True))
        table.before.update(entries)
        table.after.update(dict.fromkeys(entries) if table.dropped else entries)
        table.missing = []

    def load_counted(self, bounds: Iterable[tuple[RankingId, bytes]]) -> None:
        """As `load`, with how many entries stand before each of these bounds and before the group
        of each entry, for `count`: in one read, where another one costs more than all it asks."""
        tables, self._wanting = self._wanting, []
        counted = list(bounds)
        queries: list[Query] = [
            AroundMember(table.id, member, 1) for table in tables for member in table.missing
        ]
        queries += [CountBefore(id, (bound,), False) for id, bound in counted]
        answers = iter(self.read(queries).answers)
        for table in tables:
            found: list[Stored | None] = []
            for answer in islice(answers, len(table.missing)):
                around = sliced(answer)
                row = around.rows[0] if around.rows else None
                found.append(None if row is None else Stored(row.key, row.value))
                if row is not None:
                    table.counts[row.key[: table.id.group_bytes]] = around.before
            self._loaded(table, found)
        for (id, bound), answer in zip(counted, answers, strict=True):
            if isinstance(answer, Counts):
                self._table(id).counts[bound] = answer.before[0][0]

    def count(self, id: RankingId, bound: bytes) -> int | None:
        """How many entries stood before a bound, where `load_counted` has counted them."""
        return self._table(id).counts.get(bound)

    def get(self, id: RankingId, member: bytes) -> Stored | None:
        """The entry as it is now, with what the step has changed."""
        table = self._tables.get(id.name)
        if table is None or member not in table.after:
            self.want(id, member)
            self.load()
            table = self._tables[id.name]
        return table.after[member]

    def was(self, id: RankingId, member: bytes) -> Stored | None:
        """The entry as it was before the step."""
        self.get(id, member)
        return self._tables[id.name].before[member]

    def put(self, id: RankingId, member: bytes, entry: Stored) -> None:
        """Give the member this entry."""
        table = self._tables.get(id.name)
        if table is None or member not in table.after:
            self.get(id, member)
            table = self._tables[id.name]
        table.after[member] = entry

    def remove(self, id: RankingId, member: bytes) -> None:
        """Take the member's entry out."""
        self.get(id, member)
        self._tables[id.name].after[member] = None

    def moves(self, id: RankingId) -> tuple[Entries, Entries]:
        """What the step knows of a ranking: member -> entry, before it and as it is now."""
        table = self._table(id)
        return table.before, table.after

    def drop(self, id: RankingId) -> None:
        """Take a whole ranking out, with what the step has put in it."""
        table = self._table(id)
        table.dropped = True
        table.after = dict.fromkeys(table.after)

    def rows(self, id: RankingId) -> Iterable[Row]:
        """Every entry of a ranking as it is now; in the order before the step, new ones last."""
        table = self._table(id)
        known = set(table.after)
        start = 0
        while True:
            [answer] = self.read([ByPosition(id, start, PAGE)]).answers
            if not isinstance(answer, Slice) or not answer.rows:
                break
            yield from [row for row in answer.rows if row.member not in known]
            start += len(answer.rows)
        for member in sorted(known):
            entry = table.after[member]
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
            Change(table.id, member, None)
            if entry is None
            else Change(table.id, member, entry.key, entry.value)
            for table in self._tables.values()
            if not table.dropped
            for member, entry in table.after.items()
            if entry is not table.before[member] and entry != table.before[member]
        ]

    def moves_of(self, changes: Iterable[Change]) -> dict[str, list[KeyChange]]:
        """What changes of this step move, by name of ranking."""
        moves: dict[str, list[KeyChange]] = {}
        for id, member, key, _value in changes:
            before = self._tables[id.name].before[member]
            move = KeyChange(member, None if before is None else before.key, key)
            moves.setdefault(id.name, []).append(move)
        return moves

    def drops(self) -> list[RankingId]:
        """The rankings that are taken out whole."""
        return [table.id for table in self._tables.values() if table.dropped]
