"""The event log: every fact, recorded once and durably. `open_log` chooses one by URI."""

from collections.abc import Callable
from pathlib import Path

from rankbook.errors import SpecError
from rankbook.log.base import Log

__all__ = ["open_log"]


def _sqlite(rest: str, directory: Path, create: bool) -> Log:
    from rankbook.log.sqlite import SqliteLog

    return SqliteLog.open(directory / (rest or "log.sqlite"), create=create)


SCHEMES: dict[str, Callable[[str, Path, bool], Log]] = {
    "sqlite": _sqlite,
}


def open_log(uri: str, directory: Path, *, create: bool = True) -> Log:
    """Open the log that `uri` names; relative paths start at the book's `directory`.

    `sqlite:` is `log.sqlite` there, `sqlite:path` another file. With `create` a missing log is
    made. Raises `SpecError` for an unknown scheme and `BookError` when there is no log to open.
    """
    scheme, colon, rest = uri.partition(":")
    opener = SCHEMES.get(scheme)
    if not colon or opener is None:
        known = ", ".join(f"{name}:" for name in SCHEMES)
        raise SpecError("book.log", f"no log is called {uri!r}; there is {known}")
    return opener(rest, directory, create)
