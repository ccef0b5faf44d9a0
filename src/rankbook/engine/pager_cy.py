# cython: language_level=3
"""Where a transaction's tree pages come from and go to: LMDB, behind a bounded cache."""

import threading
from itertools import islice
from typing import Any

try:
    import cython
except ModuleNotFoundError:
    from rankbook.engine import cython  # type: ignore[no-redef]

from rankbook.engine.page_cy import sound
from rankbook.errors import Corrupt

COMPILED = bool(cython.compiled)

FLUSH_PAGES = 256


@cython.cclass
class Cache:
    """Pages of one committed state, at most `limit` of them, the oldest out first.

    The state is named by its LMDB transaction id. A view of an older state neither reads nor
    fills the cache; a newer id that this process did not write drops it.
    """

    limit: cython.Py_ssize_t
    state: cython.longlong
    pages: dict[int, bytes]
    _lock: Any

    def __init__(self, limit: cython.Py_ssize_t) -> None:
        self.limit = limit
        self.pages = {}
        self.state = -1
        self._lock = threading.Lock()

    def held(self) -> int:
        """How many pages are here."""
        return len(self.pages)

    def limit_pages(self) -> int:
        """How many there may be."""
        return self.limit

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self.pages.clear()
            self.state = -1

    @cython.ccall
    def seen(self, state: cython.longlong) -> None:
        """A transaction on this state has begun."""
        if state > self.state:
            with self._lock:
                if state > self.state:
                    self.pages.clear()
                    self.state = state

    @cython.ccall
    def get(self, state: cython.longlong, page_id: int) -> bytes | None:
        """The page as it is in `state`, if it is here.

        The state is compared after the look-up: pages of a later state only come in after it
        moved on.
        """
        page = self.pages.get(page_id)
        return page if self.state == state else None

    @cython.ccall
    def keep(self, state: cython.longlong, page_id: int, page: bytes) -> None:
        """Remember a page of `state`."""
        with self._lock:
            if self.state != state:
                return
            if len(self.pages) >= self.limit:
                for oldest in list(islice(self.pages, self.limit // 8 + 1)):
                    del self.pages[oldest]
            self.pages[page_id] = page

    def moved_on(self, state: int, changed: set[int]) -> None:
        """`state` was committed by this process; it differs from the one before in `changed`."""
        with self._lock:
            if self.state != state - 1:
                self.pages.clear()
            elif len(changed) < len(self.pages):
                for page_id in changed:
                    self.pages.pop(page_id, None)
            else:
                for page_id in changed.intersection(self.pages):
                    del self.pages[page_id]
            self.state = state


@cython.cclass
class PageStore:
    """The pager of one transaction.

    A writing one stands on the state before it, and does not fill the cache: a large batch would
    only wash it out.
    """

    _handle: Any
    _pages_db: Any
    _meta_db: Any
    _cache: Cache
    _writing: cython.bint
    _state: cython.longlong
    _dirty: dict[int, bytes]
    _changed: set[int]
    _next: cython.longlong
    wrote = cython.declare(cython.bint, visibility="public")

    def __init__(
        self, handle: Any, pages_db: Any, meta_db: Any, cache: Cache, writing: bool
    ) -> None:
        self._handle = handle
        self._pages_db = pages_db
        self._meta_db = meta_db
        self._cache = cache
        self._writing = writing
        self._state = handle.id() - 1 if writing else handle.id()
        cache.seen(self._state)
        self._next = 0
        self.wrote = False
        if writing:
            self._dirty = {}
            self._changed = set()

    @cython.ccall
    def load(self, page_id: int) -> bytes:
        """The page, its CRC verified. Raises `Corrupt`."""
        page: bytes | None
        if self._writing and page_id in self._changed:
            page = self._dirty.get(page_id)
            return self._fetch(page_id) if page is None else page
        page = self._cache.get(self._state, page_id)
        if page is None:
            page = self._fetch(page_id)
            if not self._writing:
                self._cache.keep(self._state, page_id, page)
        return page

    @cython.cfunc
    def _fetch(self, page_id: int) -> bytes:
        page: bytes | None = self._handle.get(page_id.to_bytes(8, "big"), None, self._pages_db)
        if page is None:
            raise Corrupt(f"page {page_id} is missing")
        if not sound(page):
            raise Corrupt(f"page {page_id} fails its checksum")
        return page

    def save(self, page_id: int, page: bytes) -> None:
        """Keep the page; it reaches LMDB with its neighbours."""
        self._dirty[page_id] = page
        self._changed.add(page_id)
        if len(self._dirty) >= FLUSH_PAGES:
            self._flush()

    def create(self) -> int:
        """An id that no page has had."""
        if self._next == 0:
            found = self._handle.get(b"next_page", db=self._meta_db)
            self._next = int.from_bytes(found, "big") if found else 1
        self._next += 1
        return self._next - 1

    def discard(self, page_id: int) -> None:
        """Forget the page."""
        self._dirty.pop(page_id, None)
        self._changed.add(page_id)
        self._handle.delete(page_id.to_bytes(8, "big"), db=self._pages_db)

    def finish(self) -> None:
        """Hand everything to LMDB, before the commit."""
        self._flush()
        if self._next:
            self._handle.put(b"next_page", self._next.to_bytes(8, "big"), db=self._meta_db)

    def committed(self) -> None:
        """The transaction is in: the cache moves on with it, where it wrote anything. LMDB gives
        one that did not no id."""
        if self.wrote or self._changed:
            self._cache.moved_on(self._state + 1, self._changed)

    def _flush(self) -> None:
        if self._dirty:
            items = [(i.to_bytes(8, "big"), page) for i, page in sorted(self._dirty.items())]
            with self._handle.cursor(self._pages_db) as cursor:
                cursor.putmulti(items)
            self._dirty = {}
