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
from itertools import takewhile
from typing import NamedTuple

from rankbook.book import events, places, receipts, replay, state
from rankbook.book.admission import sealed_by
from rankbook.book.deciding import Decider, Outcome, Result
from rankbook.book.working import Working
from rankbook.errors import PositionMoved, RebuildNeeded
from rankbook.log.base import Log, Recorded
from rankbook.rules import BoardRules
from rankbook.store.base import NOTE, Store

STEP_EVENTS = 1000
ATTEMPTS = 1000

Progress = Callable[[int], None]
Folded = Callable[[Recorded], None]


class Step(NamedTuple):
    """A published step: its events, their receipts as bytes, by seq, and which were set aside."""

    events: Sequence[Recorded]
    receipts: dict[int, bytes]
    aside: Mapping[int, str]


class Folder:
    """Applies the log to the store. Safe to use from many threads; one of them folds at a time.

    `note` is kept beside the rankings with the first step: under which specification they are.
    `folded` is called with each event that is no result, after its step is published here.
    """

    def __init__(
        self,
        boards: Sequence[BoardRules],
        log: Log,
        store: Store,
        note: bytes,
        folded: Folded = lambda _event: None,
    ) -> None:
        self._boards = boards
        self.decider = Decider(boards)
        self._log = log
        self._store = store
        self._note = note
        self._folded = folded
        self._lock = threading.Lock()
        self._ahead: list[Recorded] = []
        self._ahead_of = -1

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
        self.check_note()
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
            for event in step.events:
                if event.kind != "result" and event.seq not in step.aside:
                    self._folded(event)
            if progress is not None:
                progress(len(step.events))

    def check_note(self) -> None:
        """Raises `RebuildNeeded` where somebody has made the rankings anew under other rules."""
        [kept] = self._store.receipts([NOTE])
        if kept is not None and kept != self._note:
            raise RebuildNeeded(
                "the rankings were made anew under other rules: open the book again"
            )

    def _step(self, position: int, until: int | None, ranks: bool, step_events: int) -> Step | None:
        for _attempt in range(ATTEMPTS):
            pending = self._read(position, step_events)
            if until is not None:
                pending = [recorded for recorded in pending if recorded.seq <= until]
            if not pending:
                return None
            run = list(takewhile(lambda recorded: recorded.kind == "result", pending))
            run = run or pending[:1]
            try:
                step = self._publish(position, run, ranks)
                self._ahead, self._ahead_of = pending[len(run) :], run[-1].seq
                return step
            except PositionMoved:
                position = self._store.position()
        raise PositionMoved("other processes publish faster than this one can fold")

    def _read(self, position: int, step_events: int) -> list[Recorded]:
        """The events after a position: what the step before read and left, or from the log.

        What the log has handed out never gains an earlier member, so it need not be read again.
        """
        if self._ahead and self._ahead_of == position:
            return self._ahead[:step_events]
        return self._log.read(position, step_events)

    def _publish(self, position: int, run: Sequence[Recorded], ranks: bool) -> Step:
        working = Working(self._store, position)
        aside: dict[int, str] = {}
        outcomes = self._decide(working, run, aside)
        numbers = places.predict(working, outcomes) if ranks else places.none(outcomes)
        made = {
            recorded.seq: receipts.pack_reason(aside[recorded.seq])
            if recorded.seq in aside
            else receipts.pack(recorded, outcome, number)
            for recorded, outcome, number in zip(run, outcomes, numbers, strict=True)
        }
        kept = list(made.items())
        if position == 0:
            kept.insert(0, (NOTE, self._note))
        self._store.publish(
            working.changes(), kept, expect=position, then=run[-1].seq, drops=working.drops()
        )
        return Step(run, made, aside)

    def _decide(
        self, working: Working, run: Sequence[Recorded], aside: dict[int, str]
    ) -> list[list[Outcome]]:
        """The outcomes of each event; `aside` gets those that cannot be read, and why."""
        if run[0].kind != "result":
            return [self._other(working, run[0], aside)]
        results = [self._result(recorded, aside) for recorded in run]
        for result in results:
            if isinstance(result, Result):
                self.decider.want(working, result)
        working.load()
        return [
            self.decider.decide(working, result)
            if isinstance(result, Result)
            else self._set_aside(working, result, aside)
            for result in results
        ]

    def _result(self, recorded: Recorded, aside: dict[int, str]) -> Result | Recorded:
        try:
            return self.decider.result(recorded)
        except events.Unreadable as error:
            aside[recorded.seq] = error.reason
            return recorded

    def _set_aside(
        self, working: Working, event: Recorded, aside: Mapping[int, str]
    ) -> list[Outcome]:
        if event.kind == "result":
            self.decider.reached(working, event.at_us)
        elif event.kind == "seal" and (period := sealed_by(event.id)):
            self._seal(working, event, period)
        content = state.pack_poison(event.id, aside[event.seq])
        working.put(state.POISON, state.poison(event.seq), state.marked(event.seq, content))
        return []

    def _seal(self, working: Working, event: Recorded, name: str) -> None:
        period = name.encode()
        working.remove(state.OPEN, period)
        if working.get(state.SEALS, period) is None:
            working.put(state.SEALS, period, state.marked(event.seq))

    def _forget(self, working: Working, event: Recorded) -> None:
        """Their times are what is left of the player's events in the log, as "forgotten"."""
        theirs = list(self._log.of_player(event.player, event.seq))
        for each in theirs:
            working.want(state.POISON, state.poison(each.seq))
        working.load()
        for each in theirs:
            if each.kind != "forget":
                self.decider.reached(working, each.at_us)
            working.remove(state.POISON, state.poison(each.seq))
        replay.forget(working, event.player.encode(), self._boards)

    def _other(self, working: Working, event: Recorded, aside: dict[int, str]) -> list[Outcome]:
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
            self.decider.reached(working, event.at_us)
        elif event.kind == "forget" and event.player:
            self._forget(working, event)
        if event.kind in ("ban", "unban", "void", "correct", "forget") and event.player:
            return replay.replay(self.decider, working, self._log, event)
        return []
