"""The state of one step: the entries it reads and changes, over the store at one position."""

from collections.abc import Iterable, Mapping
from itertools import islice

from rankbook.book.published import KeyChange
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
    sliced,
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
    """Reads through to the store, and keeps what the step changes until it is published.

    Every read raises `PositionMoved` if the store is no longer at the step's position.
    """

    def __init__(self, store: Store, position: int) -> None:
        self._store = store
        self.position = position
        self._rankings: dict[str, RankingState] = {}
        self._wanting: list[RankingState] = []

    def _ranking(self, id: RankingId) -> RankingState:
        found = self._rankings.get(id.name)
        if found is None:
            found = self._rankings[id.name] = RankingState(id)
        return found

    def want(self, id: RankingId, member: bytes) -> None:
        """Say that an entry will be read, so that `load` reads many at once."""
        ranking = self._rankings.get(id.name)
        if ranking is None:
            ranking = self._rankings[id.name] = RankingState(id)
        if member not in ranking.before:
            ranking.before[member] = None
            if not ranking.missing:
                self._wanting.append(ranking)
            ranking.missing.append(member)

    def load(self) -> None:
        """Read every wanted entry that is not loaded yet."""
        rankings, self._wanting = self._wanting, []
        wanted = [(ranking.id, member) for ranking in rankings for member in ranking.missing]
        if not wanted:
            return
        position, found = self._store.entries(wanted)
        if position != self.position:
            raise PositionMoved(f"the rankings moved from {self.position} to {position}")
        start = 0
        for ranking in rankings:
            stop = start + len(ranking.missing)
            self._loaded(ranking, found[start:stop])
            start = stop

    def _loaded(self, ranking: RankingState, found: Iterable[Stored | None]) -> None:
        entries = dict(zip(ranking.missing, found, strict=True))
        ranking.before.update(entries)
        ranking.after.update(dict.fromkeys(entries) if ranking.dropped else entries)
        ranking.missing = []

    def load_counted(self, bounds: Iterable[tuple[RankingId, bytes]]) -> None:
        """As `load`, and in the same read count the entries before each of these bounds, and before
        the group of each entry. `count` uses them. One call saves a round trip."""
        rankings, self._wanting = self._wanting, []
        counted = list(bounds)
        queries: list[Query] = [
            AroundMember(ranking.id, member, 1)
            for ranking in rankings
            for member in ranking.missing
        ]
        queries += [CountBefore(id, (bound,), False) for id, bound in counted]
        answers = iter(self.read(queries).answers)
        for ranking in rankings:
            found: list[Stored | None] = []
            for answer in islice(answers, len(ranking.missing)):
                around = sliced(answer)
                row = around.rows[0] if around.rows else None
                found.append(None if row is None else Stored(row.key, row.value))
                if row is not None:
                    ranking.counts[row.key[: ranking.id.group_bytes]] = around.before
            self._loaded(ranking, found)
        for (id, bound), answer in zip(counted, answers, strict=True):
            if isinstance(answer, Counts):
                self._ranking(id).counts[bound] = answer.before[0][0]

    def counts(self, id: RankingId) -> Mapping[bytes, int]:
        """How many entries stood before each bound that `load_counted` has counted."""
        return self._ranking(id).counts

    def get(self, id: RankingId, member: bytes) -> Stored | None:
        """The entry as it is now, with what the step has changed."""
        ranking = self._rankings.get(id.name)
        if ranking is None or member not in ranking.after:
            self.want(id, member)
            self.load()
            ranking = self._rankings[id.name]
        return ranking.after[member]

    def put(self, id: RankingId, member: bytes, entry: Stored) -> None:
        """Give the member this entry."""
        ranking = self._rankings.get(id.name)
        if ranking is None or member not in ranking.after:
            self.get(id, member)
            ranking = self._rankings[id.name]
        ranking.after[member] = entry

    def remove(self, id: RankingId, member: bytes) -> None:
        """Remove the member's entry."""
        self.get(id, member)
        self._rankings[id.name].after[member] = None

    def entries(self, id: RankingId) -> tuple[Entries, Entries]:
        """The entries of a ranking that the step has loaded: member -> entry before the step, and
        now."""
        ranking = self._ranking(id)
        return ranking.before, ranking.after

    def drop(self, id: RankingId) -> None:
        """Remove a whole ranking, with what the step has put in it."""
        ranking = self._ranking(id)
        ranking.dropped = True
        ranking.after = dict.fromkeys(ranking.after)

    def rows(self, id: RankingId) -> Iterable[Row]:
        """Every entry of a ranking as it is now; in the order before the step, new ones last."""
        ranking = self._ranking(id)
        known = set(ranking.after)
        start = 0
        while True:
            [answer] = self.read([ByPosition(id, start, PAGE)]).answers
            if not isinstance(answer, Slice) or not answer.rows:
                break
            yield from [row for row in answer.rows if row.member not in known]
            start += len(answer.rows)
        for member in sorted(known):
            entry = ranking.after[member]
            if entry is not None:
                yield Row(member, entry.key, entry.value)

    def read(self, queries: list[Query]) -> Reading:
        """Answers from the store as it was before the step."""
        reading = self._store.read(queries)
        if reading.position != self.position:
            raise PositionMoved(f"the rankings moved from {self.position} to {reading.position}")
        return reading

    def changes(self) -> list[Change]:
        """One change for each entry that differs from what it was."""
        return [
            Change(ranking.id, member, None)
            if entry is None
            else Change(ranking.id, member, entry.key, entry.value)
            for ranking in self._rankings.values()
            if not ranking.dropped
            for member, entry in ranking.after.items()
            if entry is not ranking.before[member] and entry != ranking.before[member]
        ]

    def key_changes(self, changes: Iterable[Change]) -> dict[str, list[KeyChange]]:
        """The entries whose keys these changes move, by name of ranking."""
        changed: dict[str, list[KeyChange]] = {}
        for id, member, key, _value in changes:
            before = self._rankings[id.name].before[member]
            change = KeyChange(member, None if before is None else before.key, key)
            changed.setdefault(id.name, []).append(change)
        return changed

    def drops(self) -> list[RankingId]:
        """The rankings that the step removes whole."""
        return [ranking.id for ranking in self._rankings.values() if ranking.dropped]
