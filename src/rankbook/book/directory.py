"""The directory of a book: its rankbook.toml, and the log and store that this names."""

from pathlib import Path

from rankbook.errors import BookError
from rankbook.log import open_log
from rankbook.log.base import Followable
from rankbook.rules import BookSpec, load
from rankbook.store import open_store
from rankbook.store.base import Store

FILE = "rankbook.toml"


def read_spec(directory: Path) -> BookSpec:
    """The specification in a book's rankbook.toml. Raises `BookError` and `SpecError`."""
    try:
        return load((directory / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BookError(f"{directory} is no book: it has no {FILE}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BookError(f"{directory / FILE} cannot be read: {error}") from error


def open_parts(spec: BookSpec, directory: Path) -> tuple[Followable, Store]:
    """The open log and store of a book. Raises `BookError` and `SpecError`, with nothing open."""
    log = open_log(spec.log, directory)
    try:
        return log, open_store(spec.store, directory)
    except BaseException:
        log.close()
        raise
