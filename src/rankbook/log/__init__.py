"""The event log: it records every event once, durably. `open_log` chooses one by URI."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any

from rankbook.errors import BookError, SpecError
from rankbook.log.base import (
    Checkable,
    Draft,
    Followable,
    Log,
    Migrated,
    Portable,
    Recorded,
    Recording,
    Waits,
)
from rankbook.log.records import intact
from rankbook.uris import shown

__all__ = [
    "Checkable",
    "Draft",
    "Followable",
    "Log",
    "Migrated",
    "Portable",
    "Recorded",
    "Recording",
    "Waits",
    "intact",
    "migrate",
    "open_log",
    "open_rows",
]


def _sqlite(rest: str, directory: Path, create: bool) -> Followable:
    from rankbook.log.sqlite.log import SqliteLog

    return SqliteLog.open(directory / (rest or "log.sqlite"), create=create)


def _postgresql(rest: str, directory: Path, create: bool) -> Followable:
    log: Followable = _postgres().PostgresLog.open(f"postgresql:{rest}", create=create)
    return log


def _postgres() -> ModuleType:
    """The module for PostgreSQL. Raises `BookError` if psycopg is not installed."""
    try:
        from rankbook.log.postgres import log as postgres
    except ImportError as error:
        raise BookError(
            "a log in PostgreSQL needs psycopg: pip install 'rankbook[postgres]'"
        ) from error
    return postgres


SCHEMES: dict[str, Callable[[str, Path, bool], Followable]] = {
    "sqlite": _sqlite,
    "postgresql": _postgresql,
}


def open_log(uri: str, directory: Path, *, create: bool = True) -> Followable:
    """Open the log that `uri` names; relative paths start at the book's `directory`.

    `sqlite:` is `log.sqlite` there, `sqlite:path` is another file, and `postgresql://host/database`
    is what libpq reads from it. With `create` a missing log is made. Raises `SpecError` for an
    unknown scheme and `BookError` if there is no log to open.
    """
    scheme, rest = _split(uri)
    return SCHEMES[scheme](rest, directory, create)


def _split(uri: str) -> tuple[str, str]:
    """The scheme of a log's URI, and the rest. Raises `SpecError` for an unknown scheme."""
    scheme, colon, rest = uri.partition(":")
    if not colon or scheme not in SCHEMES:
        known = ", ".join(f"{name}:" for name in SCHEMES)
        raise SpecError("book.log", f"no log is called {shown(uri)!r}; there is {known}")
    return scheme, rest


def migrate(uri: str, directory: Path) -> Migrated:
    """Migrate the tables of the log that `uri` names to this program's number, as opening does.

    Raises `BookError` if there is no log, or a newer one.
    """
    before = _schema_of(uri, directory)
    open_log(uri, directory, create=False).close()
    return Migrated(before, _schema_of(uri, directory))


def _schema_of(uri: str, directory: Path) -> int:
    scheme, rest = _split(uri)
    if scheme == "postgresql":
        number: int = _postgres().schema_of(uri)
        return number
    from rankbook.log.sqlite import log as sqlite

    return sqlite.schema_of(directory / (rest or "log.sqlite"))


def open_rows(
    dsn: str, query: str
) -> AbstractContextManager[tuple[list[str], Iterator[tuple[Any, ...]]]]:
    """The columns and rows of a query in a database of the user's own. It is only read.

    `dsn` is a postgresql: URI, or the path of a SQLite file, with sqlite: before it or without.
    Raises `BookError` if that cannot be opened, `ConfigError` for a query that cannot run, and
    `LogError` if reading fails later.
    """
    if dsn.startswith(("postgresql:", "postgres:")):
        return _postgres().rows(dsn, query)  # type: ignore[no-any-return]
    if "://" in dsn:
        raise BookError(f"no database is called {shown(dsn)!r}; there is sqlite:, postgresql:")
    from rankbook.log.sqlite import log as sqlite

    return sqlite.rows(Path(dsn.removeprefix("sqlite:")), query)
