"""The log on SQLite: one file, durable at return, for several threads and processes at once.

**Order.** If many writers draw from one sequence, its numbers can become visible out of order: 11
commits, is read, and then 10 commits. SQLite has one writer at a time. `BEGIN IMMEDIATE` takes the
write lock before a seq is given, and keeps it until the commit. So the writer of seq 11 has seen 10
committed or rolled back, and no reader sees an earlier event appear later. The same holds for
`record_in`, whose first INSERT needs the lock. SQLite refuses it with BUSY if anybody has written
since the transaction's snapshot.

**Connections.** A log has two: one writes and one reads, each behind its own lock. So a reader
never waits for a writer's fsync, the number of open files does not grow with threads, and `close`
closes everything at a known moment. Writers of one process queue at the lock, and those of other
processes at SQLite's busy timeout.
"""

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from math import ceil
from pathlib import Path
from threading import Lock
from time import sleep
from typing import Any, Self

from rankbook.errors import BookError, ConfigError, Corrupt, LogError
from rankbook.forks import keep, on_fork
from rankbook.log.base import Draft, Recorded, Recording
from rankbook.log.records import (
    all_recorded,
    can_be_kept,
    check_same,
    checksum,
    distinct,
    intact,
    recorded,
    streamed,
)
from rankbook.log.sqlite.check import Gaps, quick_faults, thorough_faults
from rankbook.log.sqlite.schema import connect, ensure_schema, explain, sql, transaction
from rankbook.uris import shown

BUSY_TIMEOUT_MS = 10_000
CHUNK = 500
POLL_SECONDS = 0.05
COPY_PAGES = 1000


