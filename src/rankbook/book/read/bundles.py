"""Bundles: several rankings read from one snapshot, and kept until one of them changes."""

import math
import threading
from collections.abc import Callable, Sequence

import msgspec

from rankbook.book.published import PublishedStep, StepHistory
from rankbook.book.read.tops import CachedTop, advance, refresh
from rankbook.book.read.view import RankingView
from rankbook.forks import on_fork
from rankbook.model import Standings
from rankbook.rules import Bundle
from rankbook.store.base import Counted, Query, Stamped, Store

Views = Callable[[Bundle, int], list[RankingView]]

# A repair changes rankings and not their versions. Where writes are not counted, it cannot be told
# from a fold: there everything is read again this often.
WHOLE_US = 1_000_000


class BundleReading(msgspec.Struct, frozen=True, kw_only=True):
    """The rankings of a bundle, read from one snapshot at one log position."""

    name: str
    position: int
    rankings: tuple[Standings, ...]


class _Kept(msgspec.Struct):
    """A reading, and what it was made of: it is good while the rankings are these, from when it was
    made until the next of its periods begins, ends or closes. All that is `shown` is what it was at
    `position`. `whole_us` is when nothing was taken over from the one before."""

    reading: BundleReading
    views: Sequence[RankingView]
    shown: Sequence[CachedTop | None]
    position: int
    stamp: int
    made_us: int
    until_us: float
    whole_us: int


class BundleCache:
    """The last reading of each bundle. One thread at a time makes a new one; the others wait.

    A change in any of its rankings shows at the next read, and nothing is read again for nothing:
    rankings that have not changed are not, and of the others only entries that have. A reading
    older than the bundle's maximum age is made again in any case. What another process repaired
    shows at once, or where the store does not count its writes within a second.
    """

    def __init__(self, store: Store, views: Views, recent: StepHistory | None) -> None:
        """`recent` is told what this process publishes; None for a store of several positions."""
        self._store = store
        self._recent = recent
        self._counted = isinstance(store, Counted)
        self._stamp = store.position
        if isinstance(store, Counted):
            self._stamp = store.writes
        elif isinstance(store, Stamped):
            self._stamp = store.stamp
        self._views = views
        self._kept: dict[str, _Kept] = {}
        self._forgotten = 0
        self._locks: dict[str, threading.Lock] = {}
        on_fork(self)

    def read(self, bundle: Bundle, now_us: int) -> BundleReading:
        """The bundle in its current periods."""
        lock = self._locks.get(bundle.name)
        if lock is None:
            lock = self._locks.setdefault(bundle.name, threading.Lock())
        with lock:
            stamp = self._stamp()
            kept = self._kept.get(bundle.name)
            if kept is None or not kept.made_us <= now_us < kept.until_us:
                return self._make(bundle, now_us, stamp)
            if stamp != kept.stamp:
                self._renew(bundle, kept, stamp, now_us)
            return kept.reading

    def after_fork(self) -> None:
        """In a child: the locks may be held by threads that are not there."""
        self._locks = {}

    def forget(self) -> None:
        """Drop every reading, and keep none that has begun: what it shows may be no more."""
        self._forgotten += 1
        self._kept.clear()

    def _make(self, bundle: Bundle, now_us: int, stamp: int) -> BundleReading:
        """A new reading, in the periods of now."""
        forgotten = self._forgotten
        views = self._views(bundle, now_us)
        until_us = min([boundary(view, now_us) for view in views])
        if bundle.max_age_seconds:
            until_us = min(until_us, now_us + bundle.max_age_seconds * 1_000_000)
        nothing = BundleReading(name=bundle.name, position=0, rankings=())
        kept = _Kept(nothing, views, [None] * len(views), 0, stamp, now_us, until_us, now_us)
        self._renew(bundle, kept, stamp, now_us)
        self._kept[bundle.name] = kept
        if forgotten != self._forgotten:
            self._kept.pop(bundle.name, None)
        return kept.reading

    def _renew(self, bundle: Bundle, kept: _Kept, stamp: int, now_us: int) -> None:
        """Bring a reading up to now. `stamp` is from before, so that no write is missed."""
        steps = [] if self._recent is None else self._recent.since(kept.position)
        if self._counted:
            # What else was written may be a repair, which leaves versions as they were.
            whole = stamp != kept.stamp + len(steps)
        else:
            whole = now_us >= kept.whole_us + WHOLE_US
        shown = kept.shown
        if not whole and self._recent is not None:
            if steps:
                shown = self._followed(bundle, kept, steps)
            then = steps[-1].then if steps else kept.position
            if None not in shown and (self._counted or self._store.position() == then):
                self._show(bundle, kept, shown, then)
                kept.stamp = stamp
                return
        self._read(bundle, kept, shown, whole)
        kept.stamp = stamp
        if whole:
            kept.whole_us = now_us

    def _followed(
        self, bundle: Bundle, kept: _Kept, steps: Sequence[PublishedStep]
    ) -> list[CachedTop | None]:
        """What is shown as the steps have left it; None where it must be read."""
        return [
            None if last is None else advance(view, last, bundle.top, steps)
            for view, last in zip(kept.views, kept.shown, strict=True)
        ]

    def _read(
        self, bundle: Bundle, kept: _Kept, shown: Sequence[CachedTop | None], whole: bool
    ) -> None:
        """Read again what is not as it is `shown`, or with `whole` everything."""
        known = [
            None if whole or each is None or view.beside is not None else each.version
            for view, each in zip(kept.views, shown, strict=True)
        ]
        queries: list[Query] = [
            view.top_query(bundle.top, version)
            for view, version in zip(kept.views, known, strict=True)
        ]
        reading = self._store.read(queries)
        now = [
            refresh(view, answer, each or last, version)
            for view, answer, each, last, version in zip(
                kept.views, reading.answers, shown, kept.shown, known, strict=True
            )
        ]
        self._show(bundle, kept, now, reading.position)

    def _show(
        self, bundle: Bundle, kept: _Kept, shown: Sequence[CachedTop | None], position: int
    ) -> None:
        """Make the reading of what is shown at a position, unless it is what was."""
        for now, last in zip(shown, kept.shown, strict=True):
            if now is not last:
                rankings = _chosen(bundle, shown)
                kept.reading = BundleReading(name=bundle.name, position=position, rankings=rankings)
                break
        kept.shown, kept.position = shown, position


def boundary(view: RankingView, now_us: int) -> float:
    """When a view next has another period, or its period closes; infinity for never."""
    span, rules = view.span, view.rules
    following = rules.window(view.ranking.window).next(span)
    instants = [
        span.start_us,
        span.end_us,
        rules.closes_at(span) if rules.board.seal else None,
        None if following is None else following.start_us,
    ]
    return min([each for each in instants if each is not None and each > now_us], default=math.inf)


def _chosen(bundle: Bundle, shown: Sequence[CachedTop | None]) -> tuple[Standings, ...]:
    """The standings, without the entries that the bundle does not show: the others keep their
    ranks."""
    found = [each.standings for each in shown if each is not None]
    if bundle.named_only:
        found = [
            msgspec.structs.replace(
                standings,
                entries=tuple([each for each in standings.entries if bundle.shows(each.profile)]),
            )
            for standings in found
        ]
    return tuple(found)
