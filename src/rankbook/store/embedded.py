"""The store with no server: rankings as RankSets of the engine, in one directory.

The position, the receipts and every changed ranking are written in one LMDB transaction. This is
the only file that knows the engine.
"""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rankbook.engine.check import DAMAGED, check
from rankbook.engine.durability import alone, recover
from rankbook.engine.environment import Environment
from rankbook.engine.rankset import RankSet
from rankbook.engine.survey import survey
from rankbook.engine.transaction import Transaction
from rankbook.errors import PositionMoved, StoreError
from rankbook.store.base import (
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
    Stored,
    window,
)

POSITION = b"position"
RECEIPT = b"receipt:"


class EmbeddedStore:
    """Rankings in a directory of this machine; open it with `open`."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment
        self._closed = False

    @classmethod
    def open(cls, path: Path, *, create: bool = True, **capacities: Any) -> "EmbeddedStore":
        """The store in `path`. `capacities` are those of `engine.environment.Environment`.

        After a stop of the machine under an open store, everything is checked first; what does not
        pass is set aside as `damaged.mdb`, and the store starts empty, for the log to fill.
        Raises `BookError` where there is none and `create` is false, or it is newer than this
        program or read-only.
        """
        recover(path, lambda: _set_aside_if_damaged(path))
        return cls(Environment.share(path, create=create, **capacities))

    @staticmethod
    def swap(path: Path, made: Path) -> None:
        """Put the closed store `made` in the place of the one in `path`, which is then gone.

        Raises `StoreError`, with nothing changed, while anybody has either open.
        """
        path.mkdir(parents=True, exist_ok=True)
        with alone(path) as ours, alone(made) as theirs:
            if not (ours and theirs):
                raise StoreError(f"{path} is open elsewhere: close that first")
            (made / "data.mdb").replace(path / "data.mdb")
            (path / "lock.mdb").unlink(missing_ok=True)
        shutil.rmtree(made)

    def position(self) -> int:
        """How far into the log these rankings have been folded."""
        with self._environment.view() as view:
            return _position(view)

    def entries(self, wanted: Sequence[tuple[RankingId, bytes]]) -> tuple[int, list[Stored | None]]:
        """The position, and each entry wanted, from one snapshot."""
        asked: dict[str, tuple[RankingId, list[bytes]]] = {}
        for ranking, member in wanted:
            known = asked.get(ranking.name)
            if known is None:
                known = asked[ranking.name] = (ranking, [])
            known[1].append(member)
        with self._environment.view() as view:
            found = {
                name: _rankset(view, ranking).get_many(members)
                for name, (ranking, members) in asked.items()
            }
            position = _position(view)
        pairs = [found[ranking.name].get(member) for ranking, member in wanted]
        return position, [None if pair is None else Stored(*pair) for pair in pairs]

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
            position = _position(transaction)
            if position != expect:
                raise PositionMoved(f"the rankings stand at {position}, not at {expect}")
            for ranking in drops:
                _rankset(transaction, ranking).drop()
            for ranking, entries in by_ranking.items():
                _rankset(transaction, ranking).apply(entries, then)
            for seq, receipt in receipts:
                transaction.put(RECEIPT + seq.to_bytes(8, "big"), receipt)
            transaction.put(POSITION, then.to_bytes(8, "big"))

        self._environment.update(write)

    def read(self, queries: Sequence[Query]) -> Reading:
        """Answer all queries from one snapshot."""
        with self._environment.view() as view:
            sets: dict[RankingId, RankSet] = {}
            answers: list[Answer] = []
            for query in queries:
                rankset = sets.get(query.ranking)
                if rankset is None:
                    rankset = sets[query.ranking] = _rankset(view, query.ranking)
                answers.append(_answer(view, rankset, query))
            return Reading(_position(view), answers)

    def receipts(self, seqs: Sequence[int]) -> list[bytes | None]:
        """The receipts published for these log positions."""
        with self._environment.view() as view:
            return [view.get(RECEIPT + seq.to_bytes(8, "big")) for seq in seqs]

    @contextmanager
    def audit(self) -> Iterator["EmbeddedAudit"]:
        """One snapshot of everything. Room is made first, so that writers can go on."""
        self._environment.make_room()
        with self._environment.view() as view:
            yield EmbeddedAudit(view)

    def describe(self) -> dict[str, Any]:
        """What the engine holds, in numbers."""
        return survey(self._environment)

    def close(self) -> None:
        """Make everything durable and release it."""
        if not self._closed:
            self._closed = True
            self._environment.close()


class EmbeddedAudit:
    """One snapshot, for checking."""

    def __init__(self, view: Transaction) -> None:
        self._view = view
        self.position = _position(view)

    def rankings(self) -> Iterator[RankingId]:
        """Every ranking that has an entry, by name."""
        for name, key_bytes, group_bytes in self._view.names():
            yield RankingId(name.decode(), key_bytes, group_bytes)

    def order(self, ranking: RankingId) -> Iterator[tuple[bytes, bytes]]:
        """(key, member) of the order index, in rank order."""
        return _rankset(self._view, ranking).order()

    def members(self, ranking: RankingId) -> Iterator[Row]:
        """The entries of the member index."""
        for entry in _rankset(self._view, ranking).members():
            yield Row(*entry)

    def entries(self, ranking: RankingId, members: Sequence[bytes]) -> list[Stored | None]:
        """The entries of these members in the member index."""
        found = _rankset(self._view, ranking).get_many(members)
        pairs = [found.get(member) for member in members]
        return [None if pair is None else Stored(*pair) for pair in pairs]

    def faults(self, progress: Progress | None = None) -> Iterator[str]:
        """Broken invariants of the engine's form."""
        return check(self._view, progress)


def _set_aside_if_damaged(path: Path) -> None:
    """Check in a child process: a file may be damaged beyond what LMDB can read.

    A child that was killed by its own fault counts as damage; one that could not check does not.
    """
    command = [sys.executable, "-m", "rankbook.engine.check", str(path)]
    status = subprocess.run(command, check=False, capture_output=True).returncode
    if status == DAMAGED or -status in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT):
        (path / "data.mdb").replace(path / "damaged.mdb")


def _position(view: Transaction) -> int:
    found = view.get(POSITION)
    return int.from_bytes(found, "big") if found else 0


def _rankset(view: Transaction, ranking: RankingId) -> RankSet:
    return view.rankset(ranking.name.encode(), ranking.key_bytes, ranking.group_bytes)


def _answer(view: Transaction, rankset: RankSet, query: Query) -> Answer:
    if isinstance(query, CountBefore):
        counted = [rankset.count_before(bound) for bound in query.bounds]
        return Counts(rankset.version, len(rankset), rankset.groups, counted)
    start, limit = _range(rankset, query)
    rows = [Row(*entry) for entry in rankset.scan(start, limit)]
    if not rows:
        return Slice(rankset.version, len(rankset), rankset.groups, 0, 0, 0, [])
    before, groups = 0, 0
    if start > 0:
        before, groups = rankset.count_before(rows[0].key[: rankset.group_bytes])
    beside: tuple[bytes | None, ...] = ()
    if query.beside is not None:
        found = _rankset(view, query.beside).get_many([row.member for row in rows])
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
