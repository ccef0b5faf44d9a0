"""Opening a SQLite file as a log: connections, durability, and the numbered form of the tables."""

import sqlite3
from pathlib import Path
from struct import error as StructError
from typing import Any

from rankbook.log import statements
from rankbook.log.records import checksum_of

DIALECT = "sqlite"
SWITCH_ATTEMPTS = 100

sql = statements.queries(DIALECT, "sqlite3")


def explain(error: sqlite3.Error | UnicodeDecodeError) -> str:
    """The error in one line, after SQLite's own name for it, if it has one."""
    name = getattr(error, "sqlite_errorname", "")
    return f"{error} ({name})" if name else str(error)


def connect(path: Path, *, create: bool, busy_timeout_ms: int) -> sqlite3.Connection:
    """A connection that commits durably: WAL, synchronous=FULL, explicit transactions.

    Any thread may use the connection, one at a time. If the file is no log, or a newer one, it is
    left unchanged. Raises `sqlite3.Error` and what `ensure_schema` raises.
    """
    mode = "rwc" if create else "rw"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=busy_timeout_ms / 1000,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        add_functions(connection)
        _known(connection, path, create=create)
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def add_functions(connection: sqlite3.Connection) -> None:
    """Give a connection the function that migrations and erasing call: `rankbook_checksum`."""
    connection.create_function("rankbook_checksum", 6, _checksum, deterministic=True)


def _checksum(*columns: Any) -> bytes:
    """The checksum of a row, or nothing if the row is too damaged to have one."""
    try:
        return checksum_of(*columns)
    except (TypeError, StructError):
        return b""


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switch the file to WAL, which it then keeps.

    At this switch SQLite does not wait for other openers: it says BUSY at once. An empty write
    transaction does wait for them, so each attempt begins with one.
    """
    for _ in range(SWITCH_ATTEMPTS):
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        else:
            if mode != "wal":
                raise sqlite3.OperationalError(f"it cannot keep a write-ahead log here ({mode})")
            return
        with transaction(connection):
            pass
    raise sqlite3.OperationalError("it stayed locked while switching to a write-ahead log")


class transaction:
    """One write transaction: the write lock from the start, all or nothing at the end."""

    __slots__ = ("_connection",)

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            if error is None:
                self._connection.execute("COMMIT")
        except BaseException:
            self._take_back()
            raise
        if error is not None:
            self._take_back()

    def _take_back(self) -> None:
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")


def ensure_schema(connection: sqlite3.Connection, path: Path, *, create: bool) -> None:
    """Migrate the tables to the newest number, in one transaction. Several processes may try at
    once.

    Raises `BookError` for a newer number than this program knows. Without `create` it also raises
    `BookError` for a database that holds no log.
    """
    if _known(connection, path, create=create) == newest():
        return
    with transaction(connection):
        number = _known(connection, path, create=create)
        for script in statements.upgrade(DIALECT, number):
            run(connection, script)
        sql.forget_schema_number(connection)
        sql.set_schema_number(connection, number=newest())


def newest() -> int:
    """The schema number this program writes."""
    return statements.newest(DIALECT)


def run(connection: sqlite3.Connection, script: str) -> None:
    """Run a script inside the open transaction (`executescript` would commit it first)."""
    for statement in statements.split(script):
        connection.execute(statement)


def _known(connection: sqlite3.Connection, path: Path, *, create: bool) -> int:
    number = int(sql.schema_number(connection) or 0) if sql.has_schema(connection) else 0
    return statements.check_number(DIALECT, number, path, create=create)
