"""The event log: every fact, recorded once and durably. `open_log` chooses one by URI."""

from collections.abc import Callable
from pathlib import Path

from rankbook.errors import BookError, SpecError
from rankbook.log.base import Followable

__all__ = ["open_log"]


def _sqlite(rest: str, directory: Path, create: bool) -> Followable:
    from rankbook.log.sqlite import SqliteLog

    return SqliteLog.open(directory / (rest or "log.sqlite"), create=create)


def _postgresql(rest: str, directory: Path, create: bool) -> Followable:
    try:
        from rankbook.log.postgres import PostgresLog
    except ImportError as error:
        raise BookError(
            "a log in PostgreSQL needs psycopg: pip install 'rankbook[postgres]'"
        ) from error
    return PostgresLog.open(f"postgresql:{rest}", create=create)


SCHEMES: dict[str, Callable[[str, Path, bool], Followable]] = {
    "sqlite": _sqlite,
    "postgresql": _postgresql,
}


def open_log(uri: str, directory: Path, *, create: bool = True) -> Followable:
    """Open the log that `uri` names; relative paths start at the book's `directory`.

    `sqlite:` is `log.sqlite` there, `sqlite:path` another file, and `postgresql://host/database`
    what libpq takes for it. With `create` a missing log is made. Raises `SpecError` for an unknown
    scheme and `BookError` when there is no log to open.
    """
    scheme, colon, rest = uri.partition(":")
    opener = SCHEMES.get(scheme)
    if not colon or opener is None:
        known = ", ".join(f"{name}:" for name in SCHEMES)
        raise SpecError("book.log", f"no log is called {uri!r}; there is {known}")
    return opener(rest, directory, create)
