"""`rankbook rebuild`: make the rankings anew from the log."""

from pathlib import Path

import msgspec
import typer

from rankbook.book.book import FILE
from rankbook.book.rebuild import rebuild as rebuilt
from rankbook.cli.options import BookOption, JsonOption, place
from rankbook.cli.output import document, show
from rankbook.cli.progress import counted, progress
from rankbook.errors import BookError
from rankbook.log import open_log
from rankbook.rules import BookSpec, load


class Rebuilt(msgspec.Struct, frozen=True, kw_only=True):
    """The log position that the new rankings are at."""

    position: int


def rebuild(
    ctx: typer.Context,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Fold the whole log into new rankings, by the rankbook.toml of now, and swap them in.

    Until then the old ones stay as they are. Nobody may have the book open.
    """
    directory = place(ctx, book)
    spec = _spec(directory)
    with progress() as told:
        position = rebuilt(spec, directory, counted(told, "rebuilding", _head(spec, directory)))
    if as_json:
        document(Rebuilt(position=position))
    else:
        show(f"The rankings are made anew; they are at log position {position:,}.")


def _spec(directory: Path) -> BookSpec:
    """The book's specification. Raises `BookError` where there is none."""
    try:
        return load((directory / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BookError(f"{directory} is no book: it has no {FILE}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BookError(f"{directory / FILE} cannot be read: {error}") from error


def _head(spec: BookSpec, directory: Path) -> int:
    log = open_log(spec.log, directory, create=False)
    try:
        return log.head()
    finally:
        log.close()
