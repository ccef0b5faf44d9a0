"""The log on PostgreSQL: durable at return, for many processes, and for callers' transactions.

**Order.** Events of concurrent transactions become visible in another order than they were written.
So only the holder of one lock gives events a place in the log (`seq`), and it keeps the lock until
its commit is visible. So a process that gives the next place has seen all earlier ones, and so has
every reader that sees it. An earlier event never appears later. `record` gives its events their
places as it writes them, in one commit. If another process holds the lock, it writes them without a
place. So it does in a caller's transaction, which may stay open for long. Once that transaction has
committed, whoever reads, finds or records next gives them their places, by one more write. An open
transaction therefore delays nobody. If one transaction committed before another began to write, its
events come first.

**Low.** Events that wait for a place stand in an index. Their dead entries stay there until
PostgreSQL cleans up, and any long transaction delays that. Each answer therefore says below which
transaction nothing waits and nothing can come, and the next question starts there. After a lost
connection it starts from the beginning: the server may have been restored, with other numbers.

**Waking.** Transactions that notify commit one after the other, in the whole cluster. So a writer
notifies only while a follower waits. It knows this from a lock that followers share.

**Lost connections.** Every call but recording may simply be repeated. To repeat a recording, the
log asks for the ids. It does not write known events again. If a server process without a client is
still writing them, it waits for that process.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import Any, Self, TypeVar

from psycopg import Connection, Error, OperationalError, ProgrammingError, ServerCursor, connect
from psycopg.errors import DeadlockDetected, LockNotAvailable, SerializationFailure
from psycopg.pq import TransactionStatus
from psycopg.rows import tuple_row

from rankbook.errors import BookError, ConfigError, LogError, SpecError
from rankbook.log.base import Draft, Recorded, Recording
from rankbook.log.postgres.batch import Batch, find
from rankbook.log.postgres.pool import Pool
from rankbook.log.postgres.schema import ask, ask_one, ensure_schema, explain, place, session, sql
from rankbook.log.records import all_recorded, can_be_kept, intact, recorded, streamed
from rankbook.uris import covered, leaks

LOCK_TIMEOUT_MS = 10_000
CONNECTIONS = 10
ATTEMPTS = 3
CHUNK = 500
PLACES = 1000
POLL_SECONDS = 0.5

T = TypeVar("T")


class PostgresLog:
    """The `Log` and `Waits` protocols on a PostgreSQL database."""

    def __init__(self, where: str, pool: Pool) -> None:
        self._where = where
        self._pool = pool
        self._low = "0"

    @classmethod
    def open(
        cls,
        uri: str,
        *,
        create: bool = True,
        lock_timeout_ms: int = LOCK_TIMEOUT_MS,
        connections: int = CONNECTIONS,
    ) -> Self:
        """Open the log in the database that `uri` names; with `create` its tables are made.

        `lock_timeout_ms` is how long a write waits for other transactions. `connections` is how
        many may be open at once. Raises `SpecError` for a malformed URI. Raises `BookError` if
        there is no log to open: unreachable, refused, missing, or newer than this program.
        """
        try:
            where = place(uri)
        except ProgrammingError as error:
            raise _no_uri(error, uri) from None
        pool = Pool(
            where,
            lambda: session(uri, lock_timeout_ms),
            most=connections,
            wait_seconds=lock_timeout_ms / 1000,
        )
        try:
            with pool.connection() as connection:
                ensure_schema(connection, where, create=create)
        except Error as error:
            pool.close()
            raise _unopened(f"the log {where}", error, uri) from _cause(error, uri)
        except BaseException:
            pool.close()
            raise
        return cls(where, pool)

    def record(self, drafts: Sequence[Draft]) -> Recording:
        """Append in one transaction; see `Log.record`. One commit; two if others record too.

        After a lost connection, another one asks for the ids. If none can be made, the `LogError`
        says that the outcome is not known.
        """
        if not drafts:
            return Recording([], 0)
        batch = Batch(drafts)
        lost = False

        def attempt(connection: Connection) -> Recording:
            nonlocal lost
            try:
                return self._record(connection, batch, again=lost)
            except OperationalError:
                lost = lost or connection.broken
                raise

        try:
            return self._run(attempt)
        except LogError as error:
            if not lost:
                raise
            raise LogError(f"{error}; whether the events were recorded is not known") from error

    def read(self, after: int, limit: int) -> list[Recorded]:
        """See `Log.read`. O(log events + limit), and a commit if events waited for a place."""
        return self._run(lambda connection: self._read(connection, after, limit))

    def find(self, ids: Sequence[str]) -> list[Recorded | None]:
        """See `Log.find`. O(ids x log events), and a commit where one waited for its place."""
        asked = list(filter(can_be_kept, ids))
        known = self._run(lambda connection: self._placed(connection, asked)) if asked else {}
        return [known.get(id) for id in ids]

    def of_player(self, player: str, until: int) -> Iterator[Recorded]:
        """See `Log.of_player`. Streams: a chunk of events is in memory, no snapshot is held."""
        if not can_be_kept(player):
            return iter(())
        self.read(until - 1, 1)  # so that whatever counts up to `until` has its place
        values = {"player": player, "until": until, "limit": CHUNK}

        def page(after: int) -> list[Recorded]:
            return self._run(
                lambda connection: [
                    recorded(row)
                    for row in ask(connection, sql.player_events.sql, values | {"after": after})
                ]
            )

        return streamed(page)

    def erase(self, until: int) -> int:
        """See `Log.erase`. PostgreSQL's VACUUM removes the old bytes from its files."""

        def attempt(connection: Connection) -> int:
            with connection.transaction():
                rows = ask(connection, sql.to_forget.sql, {"until": until}).fetchall()
                named = intact([recorded(row) for row in rows])
                for event in named:
                    values = {"player": event.player, "until": event.seq}
                    ask(connection, sql.erase_player.sql, values)
            return len(named)

        return self._run(attempt)

    def head(self) -> int:
        """See `Log.head`. O(1 + events that wait for a place); nothing is written."""
        return self._run(self._head)

    def wait(self, after: int, seconds: float) -> bool:
        """See `Waits.wait`. A notification wakes it. It also looks twice a second, because a writer
        that wrote before it listened notifies nobody."""
        until = monotonic() + seconds

        def attempt(connection: Connection) -> bool:
            connection.execute(sql.listen.sql.encode())
            try:
                found = self._heard(connection, after, until)
            except BaseException:
                connection.close()
                raise
            connection.execute(sql.unlisten.sql.encode())
            return found

        return self._run(attempt)

    def close(self) -> None:
        """See `Log.close`. A running call ends by itself."""
        self._pool.close()

    # --- on a connection -------------------------------------------------------------------------

    def _run(self, work: Callable[[Connection], T]) -> T:
        """Run `work` on a connection. Repeats it if the connection was lost, or if PostgreSQL asks
        for a retry."""
        with usable(self._where):
            for attempt in range(1, ATTEMPTS + 1):
                with self._pool.connection() as connection:
                    try:
                        return work(connection)
                    except OperationalError as error:
                        if attempt == ATTEMPTS or not (
                            connection.broken
                            or isinstance(error, SerializationFailure | DeadlockDetected)
                        ):
                            raise
                        if connection.broken:
                            self._pool.clear()
                            self._low = "0"
        raise AssertionError("the last attempt returns or raises")

    def _record(self, connection: Connection, batch: Batch, *, again: bool) -> Recording:
        try:
            written = batch.write(connection, at_once=True, since=self._low)
        except LockNotAvailable:
            written = batch.write(connection, at_once=False, since=self._low)
        self._low = written.low or self._low
        if written.first_seq is not None and written.fresh == len(batch.each):
            return Recording(batch.placed(written.first_seq), written.fresh)
        if written.first_seq is None:
            self._place(connection)
        known = self._placed(connection, list(batch.each))
        new = written.fresh
        if again:
            # A lost attempt may have written some of them: those have the times of our drafts.
            new = sum(known[id][4:6] == draft[3:5] for id, draft in batch.each.items())
        return Recording([known[draft.id] for draft in batch.drafts], new)

    def _read(self, connection: Connection, after: int, limit: int) -> list[Recorded]:
        events, some_wait = self._page(connection, after, limit)
        while some_wait and len(events) < limit:
            some_wait = self._place(connection) == PLACES
            last = events[-1].seq if events else after
            events += self._page(connection, last, limit - len(events))[0]
        return events

    def _page(self, connection: Connection, after: int, limit: int) -> tuple[list[Recorded], bool]:
        """Events that have places, and whether others wait for one."""
        values = {"since": self._low, "after": after, "limit": limit}
        rows = ask(connection, sql.read_events.sql, values).fetchall()
        low = rows[0][-1]
        self._low = low or self._low
        events = all_recorded([row[:-1] for row in rows if row[0] is not None], after)
        return events, low is None

    def _placed(self, connection: Connection, ids: Sequence[str]) -> dict[str, Recorded]:
        """The known events among `ids`, each in its place."""
        known = find(connection, ids)
        while any(event.seq == 0 for event in known.values()):
            self._place(connection)
            known = find(connection, ids)
        return known

    def _place(self, connection: Connection) -> int:
        """Give places to waiting events. Returns how many got one.

        If events waited but none was found, there are two possible reasons: another process was
        faster, or they were copied from another server, whose transactions `low` does not know.
        """
        values = {"since": self._low, "most": PLACES}
        placed, low = ask_one(connection, sql.place.sql, values)
        self._low = low if placed else "0"
        return int(placed)

    def _head(self, connection: Connection) -> int:
        head, low = ask_one(connection, sql.head.sql, {"since": self._low})
        self._low = low or self._low
        return int(head)

    def _heard(self, connection: Connection, after: int, until: float) -> bool:
        while self._head(connection) <= after:
            left = until - monotonic()
            if left <= 0 or self._pool.closed:
                return False
            for _notify in connection.notifies(timeout=min(left, POLL_SECONDS), stop_after=1):
                pass
        return True


