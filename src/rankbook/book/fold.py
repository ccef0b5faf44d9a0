"""Folding: events from the log become changes of rankings, exactly once.

One step reads the events after the store's position, reads the entries they touch, decides with the
rules, and publishes every change, every receipt and the new position in one atomic step on the
condition that the position is still what it was. Whoever loses that race reads again. So any number
of processes may fold, and a crash at any point leaves a step done or not done.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from rankbook.book import events, places, receipts
from rankbook.errors import PositionMoved
from rankbook.log.base import Log, Recorded
from rankbook.rules import BoardRules
from rankbook.store.base import Change, RankingId, Store, Stored

STEP_EVENTS = 1000
ATTEMPTS = 1000

Progress = Callable[[int], None]
Key = tuple[str, bytes]


class Outcome(NamedTuple):
    """What one event did to one ranking: the entry's key before and after."""

    rules: BoardRules
    ranking: RankingId
    member: bytes
    why: str
    before: bytes | None
    after: bytes | None


class Touch(NamedTuple):
    """An entry that a step may change, and the candidate for it."""

    rules: BoardRules
    ranking: RankingId
    member: bytes
    candidate: object


class Step(NamedTuple):
    """A folded step: its receipts, by seq, as bytes."""

    last: int
    events: int
    receipts: dict[int, bytes]


class Folder:
    """Applies the log to the store. Safe to use from many threads; one of them folds at a time.

    `note` is kept beside the rankings with the first step: under which specification they are.
    """

    def __init__(self, boards: Sequence[BoardRules], log: Log, store: Store, note: bytes) -> None:
        self._boards = boards
        self._log = log
        self._store = store
        self._note = note
        self._lock = threading.Lock()

    def fold(
        self,
        *,
        until: int | None = None,
        ranks: bool = False,
        step_events: int = STEP_EVENTS,
        progress: Progress | None = None,
    ) -> dict[int, bytes]:
        """Apply what is pending, up to and with the log position `until`; without it, until nothing
        is pending. The receipts made on the way to `until`, by seq.

        `ranks` says whether receipts get ranks: they cost as much as everything else together.
        Raises `StoreError` or `LogError`; what was published until then stays.
        """
        made: dict[int, bytes] = {}
        while True:
            with self._lock:
                position = self._store.position()
                if until is not None and position >= until:
                    return made
                step = self._step(position, until, ranks, step_events)
            if step is None:
                return made
            if until is not None:
                made.update(step.receipts)
            if progress is not None:
                progress(step.events)

    def _step(self, position: int, until: int | None, ranks: bool, step_events: int) -> Step | None:
        for _attempt in range(ATTEMPTS):
            pending = self._log.read(position, step_events)
            if until is not None:
                pending = [recorded for recorded in pending if recorded.seq <= until]
            if not pending:
                return None
            try:
                return self._publish(position, pending, ranks)
            except PositionMoved:
                position = self._store.position()
        raise PositionMoved("other processes publish faster than this one can fold")

    def _publish(self, position: int, pending: Sequence[Recorded], ranks: bool) -> Step:
        touches = [self._touches(recorded) for recorded in pending]
        stored = self._stored(position, touches)
        current = dict(stored)
        outcomes = [self._decide(touched, current) for touched in touches]
        changes = _changes(touches, stored, current)
        numbers = places.none(outcomes)
        if ranks:
            numbers = places.predict(self._store, position, outcomes, stored, current)
        made = {
            recorded.seq: receipts.pack(outcome, number)
            for recorded, outcome, number in zip(pending, outcomes, numbers, strict=True)
        }
        last = pending[-1].seq
        kept = list(made.items())
        if position == 0:
            kept.insert(0, (receipts.NOTE, self._note))
        self._store.publish(changes, kept, expect=position, then=last)
        return Step(last, len(pending), made)

    def _touches(self, recorded: Recorded) -> list[Touch]:
        fact = events.fact(recorded)
        member = fact.player.encode()
        touched: list[Touch] = []
        for rules in self._boards:
            candidate = rules.candidate(fact)
            for ranking in rules.rankings(fact.values, fact.at_us):
                id = RankingId(ranking.name, rules.key_bytes, rules.group_bytes)
                touched.append(Touch(rules, id, member, candidate))
        return touched

    def _stored(self, position: int, touches: Iterable[list[Touch]]) -> dict[Key, Stored]:
        wanted = {
            (t.ranking.name, t.member): (t.ranking, t.member) for each in touches for t in each
        }
        at, found = self._store.entries(list(wanted.values()))
        if at != position:
            raise PositionMoved(f"the rankings moved from {position} to {at}")
        return {key: entry for key, entry in zip(wanted, found, strict=True) if entry is not None}

    def _decide(self, touched: list[Touch], current: dict[Key, Stored]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        for rules, ranking, member, candidate in touched:
            key = (ranking.name, member)
            before = current.get(key)
            verdict = rules.fold(before, candidate)  # type: ignore[arg-type]
            old = None if before is None else before.key
            if verdict.key is not None:
                current[key] = Stored(verdict.key, verdict.value)
            outcomes.append(Outcome(rules, ranking, member, verdict.why, old, verdict.key or old))
        return outcomes


def _changes(
    touches: Iterable[list[Touch]], stored: dict[Key, Stored], current: dict[Key, Stored]
) -> list[Change]:
    """One change for each entry that ended up different, sorted by ranking."""
    rankings = {t.ranking.name: t.ranking for each in touches for t in each}
    changed: list[Change] = []
    for (name, member), entry in current.items():
        if stored.get((name, member)) is not entry:
            changed.append(Change(rankings[name], member, entry.key, entry.value))
    return changed
