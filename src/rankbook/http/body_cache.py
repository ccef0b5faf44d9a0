"""BodyCache kept by the versions of the rankings they render, their ETags, and who may keep them.

The version of a ranking is the log position of the last step that changed it. A body is good
while its rankings' versions are what they were, until a period of it begins, ends or closes; so a
hit costs one look at whether anything was written, and a change is visible at once.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from threading import Lock

import msgspec

from rankbook.book import RankingView, state
from rankbook.book.book import Clock
from rankbook.book.read.bundles import boundary
from rankbook.forks import on_fork
from rankbook.store.base import ByPosition, Counted, Query, Stamped, Store

MAX_BODIES = 2000
MAX_BYTES = 32 << 20
CHANGING = "no-cache"
NOSNIFF = (b"x-content-type-options", b"nosniff")
# A repair changes rankings and not their versions: while anything is written, or may be, a body is
# made anew this often all the same.
TRUSTED_US = 1_000_000

encoder = msgspec.json.Encoder(decimal_format="number")


class Content(msgspec.Struct):
    """What a read shows. `sealed` says that its period was asked for by name and takes no more
    results, `exact` that the same versions give the same bytes, and `max_age_seconds` when it is
    to be made again though nothing has changed."""

    value: object
    sealed: bool = False
    exact: bool = True
    max_age_seconds: float = math.inf


FindViews = Callable[[], list[RankingView]]
Render = Callable[[list[RankingView]], Content]


class CachedBody(msgspec.Struct):
    """A body with its headers, and when it is good."""

    body: bytes
    etag: bytes
    headers: list[tuple[bytes, bytes]]
    full_headers: list[tuple[bytes, bytes]]
    views: Sequence[RankingView]
    whole: bool
    versions: tuple[int, ...]
    position: int
    stamp: int
    made_us: int
    until_us: float
    again: Callable[[], "CachedBody"]
    route: str


class BodyCache:
    """The bodies of a service that were asked for last, within bounds of number and size."""

    def __init__(
        self, store: Store, clock: Clock, *, epoch: str, sealed_seconds: int, private: bool
    ) -> None:
        """`epoch` is what bodies depend on besides versions: the specification and the program."""
        self._store = store
        self._stamp = store.stamp if isinstance(store, Stamped) else store.position
        self._counted = isinstance(store, Counted)
        self._clock = clock
        self._epoch = epoch
        self._sealed_seconds = sealed_seconds
        self._scope = "private" if private else "public"
        self._kept: OrderedDict[object, CachedBody] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        on_fork(self)

    def after_fork(self) -> None:
        """In a child: the lock may be held by a thread that is not there."""
        self._lock = Lock()

    def get(self, key: object) -> CachedBody | None:
        """The body under a key as it is now, made anew where a ranking has changed.

        None where it was not asked for lately, or is of the whole store and something was written:
        that may take long to make. Raises what reading raises.
        """
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                return None
            self._kept.move_to_end(key)
        if self._is_valid(kept):
            return kept
        return None if kept.whole else self._keep(key, kept.again())

    def get_or_make(
        self, key: object, views: FindViews, render: Render, *, whole: bool = False, route: str = ""
    ) -> CachedBody:
        """The body under a key, made if need be: `render` reads the views that `views` finds.

        It is good while these views are what they were, and with `whole` only while nothing is
        written at all. `route` is what it is counted under.
        """
        return self.get(key) or self._keep(key, self._made(views, render, whole, route))

    def _is_valid(self, kept: CachedBody) -> bool:
        now_us = self._clock()
        if not kept.made_us <= now_us < kept.until_us:
            return False
        stamp = self._stamp()
        if self._counted and stamp == kept.stamp:
            return True
        if now_us >= kept.made_us + TRUSTED_US:
            return False
        if stamp == kept.stamp:
            return True
        if kept.whole:
            return False
        if kept.views:
            position, versions = self._versions(kept.views)
            if versions != kept.versions:
                return False
            if self._counted and position == kept.position:
                return False  # it was no fold that wrote: rankings may have been repaired
            kept.position = position
        kept.stamp = stamp
        return True

    def _versions(self, views: Sequence[RankingView]) -> tuple[int, tuple[int, ...]]:
        """The position, and the versions of what the views render."""
        reading = self._store.read(_queries(views))
        return reading.position, tuple([answer.version for answer in reading.answers])

    def _made(self, views: FindViews, render: Render, whole: bool, route: str) -> CachedBody:
        """Versions are read before what they are of: a body is never older than its tag."""
        now_us, stamp = self._clock(), self._stamp()
        found = views()
        position, versions = self._versions(found)
        shown = render(found)
        body = encoder.encode(shown.value)
        etag = (
            _tag(() if whole else _shown_by(found, versions), body)
            if shown.exact
            else b"W/" + self._by_versions(found, _shown_by(found, versions))
        )
        ends = [boundary(view, now_us) for view in found]
        headers = [(b"etag", etag), (b"cache-control", self._cache_control(shown.sealed))]
        return CachedBody(
            body=body,
            etag=etag,
            headers=headers,
            full_headers=[*headers, *_of_body(body)],
            views=found,
            whole=whole,
            versions=versions,
            position=position,
            stamp=stamp,
            made_us=now_us,
            until_us=min([now_us + shown.max_age_seconds * 1e6, *ends]),
            again=lambda: self._made(views, render, whole, route),
            route=route,
        )

    def _by_versions(self, views: Sequence[RankingView], versions: Sequence[int]) -> bytes:
        """A tag that does not depend on the bytes, but on whatever they render."""
        parts = [self._epoch, *map(str, versions)]
        parts += [f"{view.ranking.name} {view.period().sealed}" for view in views]
        return _tag(versions, "\n".join(parts).encode())

    def _cache_control(self, sealed: bool) -> bytes:
        if sealed:
            return f"{self._scope}, max-age={self._sealed_seconds}, immutable".encode()
        return f"{self._scope}, {CHANGING}".encode()

    def _keep(self, key: object, kept: CachedBody) -> CachedBody:
        if len(kept.body) > MAX_BYTES // 8:
            return kept
        with self._lock:
            gone = self._kept.pop(key, None)
            self._kept[key] = kept
            self._bytes += len(kept.body) - (0 if gone is None else len(gone.body))
            while len(self._kept) > MAX_BODIES or self._bytes > MAX_BYTES:
                _key, gone = self._kept.popitem(last=False)
                self._bytes -= len(gone.body)
        return kept


def matches(header: bytes, etag: bytes) -> bool:
    """Whether an If-None-Match names this tag: one of a list, weak or not, or `*`."""
    if header == etag:
        return True
    given = [each.strip().removeprefix(b"W/") for each in header.split(b",")]
    return etag.removeprefix(b"W/") in given or b"*" in given


def _tag(versions: Sequence[int], content: bytes) -> bytes:
    """The newest version, and a digest."""
    digest = blake2b(content, digest_size=8).hexdigest()
    return f'"{max(versions, default=0)}-{digest}"'.encode()


def _of_body(body: bytes) -> list[tuple[bytes, bytes]]:
    length = str(len(body)).encode()
    return [(b"content-type", b"application/json"), NOSNIFF, (b"content-length", length)]


def _queries(views: Sequence[RankingView]) -> list[Query]:
    queries: list[Query] = [ByPosition(view.id, 0, 0) for view in views]
    if any(view.beside is not None for view in views):
        queries.append(ByPosition(state.PROFILES, 0, 0))
    if _may_be_sealed(views):
        queries.append(ByPosition(state.SEALS, 0, 0))  # says who may keep a body, not what it shows
    return queries


def _may_be_sealed(views: Sequence[RankingView]) -> bool:
    return any(view.rules.board.seal for view in views)


def _shown_by(views: Sequence[RankingView], versions: Sequence[int]) -> Sequence[int]:
    """The versions of what a body shows."""
    return versions[:-1] if _may_be_sealed(views) else versions
