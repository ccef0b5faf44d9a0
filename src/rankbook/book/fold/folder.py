"""Folding: events from the log become changes of rankings, exactly once.

One step reads the events after the store's position, reads the entries they touch, decides with the
rules, and publishes every change, every receipt and the new position in one atomic step on the
condition that the position is still what it was. Whoever loses that race reads again. So any number
of processes may fold, and a crash at any point leaves a step done or not done.

A step is a run of results, or one event of another kind. An event whose body cannot be read is set
aside, with a reason, in the state and in place of its receipt, and changes nothing else: it blocks
nobody, and moves the horizon of kept periods by its time, as a forgotten one does. The seal that a
boundary brings says in its id what it is about, and seals it still.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from itertools import takewhile
from typing import NamedTuple, Protocol

from rankbook.book import events, state
from rankbook.book.fold import receipts, replay
from rankbook.book.fold.apply import Decider, Outcome
from rankbook.book.fold.ranks import is_simple, load_counted, no_ranks, predict_ranks
from rankbook.book.fold.step import StepState
from rankbook.book.manifest import check_log
from rankbook.book.measure import MeasuredResult
from rankbook.book.parts.partition import Scope
from rankbook.book.published import MOVES, PublishedStep, StepHistory
from rankbook.book.submit.validation import sealed_by
from rankbook.errors import PositionMoved
from rankbook.log.base import Log, Recorded
from rankbook.rules import BoardRules
from rankbook.store.base import NOTE, SnapshotReads, Store

STEP_EVENTS = 1000
ATTEMPTS = 1000

Progress = Callable[[int], None]
Folded = Callable[[Recorded], None]


class KeptManifest(Protocol):
    """What rankings are known by; see `manifest.Manifest`."""

    def packed(self) -> bytes:
        """As it is kept."""
        ...

    def check_served(self, kept: bytes | None) -> None:
        """Raises `RebuildNeeded` where what is kept is another."""
        ...


class Step(NamedTuple):
    """A published step: its events, their receipts as bytes, by seq, and which were set aside."""

    events: Sequence[Recorded]
    receipts: dict[int, bytes]
    aside: Mapping[int, str]


class Folder:
    """Applies the log to the store. Safe to use from many threads; one of them folds at a time.

    `manifest` is kept beside the rankings with the first step, and compared with what is kept
    later:
    under which specification and of which log they are. None is for rankings of no account.
    `folded` is called with each event that is no result, after its step is published here. Of a
    part of a book, `boards` are those in it, and `scope` says which of their rankings are. `recent`
    is told what this folder publishes, for readers of the same store.
    """

    def __init__(
        self,
        boards: Sequence[BoardRules],
        log: Log,
        store: Store,
        manifest: KeptManifest | None,
        folded: Folded = lambda _event: None,
        scope: Scope | None = None,
        recent: StepHistory | None = None,
    ) -> None:
        self._boards = boards
        self.decider = Decider(boards, scope)
        self._named = scope is not None
        self._log = log
        self._store = store
        self._manifest = manifest
        self._folded = folded
        self._recent = recent
        self._hold = store.snapshot if isinstance(store, SnapshotReads) else nullcontext
        self._far = store.remote
        self._lock = threading.Lock()
        self._position: int | None = None
        self._ahead: Sequence[Recorded] = []
        self._ahead_of = -1
        self._results: dict[int, MeasuredResult] = {}

    def fold(
        self,
        *,
        until: int | None = None,
        ranks: bool = False,
        step_events: int = STEP_EVENTS,
        progress: Progress | None = None,
        fresh: Sequence[MeasuredResult] = (),
    ) -> dict[int, bytes]:
        """Apply what is pending, up to and with the log position `until`; without it, until nothing
        is pending. The receipts made on the way to `until`, by seq.

        `ranks` says whether receipts get ranks: they cost as much as everything else together.
        `fresh` are results that have just been recorded one after the other, as measured then:
        where nothing else is pending they are not read from the log again.
        Raises `StoreError` or `LogError`; what was published until then stays.
        """
        made: dict[int, bytes] = {}
        with self._lock:
            self._ahead = []  # left over: players may have been erased from the log since
        while True:
            with self._lock:
                self._expect(fresh)
                step = self._step(until, ranks, step_events)
            if step is None:
                return made
            fresh = ()
            if until is not None:
                made.update(step.receipts)
            for event in step.events:
                if event.kind != "result" and event.seq not in step.aside:
                    self._folded(event)
            if progress is not None:
                progress(len(step.events))
            if step.events[-1].seq == until:
                return made

    def _expect(self, fresh: Sequence[MeasuredResult]) -> None:
        """The step that comes is of `fresh`, if the rankings are where this folder left them.

        Otherwise the store is asked for its position, and whether its note is still ours. What the
        step reads and publishes is compared with the position in any case.
        """
        self._results = {result.recorded.seq: result for result in fresh}
        if fresh:
            self._ahead = [result.recorded for result in fresh]
            self._ahead_of = fresh[0].recorded.seq - 1
        if not fresh or self._position != self._ahead_of:
            self._position = None

    def check_note(self) -> None:
        """Raises `RebuildNeeded` where somebody has made the rankings anew under other rules, or
        from another log."""
        if self._manifest is not None:
            [kept] = self._store.receipts([NOTE])
            self._manifest.check_served(kept)

    def _step(self, until: int | None, ranks: bool, step_events: int) -> Step | None:
        for _attempt in range(ATTEMPTS):
            try:
                with self._hold():
                    made = self._make(until, ranks, step_events)
                if made is None:
                    return None
                step, working, position = made
                self._publish(step, working, position)
                self._position = step.events[-1].seq
                return step
            except PositionMoved:
                self._position = None
        raise PositionMoved("other processes publish faster than this one can fold")

    def _make(
        self, until: int | None, ranks: bool, step_events: int
    ) -> tuple[Step, StepState, int] | None:
        """The next step, what it changes, and the position that it holds for; None at the end."""
        position = self._position
        if position is None:
            self.check_note()
            position = self._store.position()
            if until is not None and position >= until:
                check_log(self._log.head(), position)  # else `until` is another log's
        if until is not None and position >= until:
            return None
        pending: Sequence[Recorded] = self._read(position, step_events)
        if until is not None:
            pending = [recorded for recorded in pending if recorded.seq <= until]
        if not pending:
            return None
        results = list(takewhile(lambda recorded: recorded.kind == "result", pending))
        run = results or pending[:1]
        self._ahead, self._ahead_of = pending[len(run) :], run[-1].seq
        working = StepState(self._store, position)
        return self._decided(working, run, ranks), working, position

    def _read(self, position: int, step_events: int) -> Sequence[Recorded]:
        """The events after a position: what the step before read and left, or from the log.

        What the log has handed out never gains an earlier member, so it need not be read again.
        """
        if self._ahead and self._ahead_of == position:
            return self._ahead[:step_events]
        return self._log.read(position, step_events)

    def _decided(self, working: StepState, run: Sequence[Recorded], ranks: bool) -> Step:
        aside: dict[int, str] = {}
        outcomes = self._decide(working, run, aside, ranks)
        numbers = predict_ranks(working, outcomes) if ranks else no_ranks(outcomes)
        made = {
            recorded.seq: receipts.pack_reason(aside[recorded.seq])
            if recorded.seq in aside
            else receipts.pack(recorded, outcome, number, self._named)
            for recorded, outcome, number in zip(run, outcomes, numbers, strict=True)
        }
        return Step(run, made, aside)

    def _publish(self, step: Step, working: StepState, position: int) -> None:
        kept = list(step.receipts.items())
        if position == 0 and self._manifest is not None:
            kept.insert(0, (NOTE, self._manifest.packed()))
        changes, drops, then = working.changes(), working.drops(), step.events[-1].seq
        self._store.publish(changes, kept, expect=position, then=then, drops=drops)
        if self._recent is not None and len(changes) <= MOVES and not drops:
            self._recent.add(PublishedStep(position, then, working.moves_of(changes)))

    def _decide(
        self, working: StepState, run: Sequence[Recorded], aside: dict[int, str], ranks: bool
    ) -> list[list[Outcome]]:
        """The outcomes of each event; `aside` gets those that cannot be read, and why."""
        if run[0].kind != "result":
            return [self._other(working, run[0], aside)]
        results = [self._result(recorded, aside) for recorded in run]
        for result in results:
            if isinstance(result, MeasuredResult):
                self.decider.want(working, result)
        self._load(working, results, ranks)
        return [
            self.decider.decide(working, result)
            if isinstance(result, MeasuredResult)
            else self._set_aside(working, result, aside)
            for result in results
        ]

    def _load(
        self, working: StepState, results: Sequence[MeasuredResult | Recorded], ranks: bool
    ) -> None:
        """Load the entries that are wanted; of a single result with the counts for its ranks, where
        that saves a call to a store that is far."""
        alone = results[0] if ranks and self._far and len(results) == 1 else None
        if isinstance(alone, MeasuredResult) and all(
            is_simple(each.rules) for each in alone.touched
        ):
            load_counted(working, alone)
        else:
            working.load()

    def _result(self, recorded: Recorded, aside: dict[int, str]) -> MeasuredResult | Recorded:
        known = self._results.get(recorded.seq)
        if known is not None and known.recorded == recorded:
            return known
        try:
            return self.decider.result(recorded)
        except events.Unreadable as error:
            aside[recorded.seq] = error.reason
            return recorded

    def _set_aside(
        self, working: StepState, event: Recorded, aside: Mapping[int, str]
    ) -> list[Outcome]:
        if event.kind == "result":
            self.decider.note_time(working, event.at_us)
        elif event.kind == "seal" and (period := sealed_by(event.id)):
            self._seal(working, event, period)
        content = state.pack_poison(event.id, aside[event.seq])
        working.put(state.POISON, state.poison(event.seq), state.marked(event.seq, content))
        return []

    def _seal(self, working: StepState, event: Recorded, name: str) -> None:
        period = name.encode()
        working.remove(state.OPEN, period)
        if working.get(state.SEALS, period) is None:
            working.put(state.SEALS, period, state.marked(event.seq))

    def _forget(self, working: StepState, event: Recorded) -> None:
        """Their times are what is left of the player's events in the log, as "forgotten"."""
        theirs = list(self._log.of_player(event.player, event.seq))
        for each in theirs:
            working.want(state.POISON, state.poison(each.seq))
        working.load()
        for each in theirs:
            if each.kind != "forget":
                self.decider.note_time(working, each.at_us)
            working.remove(state.POISON, state.poison(each.seq))
        replay.forget(working, event.player.encode(), self._boards)

    def _other(self, working: StepState, event: Recorded, aside: dict[int, str]) -> list[Outcome]:
        """Apply an event that is no result. One that was forgotten since says nothing."""
        try:
            said = events.body(event) if event.kind in events.SPEAKING else events.NOTHING
        except events.Unreadable as error:
            aside[event.seq] = error.reason
            return self._set_aside(working, event, aside)
        member = event.player.encode()
        if event.kind == "ban":
            working.put(state.BANS, member, state.marked(event.seq))
        elif event.kind == "unban":
            working.remove(state.BANS, member)
        elif event.kind == "profile":
            self.decider.profile(working, event, said.profile)
        elif event.kind == "seal":
            self._seal(working, event, said.target)
        elif event.kind == "forgotten":
            self.decider.note_time(working, event.at_us)
        elif event.kind == "forget" and event.player:
            self._forget(working, event)
        if event.kind in ("ban", "unban", "void", "correct", "forget") and event.player:
            return replay.replay(self.decider, working, self._log, event)
        return []
