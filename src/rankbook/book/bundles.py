"""Bundles: several rankings read from one snapshot, and kept until one of them changes."""

import math
import threading
from collections.abc import Callable, Sequence

import msgspec

from rankbook.book import state
from rankbook.book.reading import RankingView
from rankbook.model import Standings
from rankbook.rules import Bundle
from rankbook.store.base import ByPosition, Query, Store

Views = Callable[[Bundle, int], list[RankingView]]


class BundleReading(msgspec.Struct, frozen=True, kw_only=True):
    """The rankings of a bundle, read from one snapshot at one log position."""

    name: str
    position: int
    rankings: tuple[Standings, ...]


class _Kept(msgspec.Struct):
    """A reading, and what it was made of: it is good while the rankings' versions are these, from
    when it was made until the next of its periods begins, ends or closes."""

    reading: BundleReading
    views: Sequence[RankingView]
    versions: tuple[int, ...]
    position: int
    made_us: int
    until_us: float


class BundleCache:
    """The last reading of each bundle. One thread at a time makes a new one; the others wait.

    A change in any of its rankings shows at the next read, and nothing is read again for nothing.
    A reading older than the bundle's maximum age is made again in any case.
    """

    def __init__(self, store: Store, views: Views) -> None:
        self._store = store
        self._views = views
        self._kept: dict[str, _Kept] = {}
        self._forgotten = 0
        self._locks: dict[str, threading.Lock] = {}

    def read(self, bundle: Bundle, now_us: int) -> BundleReading:
        """The bundle in its current periods."""
        with self._locks.setdefault(bundle.name, threading.Lock()):
            kept = self._kept.get(bundle.name)
            if kept is None or not kept.made_us <= now_us < kept.until_us:
                return self._make(bundle, now_us)
            if self._store.position() == kept.position or self._same(kept):
                return kept.reading
            return self._make(bundle, now_us)

    def forget(self) -> None:
        """Drop every reading, and keep none that has begun: what it shows may be no more."""
        self._forgotten += 1
        self._kept.clear()

    def _same(self, kept: _Kept) -> bool:
        reading = self._store.read(_version_queries(kept.views))
        if tuple([answer.version for answer in reading.answers]) != kept.versions:
            return False
        kept.position = reading.position
        return True

    def _make(self, bundle: Bundle, now_us: int) -> BundleReading:
        forgotten = self._forgotten
        views = self._views(bundle, now_us)
        queries = [view.top_query(bundle.top) for view in views]
        reading = self._store.read([*queries, *_version_queries(views)])
        found = [
            view.standings(answer) for view, answer in zip(views, reading.answers, strict=False)
        ]
        found = [_shown(bundle, standings) for standings in found]
        made = BundleReading(name=bundle.name, position=reading.position, rankings=tuple(found))
        versions = tuple([answer.version for answer in reading.answers[len(queries) :]])
        until_us = min([_boundary(view, now_us) for view in views])
        if bundle.max_age_seconds:
            until_us = min(until_us, now_us + bundle.max_age_seconds * 1_000_000)
        kept = _Kept(made, views, versions, reading.position, now_us, until_us)
        self._kept[bundle.name] = kept
        if forgotten != self._forgotten:
            self._kept.pop(bundle.name, None)
        return made


def _boundary(view: RankingView, now_us: int) -> float:
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


def _version_queries(views: Sequence[RankingView]) -> list[Query]:
    queries: list[Query] = [ByPosition(view.id, 0, 0) for view in views]
    if any(view.beside is not None for view in views):
        queries.append(ByPosition(state.PROFILES, 0, 0))
    return queries


def _shown(bundle: Bundle, standings: Standings) -> Standings:
    """Without the entries that the bundle does not show: the others keep their ranks."""
    if not bundle.named_only:
        return standings
    shown = tuple([each for each in standings.entries if bundle.shows(each.profile)])
    return msgspec.structs.replace(standings, entries=shown)
