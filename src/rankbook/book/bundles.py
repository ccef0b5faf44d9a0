"""Bundles: several rankings read from one snapshot, and kept until one of them changes."""

import math
import threading
from collections.abc import Callable, Sequence

import msgspec

from rankbook.book.reading import RankingView, Shown
from rankbook.model import Standings
from rankbook.rules import Bundle
from rankbook.store.base import Query, Stamped, Store

Views = Callable[[Bundle, int], list[RankingView]]

# A repair changes rankings and not their versions: what may have been written to is read again as
# a whole this often.
WHOLE_US = 1_000_000


class BundleReading(msgspec.Struct, frozen=True, kw_only=True):
    """The rankings of a bundle, read from one snapshot at one log position."""

    name: str
    position: int
    rankings: tuple[Standings, ...]


class _Kept(msgspec.Struct):
    """A reading, and what it was made of: it is good while the rankings are these, from when it was
    made until the next of its periods begins, ends or closes. `whole_us` is when nothing was taken
    over from the one before."""

    reading: BundleReading
    views: Sequence[RankingView]
    shown: Sequence[Shown | None]
    stamp: int
    made_us: int
    until_us: float
    whole_us: int


class BundleCache:
    """The last reading of each bundle. One thread at a time makes a new one; the others wait.

    A change in any of its rankings shows at the next read, and nothing is read again for nothing:
    rankings that have not changed are not, and of the others only entries that have. A reading
    older than the bundle's maximum age is made again in any case. What another process repaired
    shows within a second.
    """

    def __init__(self, store: Store, views: Views) -> None:
        self._store = store
        self._stamp = store.stamp if isinstance(store, Stamped) else store.position
        self._views = views
        self._kept: dict[str, _Kept] = {}
        self._forgotten = 0
        self._locks: dict[str, threading.Lock] = {}

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
        kept = _Kept(nothing, views, [None] * len(views), stamp, now_us, until_us, now_us)
        self._renew(bundle, kept, stamp, now_us)
        self._kept[bundle.name] = kept
        if forgotten != self._forgotten:
            self._kept.pop(bundle.name, None)
        return kept.reading

    def _renew(self, bundle: Bundle, kept: _Kept, stamp: int, now_us: int) -> None:
        """Read again what has changed. `stamp` is from before, so that no write is missed."""
        whole = now_us >= kept.whole_us + WHOLE_US
        queries: list[Query] = [
            view.top_query(bundle.top, None if whole else shown)
            for view, shown in zip(kept.views, kept.shown, strict=True)
        ]
        reading = self._store.read(queries)
        shown = [
            view.shown(answer, last, whole=whole)
            for view, answer, last in zip(kept.views, reading.answers, kept.shown, strict=True)
        ]
        same = all(now is last for now, last in zip(shown, kept.shown, strict=True))
        if not same:
            rankings = tuple([_chosen(bundle, each.standings) for each in shown])
            kept.reading = BundleReading(
                name=bundle.name, position=reading.position, rankings=rankings
            )
        kept.shown, kept.stamp = shown, stamp
        if whole:
            kept.whole_us = now_us


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


def _chosen(bundle: Bundle, standings: Standings) -> Standings:
    """Without the entries that the bundle does not show: the others keep their ranks."""
    if not bundle.named_only:
        return standings
    shown = tuple([each for each in standings.entries if bundle.shows(each.profile)])
    return msgspec.structs.replace(standings, entries=shown)
