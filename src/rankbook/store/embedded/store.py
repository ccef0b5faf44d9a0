"""The store with no server: rankings as RankSets of the engine, in one directory.

The position, the receipts and every changed ranking are written in one LMDB transaction. Only this
file, generations.py and snapshots.py know the engine.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import Any

from rankbook.engine.check import check
from rankbook.engine.environment import Environment
from rankbook.engine.rankset import RankSet
from rankbook.engine.survey import survey
from rankbook.engine.transaction import Transaction
from rankbook.errors import PositionMoved, RebuildNeeded, StoreDown, StoreError
from rankbook.store.base import (
    MANIFEST,
    Answer,
    AroundMember,
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
    Store,
    Stored,
    window,
)
from rankbook.store.embedded import generations
from rankbook.store.embedded.generations import Generation
from rankbook.store.embedded.opening import Opening, is_unreadable
from rankbook.store.embedded.snapshots import Snapshot, ThreadSnapshot


class EmbeddedStore:
    """Rankings in a directory of this machine; open it with `open`."""

    remote = False

    def __init__(self, opening: Opening, role: bytes = generations.GENERATION) -> None:
        """`role` says whether this store is the served or the staged generation."""
        self._opening = opening
        self._role = role
        self._closed = False
        self._generation: int | None = None
        self._manifest: bytes | None = None
        self._held = threading.local()

    @property
    def _environment(self) -> Environment:
        """The environment. The first use opens it. Raises `StoreDown` if it cannot be opened
        now."""
        return self._opening.opened or self._opening.open()

    def _current(self, view: Transaction) -> Generation:
        generation = generations.number(view, self._role)
        if generation is None:
            raise StoreError("the staged rankings have been promoted or discarded")
        here = generations.numbered(view, generation)
        if generation != self._generation:
            self._notice(generation, here.receipt(MANIFEST))
        return here

    def _notice(self, generation: int, manifest: bytes | None) -> None:
        """Another generation is served than when this store last looked.

        Raises `RebuildNeeded` where it was made under another manifest than the one before.
        """
        known = self._generation is not None and self._manifest is not None
        if known and manifest != self._manifest and self._role == generations.GENERATION:
            raise RebuildNeeded(
                "the rankings were made anew under other rules: open the book again"
            )
        self._generation, self._manifest = generation, manifest

    @classmethod
    def open(cls, path: Path, *, create: bool = True, **capacities: Any) -> "EmbeddedStore":
        """The store in `path`. `capacities` are those of `engine.environment.Environment`.

        After a stop of the machine under an open store, everything is checked first. If that fails,
        the file is kept as `damaged.mdb`, and the store starts empty, for the log to fill. While
        another process keeps the directory locked, it is opened later, by the first use that can.
        Raises `BookError` if there is none and `create` is false, if it is newer than this program,
        or if it is read-only.
        """
        opening = Opening(path, {"create": create, **capacities})
        with suppress(StoreDown):
            opening.open()
        return cls(opening)

    def snapshot(self) -> AbstractContextManager[None]:
        """One snapshot for every read of this thread within the block."""
        return ThreadSnapshot(self._reading(), self._held)

    def _reading(self) -> Snapshot:
        """The served generation, in the thread's snapshot or in a new one."""
        return Snapshot(self._environment, self._held, self._current)

    def writes(self) -> int:
        """The number of the last transaction of any process. A transaction that writes nothing has
        no number."""
        return self._environment.stamp()

    def position(self) -> int:
        """How far into the log these rankings have been folded."""
        with self._reading() as here:
            return here.position()

    def entries(self, wanted: Sequence[tuple[RankingId, bytes]]) -> tuple[int, list[Stored | None]]:
        """The position, and each entry wanted, from one snapshot."""
        asked: dict[str, tuple[RankingId, list[bytes]]] = {}
        for ranking, member in wanted:
            known = asked.get(ranking.name)
            if known is None:
                known = asked[ranking.name] = (ranking, [])
            known[1].append(member)
        with self._reading() as here:
            found = {
                name: here.known(ranking).get_many(members)
                for name, (ranking, members) in asked.items()
            }
            position = here.position()
        pairs = [found[ranking.name].get(member) for ranking, member in wanted]
        made = tuple.__new__  # half the cost of calling the class
        return position, [None if pair is None else made(Stored, pair) for pair in pairs]

    def publish(
        self,
        changes: Sequence[Change],
        receipts: Sequence[tuple[int, bytes]],
        *,
        expect: int,
        then: int,
        drops: Sequence[RankingId] = (),
    ) -> None:
        """Write everything in one transaction, or raise `PositionMoved` and write nothing."""
        by_ranking: dict[RankingId, list[tuple[bytes, bytes | None, bytes]]] = {}
        for ranking, member, key, value in changes:
            by_ranking.setdefault(ranking, []).append((member, key, value))

        def write(transaction: Transaction) -> None:
            here = self._current(transaction)
            position = here.position()
            if position != expect:
                raise PositionMoved(f"the rankings stand at {position}, not at {expect}")
            for ranking in drops:
                here.rankset(ranking).drop()
            for ranking, entries in by_ranking.items():
                here.rankset(ranking).apply(entries, then)
            here.put_receipts(receipts)
            self._manifest = next(
                (each for seq, each in receipts if seq == MANIFEST), self._manifest
            )
            here.move_to(then)

        self._environment.update(write)

    def read(self, queries: Sequence[Query]) -> Reading:
        """Answer all queries from one snapshot."""
        with self._reading() as here:
            answers = [_answer(here, here.known(query.ranking), query) for query in queries]
            return Reading(here.position(), answers)

    def receipts(self, seqs: Sequence[int]) -> list[bytes | None]:
        """The receipts published for these log positions."""
        with self._reading() as here:
            return [here.receipt(seq) for seq in seqs]

    @contextmanager
    def audit(self) -> Iterator["EmbeddedAudit"]:
        """One snapshot of everything. First makes room, if it can, so that writers can go on."""
        with suppress(StoreError):
            self._environment.make_room()
        with self._environment.view() as view:
            yield EmbeddedAudit(self._current(view))

    # --- staging rankings ------------------------------------------------------------------------

    def staging(self) -> "EmbeddedStore":
        """The staged rankings. If there are none, they are begun.

        They outlive the process, so that another can continue with them.
        """

        def begin(transaction: Transaction) -> bool:
            if generations.number(transaction, generations.STAGING) is None:
                if generations.is_removing(transaction):
                    return False
                served = generations.number(transaction, generations.GENERATION) or 0
                generations.assign(transaction, generations.STAGING, served + 1)
            return True

        while not self._environment.update(begin):
            self._remove()
        return EmbeddedStore(self._opening, generations.STAGING)

    def promote(
        self, wanted: Callable[[str], bool] | None, manifest: bytes, *, behind: bool = False
    ) -> bool:
        """Serve the staged rankings, in one step. False while they are behind the served ones.

        `manifest` becomes their receipt 0. With `behind`, they may be behind. With `wanted`, only
        the rankings of the names that it is true for; the others stay, so the positions must be
        the same. What is left over is given up in the same step, and removed afterwards.
        """

        def change(transaction: Transaction) -> bool:
            generation = generations.number(transaction, generations.STAGING)
            if generation is None:
                return False
            made, served = generations.numbered(transaction, generation), self._current(transaction)
            lacking = served.position() - made.position()
            if (lacking > 0 and not behind) or (wanted is not None and lacking):
                return False
            replaced = generations.number(transaction, generations.GENERATION) or 0
            if wanted is None:
                made.put_receipts([(MANIFEST, manifest)])
                generations.assign(transaction, generations.GENERATION, generation)
                generation = replaced
            else:
                _promote_some(made, served, wanted)
            generations.give_up(transaction, generation)
            return True

        promoted = self._environment.update(change)
        if promoted:
            self._generation = None
            self._remove()
        return promoted

    def discard(self) -> None:
        """Discard the staged rankings, and remove them in steps."""

        def change(transaction: Transaction) -> None:
            generation = generations.number(transaction, generations.STAGING)
            if generation is not None:
                generations.give_up(transaction, generation)

        self._environment.update(change)
        self._remove()

    def _remove(self) -> None:
        """Remove what was discarded, in steps. After a kill, the next rebuild continues."""
        while self._environment.update(generations.remove_some):
            pass

    def is_readable(self) -> bool:
        """Whether a process can read everything without crashing. A child process tries it."""
        return not is_unreadable(self.path)

    def replace(self, fill: Callable[[Store], object]) -> None:
        """Have `fill` write an empty store in a folder beside, and serve it from then on.

        The old file is kept as `damaged.mdb`. Raises `StoreError` while other processes have the
        store open.
        """
        place = self.path.with_name(f"{self.path.name}.anew")
        rmtree(place, ignore_errors=True)
        try:
            made = EmbeddedStore.open(place)
            try:
                fill(made)
            finally:
                made.close()
            self._environment.replace(place)
            self._generation = None
        finally:
            rmtree(place, ignore_errors=True)

    def describe(self) -> dict[str, Any]:
        """What the engine holds, in numbers."""
        return survey(self._environment)

    @property
    def path(self) -> Path:
        """The store's directory."""
        return self._opening.path

    def copy(self, directory: Path) -> None:
        """Write one snapshot of everything into an empty directory, without the free space."""
        self._environment.copy(directory)

    def close(self) -> None:
        """Make everything durable and release it."""
        if not self._closed:
            self._closed = True
            self._opening.close()


