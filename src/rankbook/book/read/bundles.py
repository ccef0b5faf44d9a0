"""Bundles: several rankings read from one snapshot, and kept until one of them changes."""

import math
import threading
from collections.abc import Callable, Sequence

import msgspec

from rankbook.book.published import PublishedStep, StepHistory
from rankbook.book.read.freshness import Freshness
from rankbook.book.read.tops import CachedTop, advance, refresh
from rankbook.book.read.view import RankingView
from rankbook.forks import on_fork
from rankbook.model import Standings
from rankbook.rules import Bundle
from rankbook.store.base import Query, Store

Views = Callable[[Bundle, int], list[RankingView]]


class BundleReading(msgspec.Struct, frozen=True, kw_only=True):
    """The rankings of a bundle, read from one snapshot at one log position."""

    name: str
    position: int
    rankings: tuple[Standings, ...]


class _Kept(msgspec.Struct):
    """A reading, and what it was made from. Every `shown` ranking is right at the position of
    `fresh`."""

    reading: BundleReading
    views: Sequence[RankingView]
    shown: Sequence[CachedTop | None]
    fresh: Freshness


class BundleCache:
    """The last reading of each bundle. One thread at a time makes a new one; the others wait.

    A change in any of its rankings shows at the next read. Only rankings that have changed are read
    again, and only entries that have changed are decoded. A reading older than the bundle's maximum
    age is made again in any case. A repair by another process shows at once if the store counts its
    writes, and otherwise within a second.
    """

    def __init__(self, store: Store, views: Views, recent: StepHistory | None) -> None:
        """`recent` is told what this process publishes; None for a store of several positions."""
        self._store = store
        self._recent = recent
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
            kept = self._kept.get(bundle.name)
            if kept is None or not kept.fresh.lasts(now_us):
                return self._make(bundle, now_us)
            writes = kept.fresh.count_writes()
            if writes is None or writes != kept.fresh.writes:
                self._renew(bundle, kept, writes, now_us)
            return kept.reading

    def after_fork(self) -> None:
        """In a child: take new locks, because threads of the parent may hold the old ones."""
        self._locks = {}

    def forget(self) -> None:
        """Drop every reading, and keep none that has already begun, because its rankings may be
        gone."""
        self._forgotten += 1
        self._kept.clear()

    def _make(self, bundle: Bundle, now_us: int) -> BundleReading:
        """A new reading, in the current periods."""
        forgotten = self._forgotten
        views = self._views(bundle, now_us)
        fresh = Freshness(self._store, views, now_us, bundle.max_age_seconds or math.inf)
        nothing = BundleReading(name=bundle.name, position=0, rankings=())
        kept = _Kept(nothing, views, [None] * len(views), fresh)
        self._read(bundle, kept, kept.shown, True)
        self._kept[bundle.name] = kept
        if forgotten != self._forgotten:
            self._kept.pop(bundle.name, None)
        return kept.reading

    def _renew(self, bundle: Bundle, kept: _Kept, writes: int | None, now_us: int) -> None:
        """Update a reading. `writes` were counted before, so none is missed."""
        fresh = kept.fresh
        steps = [] if self._recent is None else self._recent.since(fresh.position)
        whole = fresh.may_miss_repair(now_us, writes, len(steps))
        shown = kept.shown
        followed = False
        if not whole and self._recent is not None:
            if steps:
                shown = self._followed(bundle, kept, steps)
            then = steps[-1].then if steps else fresh.position
            followed = None not in shown and (fresh.counts or self._store.position() == then)
            if followed:
                self._show(bundle, kept, shown, then)
        if not followed:
            self._read(bundle, kept, shown, whole)
        fresh.writes = writes
        if whole:
            fresh.read_us = now_us

    def _followed(
        self, bundle: Bundle, kept: _Kept, steps: Sequence[PublishedStep]
    ) -> list[CachedTop | None]:
        """The shown rankings after the published steps. None if they must be read."""
        return [
            None if last is None else advance(view, last, bundle.top, steps)
            for view, last in zip(kept.views, kept.shown, strict=True)
        ]

    def _read(
        self, bundle: Bundle, kept: _Kept, shown: Sequence[CachedTop | None], whole: bool
    ) -> None:
        """Read again the rankings that differ from what is `shown`. With `whole`, read
        everything."""
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
        """Make the reading of the shown rankings at a position, unless it is the last one."""
        for now, last in zip(shown, kept.shown, strict=True):
            if now is not last:
                found = [each.standings for each in shown if each is not None]
                kept.reading = read_bundle(bundle, position, found)
                break
        kept.shown, kept.fresh.position = shown, position


def read_bundle(bundle: Bundle, position: int, found: Sequence[Standings]) -> BundleReading:
    """The reading of a bundle from these standings at a position.

    It leaves out entries that the bundle does not show. The others keep their ranks.
    """
    if bundle.named_only:
        found = [
            msgspec.structs.replace(
                standings,
                entries=tuple([each for each in standings.entries if bundle.shows(each.profile)]),
            )
            for standings in found
        ]
    return BundleReading(name=bundle.name, position=position, rankings=tuple(found))
