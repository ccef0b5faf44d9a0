"""The directory of a book: its rankbook.toml."""

from pathlib import Path

from rankbook.errors import BookError
from rankbook.rules import BookSpec, load

FILE = "rankbook.toml"


def read_spec(directory: Path) -> BookSpec:
    """The specification in a book's rankbook.toml. Raises `BookError` and `SpecError`."""
    try:
        return load((directory / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BookError(f"{directory} is no book: it has no {FILE}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BookError(f"{directory / FILE} cannot be read: {error}") from error
