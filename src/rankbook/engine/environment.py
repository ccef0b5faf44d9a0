"""One LMDB environment as the home of many RankSets: transactions, growth, durability.

LMDB gives crash safety, snapshots, and readers in other processes. This file adds what a book needs
around it: a map that grows by itself but never past the disk, commits without fsync but with a sync
every few seconds, and a mark that tells whether the machine stopped uncleanly.

The map is written in place (MDB_WRITEMAP), so a large transaction costs no private memory. Space is
allocated on disk before the map covers it. So a full disk is an error at that point, with the old
state untouched, and never a fault on a mapped page.
"""

import os
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, TypeVar

import lmdb

from rankbook.engine.durability import Marker
from rankbook.engine.failures import translated
from rankbook.engine.locks import WriteLock
from rankbook.engine.readers import Reader, parse
from rankbook.engine.record_store import Resources
from rankbook.engine.transaction import Transaction
from rankbook.errors import BookError, StoreError
from rankbook.forks import on_fork

FORMAT = 1
PAGE_BYTES = 4064
COMPACT_BYTES = 16384
CACHE_PAGES = 1024
SYNC_SECONDS = 5.0
PATIENCE_SECONDS = 10.0
LARGEST_PAGE = 65_535  # offsets in a page have 16 bits
PAGE = 4096
FIRST_MAP_BYTES = 1 << 20
LARGEST_STEP = 64 << 20

T = TypeVar("T")

_shared: "dict[Path, Environment]" = {}


