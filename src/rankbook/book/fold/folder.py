"""Folding: events from the log become changes of rankings, exactly once.

A step reads the events after the store's position and the entries that they touch, and decides by
the rules. It publishes every change, every receipt and the new position in one atomic step, if the
position is still the same. If another process was faster, the step is made again. So any number of
processes may fold, and after a crash a step is either whole or absent.

A step is a run of results, or one event of another kind. If the body of an event cannot be read,
the event is set aside: the state and its receipt say why, and it changes nothing else.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from itertools import takewhile
from types import MappingProxyType
from typing import NamedTuple, Protocol

from rankbook.book import events
from rankbook.book.fold import receipts
from rankbook.book.fold.apply import Decider, Outcome, shows_profiles
from rankbook.book.fold.moderation import Moderator
from rankbook.book.fold.ranks import (
    has_shared_ranks,
    load_with_counts,
    no_ranks,
    predict_ranks,
)
from rankbook.book.fold.step import StepState
from rankbook.book.manifest import check_log
from rankbook.book.measure import MeasuredResult, Measurer, Scope
from rankbook.book.published import MOST_CHANGES, PublishedStep, StepHistory
from rankbook.errors import PositionMoved
from rankbook.forks import on_fork
from rankbook.log.base import Log, Recorded, Recording
from rankbook.rules import BoardRules
from rankbook.store.base import MANIFEST, Progress, SnapshotReads, Store

STEP_EVENTS = 1000
ATTEMPTS = 1000

Folded = Callable[[Recorded], None]


class KeptManifest(Protocol):
    """The manifest of rankings; see `manifest.Manifest`."""

    def packed(self) -> bytes:
        """The manifest as bytes to store."""
        ...

    def check_served(self, kept: bytes | None) -> None:
        """Raises `RebuildNeeded` if the stored manifest is a different one."""
        ...


class Pending(NamedTuple):
    """What the caller already knows of the events to fold next, so that they need not be read
    again.

    `position` is that of the rankings; None: ask the store. `events` follow it in the log; empty:
    read the log. `measured` has results among them, by seq.
    """

    position: int | None = None
    events: Sequence[Recorded] = ()
    measured: Mapping[int, MeasuredResult] = MappingProxyType({})

    @classmethod
    def of(cls, recording: Recording, results: Sequence[MeasuredResult | None]) -> "Pending":
        """What was just recorded, with each event's measured result. It assumes that the rankings
        have reached the position before it.

        It knows nothing unless every event is a new result, and each follows the one before it in
        the log.
        """
        recorded = recording.events
        if not recorded or recording.new != len(recorded) or not recorded[0].seq:
            return UNKNOWN
        measured: dict[int, MeasuredResult] = {}
        first = recorded[0].seq
        for place, (event, result) in enumerate(zip(recorded, results, strict=True)):
            if result is None or event.seq != first + place:
                return UNKNOWN
            measured[event.seq] = result
        return cls(first - 1, recorded, measured)


UNKNOWN = Pending()


class Step(NamedTuple):
    """A published step: its events, their receipts by seq, the reasons of those set aside, and what
    is pending after it."""

    events: Sequence[Recorded]
    receipts: dict[int, bytes]
    aside: Mapping[int, str]
    pending: Pending = UNKNOWN


class Folder:
    """Applies the log to the store. Safe to use from many threads; one of them folds at a time.

    `manifest` names the specification and the log. The first step stores it, and later steps
    compare it. None: keep no manifest (verify's scratch store). `folded` is called with each event
    that is no result, once its step is published here. With a `scope`, `boards` are those of one
    part. `history` keeps what this folder publishes, for readers of the same store.
    """

    def __init__(
        self,
        boards: Sequence[BoardRules],
        log: Log,
        store: Store,
        manifest: KeptManifest | None,
        folded: Folded = lambda _event: None,
        scope: Scope | None = None,
        history: StepHistory | None = None,
    ) -> None:
        self.measurer = Measurer(boards, scope)
        profiles = shows_profiles(boards) if scope is None else scope.profiles
        self._decider = Decider(boards, profiles)
        self._moderator = Moderator(boards, self.measurer, self._decider, log)
        self._named = scope is not None
        self._log = log
        self._store = store
        self._manifest = manifest
        self._folded = folded
        self._history = history
        self._snapshot = store.snapshot if isinstance(store, SnapshotReads) else nullcontext
        self._lock = threading.Lock()
        on_fork(self)

    def fold(
        self,
        pending: Pending = UNKNOWN,
        *,
        until: int | None = None,
        ranks: bool = False,
        step_events: int = STEP_EVENTS,
        progress: Progress | None = None,
    ) -> dict[int, bytes]:
        """Apply pending events, up to the log position `until`, or all of them.

        Returns the receipts made on the way to `until`, by seq. With `ranks` they have ranks, which
        cost as much as everything else together. What `pending` knows is not read again. Raises
        `StoreError` or `LogError`; steps published before that stay.
        """
        made: dict[int, bytes] = {}
        while True:
            with self._lock:
                step = self._step(pending, until, ranks, step_events)
            if step is None:
                return made
            pending = step.pending
            if until is not None:
                made.update(step.receipts)
            for event in step.events:
                if event.kind != "result" and event.seq not in step.aside:
                    self._folded(event)
            if progress is not None:
                progress(len(step.events))
            if step.events[-1].seq == until:
                return made

    def after_fork(self) -> None:
        """In a child: take a new lock, because a thread of the parent may hold the old one."""
        self._lock = threading.Lock()

    def check_manifest(self) -> None:
        """Raises `RebuildNeeded` if another process has made the rankings again under other rules,
        or from another log."""
        if self._manifest is not None:
            [kept] = self._store.receipts([MANIFEST])
            self._manifest.check_served(kept)

    def _step(
        self, pending: Pending, until: int | None, ranks: bool, step_events: int
    ) -> Step | None:
        """Make and publish the next step. None if nothing is pending."""
        for _attempt in range(ATTEMPTS):
            try:
                with self._snapshot():
                    position = self._position(pending, until)
                    following = self._following(pending, position, until, step_events)
                    if not following:
                        return None
                    state = StepState(self._store, position)
                    step = self._make(state, following, pending, ranks)
                self._publish(step, state)
                return step
            except PositionMoved:
                pending = UNKNOWN
        raise PositionMoved("other processes publish faster than this one can fold")

    def _position(self, pending: Pending, until: int | None) -> int:
        """The position of the rankings: the assumed one, or from the store."""
        if pending.position is not None:
            return pending.position
        self.check_manifest()
        position = self._store.position()
        if until is not None and position >= until:
            check_log(self._log.head(), position)  # else `until` is another log's
        return position

    def _following(
        self, pending: Pending, position: int, until: int | None, step_events: int
    ) -> Sequence[Recorded]:
        """The events after a position, up to `until`.

        Events in `pending` need not be read again, because the log never gains an earlier event.
        """
        if until is not None and position >= until:
            return ()
        following: Sequence[Recorded] = pending.events[:step_events]
        if not following:
            following = self._log.read(position, step_events)
        if until is not None:
            following = [recorded for recorded in following if recorded.seq <= until]
        return following

    def _make(
        self, state: StepState, following: Sequence[Recorded], pending: Pending, ranks: bool
    ) -> Step:
        """Decide about the leading results, or about one event of another kind."""
        results = list(takewhile(lambda recorded: recorded.kind == "result", following))
        run = results or following[:1]
        aside: dict[int, str] = {}
        if results:
            outcomes = self._apply_results(state, results, pending.measured, aside, ranks)
        else:
            outcomes = [self._apply_other(state, run[0], aside)]
        numbers = predict_ranks(state, outcomes) if ranks else no_ranks(outcomes)
        made = {
            recorded.seq: receipts.pack_reason(aside[recorded.seq])
            if recorded.seq in aside
            else receipts.pack(recorded, outcome, number, self._named)
            for recorded, outcome, number in zip(run, outcomes, numbers, strict=True)
        }
        left = [*following[len(run) :], *pending.events[len(following) :]]
        return Step(run, made, aside, Pending(run[-1].seq, left, pending.measured))

    def _publish(self, step: Step, state: StepState) -> None:
        kept = list(step.receipts.items())
        if state.position == 0 and self._manifest is not None:
            kept.insert(0, (MANIFEST, self._manifest.packed()))
        changes, drops, then = state.changes(), state.drops(), step.events[-1].seq
        self._store.publish(changes, kept, expect=state.position, then=then, drops=drops)
        if self._history is not None and len(changes) <= MOST_CHANGES and not drops:
            self._history.add(PublishedStep(state.position, then, state.key_changes(changes)))

    # --- what events do -------------------------------------------------------------------------

    def _apply_results(
        self,
        state: StepState,
        run: Sequence[Recorded],
        measured: Mapping[int, MeasuredResult],
        aside: dict[int, str],
        ranks: bool,
    ) -> list[list[Outcome]]:
        """The outcomes of each result. `aside` gets the results that cannot be read, with the
        reason."""
        results = [measured.get(each.seq) or self._measure(each, aside) for each in run]
        for result in results:
            if result is not None:
                self._decider.want(state, result)
        self._load(state, results, ranks)
        outcomes: list[list[Outcome]] = []
        for recorded, result in zip(run, results, strict=True):
            if result is None:
                self._moderator.set_aside(state, recorded, aside[recorded.seq])
                outcomes.append([])
            else:
                outcomes.append(self._decider.decide(state, recorded, result))
        return outcomes

    def _measure(self, recorded: Recorded, aside: dict[int, str]) -> MeasuredResult | None:
        try:
            return self.measurer.measure(recorded)
        except events.Unreadable as error:
            aside[recorded.seq] = error.reason
            return None

    def _load(
        self, state: StepState, results: Sequence[MeasuredResult | None], ranks: bool
    ) -> None:
        """Load the wanted entries. For a single result, a remote store gives the counts for its
        ranks in the same call, which saves a round trip."""
        alone = results[0] if ranks and self._store.remote and len(results) == 1 else None
        if alone is not None and all(has_shared_ranks(each.rules) for each in alone.touched):
            load_with_counts(state, alone)
        else:
            state.load()

    def _apply_other(
        self, state: StepState, event: Recorded, aside: dict[int, str]
    ) -> list[Outcome]:
        try:
            return self._moderator.apply(state, event)
        except events.Unreadable as error:
            aside[event.seq] = error.reason
            self._moderator.set_aside(state, event, error.reason)
            return []
