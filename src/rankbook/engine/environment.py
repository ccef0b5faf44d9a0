"""One LMDB environment as the home of many RankSets: transactions, growth, durability.

Crash safety, snapshots and readers in other processes are LMDB's. This file adds what a book needs
around it: a map that grows by itself and never past the disk, commits without fsync with a sync
every few seconds, and a way to tell that the machine stopped uncleanly.

The map is written in place (MDB_WRITEMAP), so that a large transaction costs no private memory.
Space is allocated on disk before the map covers it: a full disk is an error at that point, with
the old state untouched, and never a fault on a mapped page.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import lmdb

from rankbook.engine.durability import Marker
from rankbook.engine.pages_cy import Cache, PageStore
from rankbook.engine.rankset import RankSet
from rankbook.errors import BookError, Corrupt, StoreError

FORMAT = 1
PAGE_BYTES = 4064
COMPACT_BYTES = 16384
DEMOTE_BYTES = 8192
CACHE_PAGES = 1024
FIRST_MAP_BYTES = 1 << 20
LARGEST_STEP = 64 << 20

T = TypeVar("T")


class Transaction:
    """A consistent view of every set; a writing one also changes them, all together or not at all.

    `put` and `get` keep small records (a position, a receipt) in the same transaction.
    """

    def __init__(self, environment: "Environment", handle: Any, *, writing: bool) -> None:
        self.environment = environment
        self.handle = handle
        self.writing = writing
        self.pages = PageStore(
            handle,
            environment.pages_db,
            environment.meta_db,
            environment.cache,
            writing=writing,
        )
        self.members_db = environment.members_db

    def rankset(self, name: bytes, key_bytes: int, group_bytes: int) -> RankSet:
        """The set of that name; empty where nobody wrote to it. Raises `Corrupt`."""
        return RankSet(self, name, key_bytes, group_bytes)

    def names(self) -> Iterator[tuple[bytes, int, int]]:
        """(name, key bytes, group bytes) of every set that has an entry, by stored name."""
        for filed, record in self.handle.cursor(self.environment.sets_db):
            yield RankSet.describe(filed, record)

    def get(self, key: bytes) -> bytes | None:
        """The small record under `key`."""
        found: bytes | None = self.handle.get(key, db=self.environment.meta_db)
        return found

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a small record under `key`."""
        self.handle.put(key, value, db=self.environment.meta_db)

    def set_record(self, filed: bytes) -> bytes | None:
        """A set's own record, as bytes."""
        found: bytes | None = self.handle.get(filed, db=self.environment.sets_db)
        return found

    def put_set_record(self, filed: bytes, record: bytes | None) -> None:
        """Keep or forget a set's own record."""
        if record is None:
            self.handle.delete(filed, db=self.environment.sets_db)
        else:
            self.handle.put(filed, record, db=self.environment.sets_db)