class EmbeddedAudit:
    """One snapshot, for checking."""

    def __init__(self, here: Generation) -> None:
        self._here = here
        self.position = here.position()

    def rankings(self) -> Iterator[RankingId]:
        """Every ranking that has an entry, by name."""
        return self._here.rankings()

    def order(self, ranking: RankingId) -> Iterator[tuple[bytes, bytes]]:
        """(key, member) of the order index, in rank order."""
        return self._here.rankset(ranking).order()

    def members(self, ranking: RankingId) -> Iterator[Row]:
        """The entries of the member index."""
        for entry in self._here.rankset(ranking).members():
            yield Row(*entry)

    def entries(self, ranking: RankingId, members: Sequence[bytes]) -> list[Stored | None]:
        """The entries of these members in the member index."""
        found = self._here.rankset(ranking).get_many(members)
        pairs = [found.get(member) for member in members]
        return [None if pair is None else Stored(*pair) for pair in pairs]

    def faults(self, progress: Progress | None = None) -> Iterator[str]:
        """Broken invariants of the engine's form."""
        return check(self._here.view, progress)


def _promote_some(made: Generation, served: Generation, wanted: Callable[[str], bool]) -> None:
    """Serve the wanted staged rankings instead of the old ones."""
    for ranking in [each for each in served.rankings() if wanted(each.name)]:
        served.rankset(ranking).drop()
    for ranking in [each for each in made.rankings() if wanted(each.name)]:
        made.rankset(ranking).rename(served.prefix + ranking.name.encode())