class Environment:
    """An open engine directory. Safe to use from many threads and processes.

    `page_bytes`, `compact_bytes`, `demote_bytes` and `cache_pages` are capacities; any of them may
    differ from one opening to the next. `durability` is "fast" (commit to the operating system,
    sync within `sync_seconds` and at close) or "full" (sync every commit). A write waits at most
    `patience_seconds` for other writers.
    Only one that is `watched` leaves a mark while it is open. `unclean` says that the machine
    stopped without a clean close: `check` before trusting it.

    LMDB lets a process open a directory once: `share` gives everyone in it the same one.
    """

    _sharing = threading.Lock()

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
        sync_seconds: float = SYNC_SECONDS,
        patience_seconds: float = PATIENCE_SECONDS,
        watched: bool = True,
    ) -> None:
        if not 1 <= page_bytes <= LARGEST_PAGE:
            raise ValueError(f"page_bytes is {page_bytes}; it may be 1 to {LARGEST_PAGE}")
        self.path = path
        self.durability = durability
        self.sync_seconds = sync_seconds
        demote_bytes = compact_bytes // 2 if demote_bytes is None else demote_bytes
        self._capacities = (page_bytes, compact_bytes, demote_bytes, cache_pages)
        self._watched = watched
        self._patience_seconds = patience_seconds
        self.resources = Resources(path, *self._capacities)
        self.gate = self.resources.gate
        self._users = 1
        self._timer: threading.Timer | None = None
        self._sync_failure: StoreError | None = None
        with translated(path, system=True):
            self._open(create)
        on_fork(self)

    # --- opening and closing ---------------------------------------------------------------------

    @classmethod
    def share(cls, path: Path, **parameters: Any) -> "Environment":
        """The environment that this process already has open there, or a new one with these
        parameters.

        Undo each call by one `close`. Raises as the constructor does.
        """
        place = path.resolve()
        with cls._sharing:
            found = _shared.get(place)
            if found is not None and not found.gate.closed:
                found._users += 1
                return found
            made = _shared[place] = cls(path, **parameters)
            return made

    def _open(self, create: bool) -> None:
        data = self.path / "data.mdb"
        if not data.exists():
            if not create:
                raise BookError(f"no rankings in {self.path}")
            self.path.mkdir(parents=True, exist_ok=True)
        with ExitStack() as opened:
            self._lock = WriteLock(self.path, self._patience_seconds)
            opened.callback(self._lock.close)
            self._marker = Marker(self.path, self._watched, self._patience_seconds)
            opened.callback(self._marker.close)
            self._open_map(data)
            opened.callback(self._lmdb.close)
            self._lmdb.reader_check()
            with self._lock.held():
                self.resources.open(self._lmdb)
                self._check_format()
            self.unclean = self._marker.enter()
            opened.pop_all()

    def _open_map(self, data: Path) -> None:
        with self._marker.growing():
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
                max_spare_txns=0,  # a child that closes would free the parent's spare one
            )
            try:
                self._allocate(size)
            except BaseException:
                self._lmdb.close()
                raise

    def after_fork(self) -> None:
        """In a child: open the directory again at the next use."""
        Environment._sharing = threading.Lock()
        if self.gate.closed:
            return
        self._timer = None
        self._lock.drop()
        self._marker.close()
        self.resources = Resources(self.path, *self._capacities)
        self.gate = self.resources.gate
        self.gate.block(self._reopen)

    def _reopen(self) -> None:
        with translated(self.path, system=True):
            self._lmdb.close()
            self._open(False)

    def _check_format(self) -> None:
        with self._lmdb.begin() as handle:
            found = handle.get(b"format", db=self.resources.meta_db)
        if found is None:
            with self._lmdb.begin(write=True) as handle:
                handle.put(b"format", FORMAT.to_bytes(4, "big"), db=self.resources.meta_db)
        elif int.from_bytes(found, "big") > FORMAT:
            raise BookError(
                f"{self.path} has format {int.from_bytes(found, 'big')}, newer than this "
                f"program's {FORMAT}: use a newer Rankbook"
            )

    def close(self) -> None:
        """Sync and close, once everyone who shares it has closed it. Closing twice is harmless."""
        with self._sharing:
            if self.gate.closed:
                return
            self._users -= 1
            if self._users:
                return
            self._close()

    def _close(self) -> None:
        if self.gate.blocked:  # inherited, and never used in this child
            self._lmdb.close()
            self.gate.shut()
            return
        with translated(self.path, system=True), self.gate.alone(closing=True):
            if self._timer is not None:
                self._timer.cancel()
            self._lmdb.sync(True)
            self._marker.leave()
            self._lmdb.close()
        self._lock.close()

    def replace(self, directory: Path) -> None:
        """Serve the `data.mdb` of another directory, which nobody has open. It is moved here.

        The old file is kept as `damaged.mdb`. Raises `StoreError` while other processes have it
        open, and while this thread reads it.
        """
        data = self.path / "data.mdb"
        with (
            translated(self.path, system=True),
            self._lock.held(),
            self.gate.alone(),
            self._marker.sole(),
        ):
            self._lmdb.close()
            try:
                data.replace(self.path / "damaged.mdb")
                (directory / "data.mdb").replace(data)
            finally:
                self._open_map(data)
                self.resources.open(self._lmdb)
                self.resources.cache.clear()

    # --- transactions ----------------------------------------------------------------------------

    def view(self) -> Transaction:
        """A snapshot of everything; use it in a `with` block, which ends it."""
        self.gate.enter()
        try:
            return Transaction(self.resources, self._begin(False), False)
        except BaseException:
            self.gate.leave()
            raise

    def update(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a write transaction, and commit it. If `work` raises, nothing changes.

        `work` runs again from the start if the map had to grow, so it must change nothing else. If
        a sync in the background failed since the last call, that error is raised first. Raises
        `StoreDown` if others write for longer than `patience_seconds`.
        """
        with self.gate.inside():
            pass  # a forked child opens its own first
        with translated(self.path), self._lock.held():
            failure, self._sync_failure = self._sync_failure, None
            if failure is not None:
                raise failure
            attempt = grown = 0
            while True:
                self.gate.enter()
                try:
                    result = self._attempt(work)
                    break
                except lmdb.MapFullError:
                    # What dead readers kept may be room enough.
                    attempt += not self._lmdb.reader_check()
                finally:
                    self.gate.leave()
                if attempt > grown:
                    self._grow(attempt)
                    grown = attempt
            self._sync_later()
            return result

    def _attempt(self, work: Callable[[Transaction], T]) -> T:
        handle = self._begin(True)
        self.resources.expected_bytes = 0
        try:
            transaction = Transaction(self.resources, handle, True)
            result = work(transaction)
            transaction.pages.finish()
            handle.commit()
        except BaseException:
            with suppress(lmdb.Error):
                handle.abort()
            raise
        transaction.pages.committed()
        return result

    def _begin(self, write: bool) -> Any:
        """A transaction of LMDB's, on a map as large as other processes have made it."""
        while True:
            try:
                return self._lmdb.begin(write=write)
            except lmdb.MapResizedError:
                self.gate.leave()
                try:
                    self._adopt()
                finally:
                    self.gate.enter()

    def _adopt(self) -> None:
        """Map what another process has added. The size is the file's, because LMDB would cut off
        what was allocated beyond the size that it knows."""
        with self.gate.alone(), self._marker.growing():
            self._lmdb.set_mapsize((self.path / "data.mdb").stat().st_size)

    # --- durability ------------------------------------------------------------------------------

    def sync(self) -> None:
        """Make every commit so far survive a power cut."""
        with translated(self.path), self.gate.inside():
            self._lmdb.sync(True)

    def _sync_later(self) -> None:
        if self.durability == "full":
            self._lmdb.sync(True)
        elif self._timer is None:
            self._timer = threading.Timer(self.sync_seconds, self._sync_now)
            self._timer.daemon = True
            self._timer.start()

    def _sync_now(self) -> None:
        """Runs in the timer's thread. The next writer raises a failure."""
        self._timer = None
        try:
            self.forget_dead_readers()
            self.sync()
        except StoreError as error:
            self._sync_failure = None if self.gate.closed else error

    def copy(self, directory: Path) -> None:
        """Write one snapshot, without free pages, as `data.mdb` into a directory.

        First makes room, so that writers can go on.
        """
        self.make_room()
        with translated(self.path, system=True):
            while not self._copied(directory):
                self._adopt()

    def _copied(self, directory: Path) -> bool:
        """Copy, if the map is as large as other processes have made it. Returns whether it was."""
        self.gate.enter()
        try:
            self._lmdb.copy(os.fspath(directory), compact=True)
        except lmdb.MapResizedError:
            (directory / "data.mdb").unlink(missing_ok=True)
            return False
        finally:
            self.gate.leave()
        return True

    def stamp(self) -> int:
        """The number of the last transaction committed by any process. O(1), no snapshot."""
        self.gate.enter()
        try:
            handle = self._begin(False)
            number: int = handle.id()
            handle.abort()
            return number
        finally:
            self.gate.leave()

    # --- readers ---------------------------------------------------------------------------------

    def readers(self) -> list[Reader]:
        """The snapshots that processes hold now, the oldest first."""
        with translated(self.path), self.gate.inside():
            return parse(self._lmdb.readers(), self._lmdb.info()["last_txnid"])

    def forget_dead_readers(self) -> int:
        """Free the snapshots of processes that were killed while they read. Returns how many."""
        with translated(self.path), self.gate.inside():
            found: int = self._lmdb.reader_check()
            return found

    # --- the map ---------------------------------------------------------------------------------

    def sizes(self) -> dict[str, int]:
        """The bytes of the file, and the bytes up to the last page that was ever used."""
        with self.gate.inside():
            info, page = self._lmdb.info(), self._lmdb.stat()["psize"]
        return {"file_bytes": info["map_size"], "used_bytes": (info["last_pgno"] + 1) * page}

    def make_room(self, share: float = 0.25) -> None:
        """Grow until at least this share of the map is free, so that writers need not."""
        sizes = self.sizes()
        used = sizes["used_bytes"]
        if sizes["file_bytes"] - used < max(used * share, FIRST_MAP_BYTES):
            self._grow(1)

    def _grow(self, attempt: int) -> None:
        size = self._lmdb.info()["map_size"]
        step = min(size, max(LARGEST_STEP, size // 8)) << (attempt - 1)
        step = max(step, PAGE * (3 * self.resources.expected_bytes // PAGE))
        data = self.path / "data.mdb"
        with translated(self.path, system=True):
            with self._marker.growing():
                size = max(size + step, data.stat().st_size)
                self._allocate(size)
            with self.gate.alone(), self._marker.growing():
                self._lmdb.set_mapsize(max(size, data.stat().st_size))

    def _allocate(self, size: int) -> None:
        descriptor = os.open(self.path / "data.mdb", os.O_RDWR)
        try:
            os.posix_fallocate(descriptor, 0, size)
        finally:
            os.close(descriptor)