class Environment:
    """An open engine directory. Safe to use from many threads and processes.

    `page_bytes`, `compact_bytes`, `demote_bytes` and `cache_pages` are capacities; any of them may
    differ from one opening to the next. `durability` is "fast" (commit to the operating system,
    sync every `sync_seconds` and at close) or "full" (sync every commit).
    `unclean` says that the machine stopped without a clean close: `check` before trusting it.
    """

    def __init__(
        self,
        path: Path,
        *,
        create: bool = True,
        page_bytes: int = PAGE_BYTES,
        compact_bytes: int = COMPACT_BYTES,
        demote_bytes: int | None = None,
        cache_pages: int = CACHE_PAGES,
        durability: str = "fast",
        sync_seconds: float = 2.0,
    ) -> None:
        self.path = path
        self.page_bytes = page_bytes
        self.compact_bytes = compact_bytes
        self.demote_bytes = compact_bytes // 2 if demote_bytes is None else demote_bytes
        self.durability = durability
        self.sync_seconds = sync_seconds
        self.cache = Cache(cache_pages)
        self._gate = threading.Condition()
        self._inside = 0
        self._waiting = 0
        self._held = threading.local()
        self._writer = threading.Lock()
        self._closed = False
        self._synced_at = time.monotonic()
        self._dirty = False
        with _translated(path):
            self._open(create)

    # --- opening and closing ---------------------------------------------------------------------

    def _open(self, create: bool) -> None:
        data = self.path / "data.mdb"
        if not data.exists():
            if not create:
                raise BookError(f"no rankings in {self.path}")
            self.path.mkdir(parents=True, exist_ok=True)
        self._marker = Marker(self.path)
        size = max(FIRST_MAP_BYTES, data.stat().st_size if data.exists() else 0)
        self._lmdb = lmdb.open(
            os.fspath(self.path),
            map_size=size,
            max_dbs=4,
            max_readers=512,
            writemap=True,
            map_async=True,
            sync=False,
            metasync=False,
            readahead=False,
        )
        self._allocate(size)
        self.meta_db = self._lmdb.open_db(b"meta")
        self.sets_db = self._lmdb.open_db(b"sets")
        self.pages_db = self._lmdb.open_db(b"pages")
        self.members_db = self._lmdb.open_db(b"members")
        self._check_format()
        self.unclean = self._marker.enter()

    def _check_format(self) -> None:
        with self._lmdb.begin() as handle:
            found = handle.get(b"format", db=self.meta_db)
        if found is None:
            with self._lmdb.begin(write=True) as handle:
                handle.put(b"format", FORMAT.to_bytes(4, "big"), db=self.meta_db)
        elif int.from_bytes(found, "big") > FORMAT:
            raise BookError(
                f"{self.path} has format {int.from_bytes(found, 'big')}, newer than this "
                f"program's {FORMAT}: use a newer Rankbook"
            )

    def close(self) -> None:
        """Sync and close. Closing twice is harmless."""
        if self._closed:
            return
        with self._alone():
            self._closed = True
            self._lmdb.sync(True)
            self._marker.leave()
            self._lmdb.close()

    # --- transactions ----------------------------------------------------------------------------

    @contextmanager
    def view(self) -> Iterator[Transaction]:
        """A snapshot of everything, until the block ends."""
        with _translated(self.path), self._entered():
            handle = self._begin(write=False)
            try:
                yield Transaction(self, handle, writing=False)
            finally:
                handle.abort()

    def update(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a write transaction, and commit it; an exception leaves all as it was.

        `work` runs again from the start when the map had to grow, so it must change nothing else.
        """
        with _translated(self.path), self._writer:
            attempt = 0
            while True:
                try:
                    with self._entered():
                        result = self._attempt(work)
                    break
                except lmdb.MapFullError:
                    attempt += 1
                    self._grow(attempt)
            self._dirty = True
            self._sync_when_due()
            return result

    def _attempt(self, work: Callable[[Transaction], T]) -> T:
        handle = self._begin(write=True)
        try:
            transaction = Transaction(self, handle, writing=True)
            result = work(transaction)
            transaction.pages.finish()
            handle.commit()
        except BaseException:
            with suppress(lmdb.Error):
                handle.abort()
            self.cache.clear()
            raise
        transaction.pages.committed()
        return result

    def _begin(self, *, write: bool) -> Any:
        while True:
            try:
                return self._lmdb.begin(write=write)
            except lmdb.MapResizedError:
                self._leave()
                try:
                    with self._alone():
                        self._lmdb.set_mapsize(0)
                finally:
                    self._enter()

    # --- durability ------------------------------------------------------------------------------

    def sync(self) -> None:
        """Make every commit so far survive a power cut."""
        with _translated(self.path), self._entered():
            self._lmdb.sync(True)
        self._dirty = False
        self._synced_at = time.monotonic()

    def _sync_when_due(self) -> None:
        now = time.monotonic()
        if self.durability == "full" or now - self._synced_at >= self.sync_seconds:
            self.sync()

    # --- the map ---------------------------------------------------------------------------------

    def make_room(self, share: float = 0.25) -> None:
        """Grow until at least this share of the map is free, so that writers need not."""
        info = self._lmdb.info()
        used = (info["last_pgno"] + 1) * self._lmdb.stat()["psize"]
        if info["map_size"] - used < max(used * share, FIRST_MAP_BYTES):
            with _translated(self.path):
                self._grow(1)

    def _grow(self, attempt: int) -> None:
        size = self._lmdb.info()["map_size"]
        step = min(size, max(LARGEST_STEP, size // 8)) << (attempt - 1)
        with self._alone(), self._marker.growing():
            size = max(size + step, (self.path / "data.mdb").stat().st_size)
            self._allocate(size)
            self._lmdb.set_mapsize(size)

    def _allocate(self, size: int) -> None:
        descriptor = os.open(self.path / "data.mdb", os.O_RDWR)
        try:
            os.posix_fallocate(descriptor, 0, size)
        finally:
            os.close(descriptor)

    # A map may only grow while no transaction of this process is open.

    def _enter(self) -> None:
        held = getattr(self._held, "count", 0)
        with self._gate:
            while self._waiting and not held:
                self._gate.wait()
            if self._closed:
                raise StoreError(f"{self.path} is closed")
            self._inside += 1
        self._held.count = held + 1

    def _leave(self) -> None:
        self._held.count -= 1
        with self._gate:
            self._inside -= 1
            if self._inside == 0:
                self._gate.notify_all()

    @contextmanager
    def _entered(self) -> Iterator[None]:
        self._enter()
        try:
            yield
        finally:
            self._leave()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if getattr(self._held, "count", 0):
            raise StoreError(f"{self.path} cannot grow while this thread holds a snapshot of it")
        with self._gate:
            self._waiting += 1
            try:
                if not self._gate.wait_for(lambda: self._inside == 0, timeout=60):
                    raise StoreError(f"{self.path} cannot grow: a snapshot of it is held too long")
                yield
            finally:
                self._waiting -= 1
                self._gate.notify_all()


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """LMDB's and the system's errors as ours."""
    try:
        yield
    except lmdb.MapFullError:
        raise
    except (lmdb.CorruptedError, lmdb.PageNotFoundError, lmdb.InvalidError) as error:
        raise Corrupt(f"{path} is damaged: {error}") from error
    except lmdb.VersionMismatchError as error:
        raise BookError(f"{path} is of another LMDB format: {error}") from error
    except (lmdb.ReadonlyError, PermissionError) as error:
        raise BookError(f"{path} cannot be written: {error}") from error
    except lmdb.Error as error:
        raise StoreError(f"{path}: {error}") from error
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