def _answer(here: Generation, rankset: RankSet, query: Query) -> Answer:
    if isinstance(query, CountBefore):
        counted = [rankset.count_before(bound) for bound in query.bounds]
        return Counts(rankset.version, len(rankset), rankset.groups, counted)
    if isinstance(query, ByPosition) and query.known == rankset.version:
        return Slice(rankset.version, len(rankset), rankset.groups, 0, 0, 0, [])
    start, limit = _range(rankset, query)
    rows = [Row(*entry) for entry in rankset.scan(start, limit)]
    if not rows:
        return Slice(rankset.version, len(rankset), rankset.groups, 0, 0, 0, [])
    before, groups = 0, 0
    if start > 0:
        before, groups = rankset.count_before(rows[0].key[: rankset.group_bytes])
    beside: tuple[bytes | None, ...] = ()
    if query.beside is not None:
        found = here.known(query.beside).get_many([row.member for row in rows])
        beside = tuple([found[row.member][1] if row.member in found else None for row in rows])
    return Slice(rankset.version, len(rankset), rankset.groups, start, before, groups, rows, beside)


def _range(rankset: RankSet, query: ByPosition | AroundMember | FromBound) -> tuple[int, int]:
    """The 0-based start and the number of rows that a query asks for."""
    if isinstance(query, ByPosition):
        return query.start, query.limit
    if isinstance(query, AroundMember):
        position = rankset.rank(query.member)
        if position is None:
            return 0, 0
        return window(position, query.limit, len(rankset))
    position, _groups = rankset.count_before(query.bound)
    if query.reverse:
        start = max(0, position - query.limit)
        return start, position - start
    return position, query.limit