def record_in(connection: Connection[Any], drafts: Sequence[Draft]) -> Recording:
    """Record inside the transaction that the caller has open in the log's own database (an outbox).

    The events become durable, and readable, with the caller's commit, or vanish with its rollback.
    This commits nothing, and makes other transactions wait only if they record the same id. The
    events have seq 0, because they get their places after the commit. Raises `EventConflict`,
    having written nothing. Raises `LogError` if PostgreSQL refuses, which ends the transaction, and
    `ValueError` if the connection commits every statement by itself.
    """
    if connection.autocommit and connection.info.transaction_status == TransactionStatus.IDLE:
        raise ValueError("record_in needs an open transaction; begin one with transaction()")
    if not drafts:
        return Recording([], 0)
    batch = Batch(drafts)
    with usable("in the caller's connection"):
        written = batch.write(connection, at_once=False, since="0")
        if written.fresh == len(batch.each):
            return Recording(batch.waiting(), written.fresh)
        known = find(connection, list(batch.each))
        return Recording([known[draft.id] for draft in drafts], written.fresh)


def schema_of(uri: str) -> int:
    """The number of the log's tables in a database. Changes nothing.

    Raises `BookError`, and `SpecError` for a malformed URI.
    """
    try:
        where = place(uri)
        connection = session(uri, LOCK_TIMEOUT_MS)
        try:
            [found] = ask_one(connection, sql.has_schema.sql)
            if not found:
                raise BookError(f"there is no log in {where}")
            [number] = ask_one(connection, sql.schema_number.sql)
            return int(number)
        finally:
            connection.close()
    except ProgrammingError as error:
        raise _no_uri(error, uri) from None
    except Error as error:
        raise _unopened(f"the log {where}", error, uri) from _cause(error, uri)


