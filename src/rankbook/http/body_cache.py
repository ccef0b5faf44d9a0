"""Bodies of reads, kept while the rankings in them are unchanged, with their ETags and
Cache-Control.

A hit asks once whether anything was written, and a change is visible at once. `Freshness` says when
a body must be made again.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from threading import Lock

import msgspec

from rankbook.book import Clock, Freshness, RankingView
from rankbook.forks import on_fork
from rankbook.store import Store

MAX_BODIES = 2000
MAX_BYTES = 32 << 20
CHANGING = "no-cache"
NOSNIFF = (b"x-content-type-options", b"nosniff")

encoder = msgspec.json.Encoder(decimal_format="number")


class Content(msgspec.Struct):
    """The content of a read, and how it may be kept.

    `sealed`: the request named its period, which takes no more results. `exact`: the same versions
    give the same bytes. After `max_age_seconds` it is made again even if nothing has changed.
    """

    value: object
    sealed: bool = False
    exact: bool = True
    max_age_seconds: float = math.inf


FindViews = Callable[[], list[RankingView]]
Render = Callable[[list[RankingView]], Content]


class CachedBody(msgspec.Struct):
    """A body with its headers, its freshness, and a function that makes it `again`.

    A `whole` body shows parts of the whole store, so any write may change it.
    """

    body: bytes
    etag: bytes
    headers: list[tuple[bytes, bytes]]
    full_headers: list[tuple[bytes, bytes]]
    fresh: Freshness
    whole: bool
    again: Callable[[], "CachedBody"]
    route: str


class BodyCache:
    """The bodies of a service that were used last, within bounds of number and size."""

    def __init__(
        self, store: Store, clock: Clock, *, epoch: str, sealed_seconds: int, private: bool
    ) -> None:
        """`epoch` stands for what bodies depend on besides versions: the specification and the
        program."""
        self._store = store
        self._clock = clock
        self._epoch = epoch
        self._sealed_seconds = sealed_seconds
        self._scope = "private" if private else "public"
        self._bodies: OrderedDict[object, CachedBody] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        on_fork(self)

    def after_fork(self) -> None:
        """In a child: take a new lock, because a thread of the parent may hold the old one."""
        self._lock = Lock()

    def get(self, key: object) -> CachedBody | None:
        """The current body under a key. It is made again if a ranking has changed.

        None if there is none. Also None for a `whole` body after a write, because it may take long
        to make. Raises what reading raises.
        """
        with self._lock:
            found = self._bodies.get(key)
            if found is None:
                return None
            self._bodies.move_to_end(key)
        if found.fresh.holds(self._clock(), whole=found.whole):
            return found
        return None if found.whole else self._keep(key, found.again())

    def get_or_make(
        self,
        key: object,
        find_views: FindViews,
        render: Render,
        *,
        whole: bool = False,
        route: str = "",
    ) -> CachedBody:
        """The body under a key, made if necessary: `render` reads the views that are found.

        The body is kept while these views are unchanged; with `whole`, while nothing is written at
        all. `route` is the name under which metrics count it.
        """
        return self.get(key) or self._keep(key, self._make(find_views, render, whole, route))

    def _make(self, find_views: FindViews, render: Render, whole: bool, route: str) -> CachedBody:
        """Read the versions first and the content after them, so no body is older than its tag."""
        now_us = self._clock()
        views = find_views()
        fresh = Freshness(self._store, views, now_us)
        shown = fresh.read_versions().shown
        content = render(views)
        fresh.until_us = min(fresh.until_us, now_us + content.max_age_seconds * 1e6)
        body = encoder.encode(content.value)
        if content.exact:
            etag = _tag(() if whole else shown, body)
        else:
            etag = b"W/" + self._tag_by_versions(views, shown)
        headers = [(b"etag", etag), (b"cache-control", self._cache_control(content.sealed))]
        return CachedBody(
            body=body,
            etag=etag,
            headers=headers,
            full_headers=[*headers, *_of_body(body)],
            fresh=fresh,
            whole=whole,
            again=lambda: self._make(find_views, render, whole, route),
            route=route,
        )

    def _tag_by_versions(self, views: Sequence[RankingView], versions: Sequence[int]) -> bytes:
        """A tag made from versions instead of bytes."""
        parts = [self._epoch, *map(str, versions)]
        parts += [f"{view.ranking.name} {view.period().sealed}" for view in views]
        return _tag(versions, "\n".join(parts).encode())

    def _cache_control(self, sealed: bool) -> bytes:
        if sealed:
            return f"{self._scope}, max-age={self._sealed_seconds}, immutable".encode()
        return f"{self._scope}, {CHANGING}".encode()

    def _keep(self, key: object, body: CachedBody) -> CachedBody:
        if len(body.body) > MAX_BYTES // 8:
            return body
        with self._lock:
            gone = self._bodies.pop(key, None)
            self._bodies[key] = body
            self._bytes += len(body.body) - (0 if gone is None else len(gone.body))
            while len(self._bodies) > MAX_BODIES or self._bytes > MAX_BYTES:
                _key, gone = self._bodies.popitem(last=False)
                self._bytes -= len(gone.body)
        return body


def matches(header: bytes, etag: bytes) -> bool:
    """Whether an If-None-Match names this tag: one of a list, weak or not, or `*`."""
    if header == etag:
        return True
    given = [each.strip().removeprefix(b"W/") for each in header.split(b",")]
    return etag.removeprefix(b"W/") in given or b"*" in given


def _tag(versions: Sequence[int], content: bytes) -> bytes:
    """An ETag: the newest version, and a digest."""
    digest = blake2b(content, digest_size=8).hexdigest()
    return f'"{max(versions, default=0)}-{digest}"'.encode()


def _of_body(body: bytes) -> list[tuple[bytes, bytes]]:
    length = str(len(body)).encode()
    return [(b"content-type", b"application/json"), NOSNIFF, (b"content-length", length)]
