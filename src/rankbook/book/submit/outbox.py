"""The outbox: events recorded inside a transaction that the caller has open.

The application's own row and the event commit together, or vanish together. Nothing is ranked
meanwhile, so trouble with the rankings cannot fail the caller's transaction. The next fold ranks
what was committed.
"""

import inspect
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from rankbook.errors import BookError, ConfigError, LogError
from rankbook.log.base import Draft, Recording

FIELD = "connection"
LAYERS = 8


class RecordIn(Protocol):
    """How a log records in a caller's transaction: its `record_in`."""

    def __call__(self, connection: Any, drafts: Sequence[Draft]) -> Recording:
        """Append in the transaction. Raises `EventConflict`, `LogError`, and `ValueError` if no
        transaction is open."""
        ...


class Outbox(NamedTuple):
    """Writes the log of one book within a caller's transaction.

    `driver` is the class of connections that it takes. `place` raises `ConfigError` for a
    connection to another database.
    """

    driver: str
    load: Callable[[], RecordIn]
    place: Callable[[Any], None]

    def record(self, given: object, drafts: Sequence[Draft]) -> Recording:
        """Record in the transaction that is open on `given`, or on the connection inside it.

        Raises `ConfigError` if there is no connection of this log's driver, if it leads to another
        database, or if it has no transaction. Also raises what `RecordIn` raises.
        """
        connection = unwrapped(given, self.driver)
        self.place(connection)
        try:
            return self.load()(connection, drafts)
        except ValueError as error:
            raise ConfigError(FIELD, _no_transaction(error)) from error


def outbox(uri: str, directory: Path | None) -> Outbox | None:
    """The outbox of the log that `uri` names, for a book in `directory`. None if that log has
    none."""
    scheme, _, rest = uri.partition(":")
    if scheme == "sqlite":
        path = None if directory is None else directory / (rest or "log.sqlite")
        return Outbox("sqlite3.Connection", _sqlite, lambda given: _same_file(given, path))
    if scheme == "postgresql":
        return Outbox("psycopg.Connection", _postgresql, lambda given: _same_server(given, uri))
    return None


def unwrapped(given: object, driver: str) -> Any:
    """The driver's own connection inside a SQLAlchemy session or connection, or Django's wrapper.

    It is found by its shape: an object that is no connection of the driver is asked for one, by an
    attribute, or by a call if it is a session. Raises `ConfigError`.
    """
    found: Any = given
    for _layer in range(LAYERS):
        if driver in [f"{each.__module__}.{each.__qualname__}" for each in type(found).__mro__]:
            return found
        inner = getattr(found, "driver_connection", None)
        if inner is None:
            inner = getattr(found, "connection", None)
            inner = inner() if inspect.isroutine(inner) else inner
        if inspect.iscoroutine(inner):
            inner.close()
            break
        if inner is None:
            break
        found = inner
    kind = f"{type(given).__module__}.{type(given).__qualname__}"
    raise ConfigError(FIELD, f"is a {kind}; this log needs a {driver}, or what wraps an open one")


def _no_transaction(error: ValueError) -> str:
    return f"has no transaction open, so nothing was recorded ({error})"


def _sqlite() -> RecordIn:
    from rankbook.log.sqlite.log import record_in

    return record_in


def _postgresql() -> RecordIn:
    try:
        from rankbook.log.postgres.log import record_in
    except ImportError as error:
        raise BookError("a log in PostgreSQL needs psycopg") from error
    return record_in


def _same_file(connection: Any, path: Path | None) -> None:
    """Raises `ConfigError` unless the connection's main database is the log's file."""
    try:
        if not connection.in_transaction or path is None:
            return
        cursor = connection.cursor()
        cursor.row_factory = None
        [file] = [each[2] for each in cursor.execute("PRAGMA database_list") if each[1] == "main"]
    except Exception as error:  # The driver's, which is imported in log/ only.
        raise LogError(f"the caller's connection cannot be used: {error}") from error
    if not file or not (path.exists() and os.path.samefile(file, path)):
        raise ConfigError(
            FIELD, f"is to {file or 'a database without a file'}; the log is in {path}"
        )


def _same_server(connection: Any, uri: str) -> None:
    """Raises `ConfigError` for another database of the server that the URI names.

    If the server has another name, this cannot tell. But a database without a log fails by itself.
    """
    if connection.closed:
        return
    named, there = urlsplit(uri), connection.info
    database = named.path.lstrip("/")
    here = (named.hostname, named.port or 5432)
    if database and here == (there.host, there.port) and database != there.dbname:
        raise ConfigError(FIELD, f"is to the database {there.dbname!r}; the log is in {database!r}")