@contextmanager
def rows(uri: str, query: str) -> Iterator[tuple[list[str], Iterator[tuple[Any, ...]]]]:
    """The column names of a query in any database, and its rows, a batch at a time.

    The query cannot write. Raises `BookError` for a database that cannot be reached, `ConfigError`
    at "sql" for a wrong query, and `LogError` if reading fails later.
    """
    try:
        connection = connect(uri)
    except Error as error:
        raise _unopened("the database", error, uri) from _cause(error, uri)
    try:
        connection.read_only = True
        with ServerCursor(connection, "rankbook_rows", row_factory=tuple_row) as cursor:
            cursor.itersize = PLACES
            try:
                cursor.execute(query.encode())
            except Error as error:
                raise ConfigError("sql", f"cannot be run: {explain(error)}") from error
            with usable("of the rows"):
                yield [column.name for column in cursor.description or ()], iter(cursor)
    finally:
        connection.close()


@contextmanager
def usable(where: str) -> Iterator[None]:
    """The one place where PostgreSQL's errors become ours."""
    try:
        yield
    except Error as error:
        raise LogError(f"the log {where} cannot be used: {explain(error)}") from error


def _no_uri(error: Error, uri: str) -> SpecError:
    return SpecError("book.log", f"is no PostgreSQL URI: {covered(explain(error), uri)}")


def _unopened(what: str, error: Error, uri: str) -> BookError:
    return BookError(f"{what} cannot be opened: {covered(explain(error), uri)}")


def _cause(error: Error, uri: str) -> Error | None:
    """The error to be shown as the cause; none where it repeats a secret of the URI."""
    return None if leaks(str(error), uri) else error