class SqliteLog:
    """The `Log` and `Waits` protocols on a SQLite file; `pause` takes seconds."""

    def __init__(
        self,
        path: Path,
        writer: sqlite3.Connection,
        reader: sqlite3.Connection,
        pause: Callable[[float], object] = sleep,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
    ) -> None:
        self._path = path
        self._pause = pause
        self._busy_timeout_ms = busy_timeout_ms
        self._writer: sqlite3.Connection | None = writer
        self._reader: sqlite3.Connection | None = reader
        self._connecting = Lock()
        self._write_lock = Lock()
        self._read_lock = Lock()
        self._closed = False
        self._gaps = Gaps()
        on_fork(self)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        create: bool = True,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        pause: Callable[[float], object] = sleep,
    ) -> Self:
        """Open the log at `path`; with `create` a missing file and its folders are made.

        `busy_timeout_ms` is how long a write waits for other processes. Raises `BookError` if there
        is no log to open: missing, not a database, newer than this program, or read-only.
        """
        if not create and not path.is_file():
            raise BookError(f"there is no log at {path}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            writer = connect(path, create=create, busy_timeout_ms=busy_timeout_ms)
            try:
                ensure_schema(writer, path, create=create)
                reader = connect(path, create=False, busy_timeout_ms=busy_timeout_ms)
            except BaseException:
                writer.close()
                raise
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise BookError(f"the log {path} cannot be opened: {explain(error)}") from error
        except OSError as error:
            raise BookError(f"the log {path} cannot be opened: {error}") from error
        return cls(path, writer, reader, pause, busy_timeout_ms)

    def record(self, drafts: Sequence[Draft]) -> Recording:
        """Append in one transaction; see `Log.record`. One fsync, O(drafts x log events)."""
        if not drafts:
            return Recording([], 0)
        with _usable(self._path), self._write_lock:
            writer = self._writer or self._reopened()[0]
            with transaction(writer):
                return _write(writer, drafts)

    def read(self, after: int, limit: int) -> list[Recorded]:
        """See `Log.read`. O(log events + limit)."""
        with self._reading() as connection:
            rows = _rows(connection, sql.read_events, after=after, limit=limit)
            events = all_recorded(rows, after)
            if events and events[-1].seq != after + len(events):
                self._gaps.explain(connection, _first_missing(events, after))
            return events

    def find(self, ids: Sequence[str]) -> list[Recorded | None]:
        """See `Log.find`. O(ids x log events)."""
        with self._reading() as connection:
            known = _find(connection, list(filter(can_be_kept, ids)))
        return [known.get(id) for id in ids]

    def of_player(self, player: str, until: int) -> Iterator[Recorded]:
        """See `Log.of_player`. Streams: a chunk of events is in memory, no snapshot is held."""
        if not can_be_kept(player):
            return iter(())
        return streamed(lambda after: self._of_player(player, after, until))

    def erase(self, until: int) -> int:
        """See `Log.erase`. The old bytes disappear from the file and its WAL."""
        with self._reading() as connection:
            if not _to_forget(connection, until):
                return 0
        with _usable(self._path), self._write_lock:
            writer = self._writer or self._reopened()[0]
            with transaction(writer):
                named = _to_forget(writer, until)
                for event in named:
                    sql.erase_player(writer, player=event.player, until=event.seq)
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return len(named)

    def head(self) -> int:
        """See `Log.head`. O(1)."""
        with self._reading() as connection:
            head, given = sql.head(connection)
            if head != given:
                self._gaps.explain(connection, head + 1)
        return int(head)

    def wait(self, after: int, seconds: float) -> bool:
        """See `Waits.wait`. SQLite notifies nobody, so this looks every 50 ms; a look takes 5
        us."""
        for _look in range(ceil(seconds / POLL_SECONDS)):
            if self.head() > after:
                return True
            self._pause(POLL_SECONDS)
        return self.head() > after

    @property
    def path(self) -> Path:
        """See `Portable.path`."""
        return self._path

    def faults(self, *, thorough: bool = False) -> list[str]:
        """See `Checkable.faults`. Reads and writes may go on meanwhile."""
        check = thorough_faults if thorough else quick_faults
        with _usable(self._path):
            connection = connect(self._path, create=False, busy_timeout_ms=BUSY_TIMEOUT_MS)
            try:
                return check(connection)
            finally:
                connection.close()

    def copy(self, path: Path, progress: Callable[[int], None]) -> int:
        """See `Portable.copy`. Writers may go on: the copy has the state at its start."""
        with _usable(self._path):
            source = connect(self._path, create=False, busy_timeout_ms=BUSY_TIMEOUT_MS)
            try:
                source.execute("BEGIN")
                head = int(sql.head(source)[0])
                _copy(source, path, progress)
            finally:
                source.close()
        return head

    def close(self) -> None:
        """See `Log.close`. Waits for a running call; the last close merges the WAL into the
        file."""
        with _usable(self._path), self._write_lock, self._read_lock:
            self._closed = True
            for connection in (self._reader, self._writer):
                if connection is not None:
                    connection.close()

    def _of_player(self, player: str, after: int, until: int) -> list[Recorded]:
        with self._reading() as connection:
            wanted = {"player": player, "after": after, "until": until, "limit": CHUNK}
            rows = _rows(connection, sql.player_events, **wanted)
            return [recorded(row) for row in rows]

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with _usable(self._path), self._read_lock:
            yield self._reader or self._reopened()[1]

    def after_fork(self) -> None:
        """In a child: connect again at the next use, because SQLite's connections cannot be
        inherited."""
        if self._closed:
            return
        keep((self._writer, self._reader))
        self._writer = self._reader = None
        self._write_lock, self._read_lock, self._connecting = Lock(), Lock(), Lock()

    def _reopened(self) -> tuple[sqlite3.Connection, sqlite3.Connection]:
        """The writer and the reader of this process. After a fork, the first use makes new ones."""
        with self._connecting:
            if self._writer is None or self._reader is None:
                self._writer, self._reader = [
                    connect(self._path, create=False, busy_timeout_ms=self._busy_timeout_ms)
                    for _ in range(2)
                ]
            return self._writer, self._reader


def schema_of(path: Path) -> int:
    """The number of the log's tables at `path`. Changes nothing. Raises `BookError`."""
    if not path.is_file():
        raise BookError(f"there is no log at {path}")
    try:
        connection = connect(path, create=False, busy_timeout_ms=BUSY_TIMEOUT_MS)
        try:
            return int(sql.schema_number(connection))
        finally:
            connection.close()
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise BookError(f"the log {path} cannot be opened: {explain(error)}") from error


@contextmanager
def rows(path: Path, query: str) -> Iterator[tuple[list[str], Iterator[tuple[Any, ...]]]]:
    """The column names of a query in any SQLite file, and its rows, one after the other.

    The query cannot write. Raises `BookError` if there is no such file, `ConfigError` at "sql" for
    a wrong query, and `LogError` if reading fails later.
    """
    if not path.is_file():
        raise BookError(f"there is no database at {shown(str(path))}")
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        try:
            cursor = connection.execute(query)
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise ConfigError("sql", f"cannot be run: {error}") from error
        if cursor.description is None:
            raise ConfigError("sql", "gives no rows")
        with _usable(path):
            yield [column[0] for column in cursor.description], cursor
    finally:
        connection.close()


def record_in(connection: sqlite3.Connection, drafts: Sequence[Draft]) -> Recording:
    """Record inside the transaction that the caller has open in the log's own database (an outbox).

    The events become durable, and readable, with the caller's commit, or vanish with its rollback.
    This commits nothing. Raises `EventConflict`, having written nothing, `LogError` if SQLite
    refuses, and `ValueError` if no transaction is open. SQLite may refuse a deferred transaction
    with BUSY if others write: begin with BEGIN IMMEDIATE.
    """
    if not connection.in_transaction:
        raise ValueError("record_in needs an open transaction; begin one with BEGIN IMMEDIATE")
    with _usable("in the caller's connection"):
        return _write(connection, drafts)


def _copy(source: sqlite3.Connection, path: Path, progress: Callable[[int], None]) -> None:
    """Copy with SQLite's own backup, within the open read transaction, so that it never starts
    over."""
    (page_bytes,) = source.execute("PRAGMA page_size").fetchone()
    copied = 0

    def told(_status: int, left: int, total: int) -> None:
        nonlocal copied
        progress((total - left - copied) * page_bytes)
        copied = total - left

    target = sqlite3.connect(path)
    try:
        target.execute("PRAGMA synchronous = OFF")
        source.backup(target, pages=COPY_PAGES, progress=told)
    finally:
        target.close()


def _write(connection: sqlite3.Connection, drafts: Sequence[Draft]) -> Recording:
    """Decide, then insert: after a conflict nothing has been written."""
    each = distinct(drafts)
    known = _find(connection, list(each))
    for id, first in known.items():
        check_same(first, each[id])
    head, seq = _cursor(connection).execute(sql.head.sql).fetchone()
    if head > seq:
        raise Corrupt(f"the log has position {head}, and only those up to {seq} were given")
    new = [draft for draft in each.values() if draft.id not in known]
    fresh = [Recorded(number, *draft) for number, draft in enumerate(new, seq + 1)]
    if fresh:
        rows = [(*event[:7], checksum(draft)) for event, draft in zip(fresh, new, strict=True)]
        sql.insert_events(connection, rows)
        known.update({event.id: event for event in fresh})
    return Recording([known[draft.id] for draft in drafts], len(fresh))


def _first_missing(events: Sequence[Recorded], after: int) -> int:
    """The first missing position among these events."""
    for expected, event in enumerate(events, after + 1):
        if event.seq != expected:
            return expected
    return after + len(events) + 1


def _find(connection: sqlite3.Connection, ids: Sequence[str]) -> dict[str, Recorded]:
    """The known events among `ids`, in chunks, because SQLite limits the parameters of a query."""
    known = {}
    for start in range(0, len(ids), CHUNK):
        chunk = ids[start : start + CHUNK]
        for row in _rows(connection, _find_rows, ids=chunk):
            event = recorded(row)
            known[event.id] = event
    return known


def _find_rows(connection: sqlite3.Connection, ids: Sequence[str]) -> Iterable[tuple[Any, ...]]:
    return _cursor(connection).execute(_find_sql(len(ids)), ids)


def _to_forget(connection: sqlite3.Connection, until: int) -> list[Recorded]:
    """The undamaged forget events."""
    return intact([recorded(row) for row in _rows(connection, sql.to_forget, until=until)])


def _rows(
    connection: sqlite3.Connection, ask: Callable[..., Iterable[tuple[Any, ...]]], **wanted: Any
) -> list[tuple[Any, ...]]:
    """The rows of a query. If a text was damaged beyond UTF-8, marks replace its bytes."""
    own = connection.text_factory
    connection.text_factory = str
    try:
        return list(ask(connection, **wanted))
    except sqlite3.OperationalError as error:
        if not str(error).startswith("Could not decode to UTF-8"):
            raise
        connection.text_factory = _lenient
        return list(ask(connection, **wanted))
    finally:
        connection.text_factory = own


def _lenient(text: bytes) -> str:
    return text.decode(errors="replace")


def _cursor(connection: sqlite3.Connection) -> sqlite3.Cursor:
    """A cursor that gives tuples, whatever row factory a caller's connection has."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor


@cache
def _find_sql(marks: int) -> str:
    text: str = sql.find.sql
    return text.replace(":ids", ", ".join("?" * marks))


class _usable:
    """The one place where SQLite's errors become ours."""

    __slots__ = ("_where",)

    def __init__(self, where: Path | str) -> None:
        self._where = where

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.Error | UnicodeDecodeError):  # a damaged error message
            raise LogError(f"the log {self._where} cannot be used: {explain(error)}") from error
