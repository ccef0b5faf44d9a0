"""Copying a book while it serves, and making a book from such a copy.

The rankings are copied first and the log after them, each from one snapshot. So the log of a backup
is never behind its rankings, and the next opening folds what they lack. Both are written beside
their place, made durable, and renamed in one step. So a copy that has its name is whole.
"""

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from rankbook.book.directory import FILE
from rankbook.book.upkeep.verify import erasures
from rankbook.errors import BookError, StoreError
from rankbook.log.base import Followable
from rankbook.log.base import Portable as PortableLog
from rankbook.rules import BookSpec, load
from rankbook.store.base import Portable as PortableStore
from rankbook.store.base import Progress, Store
from rankbook.uris import shown

LOG = "log.sqlite"
RANKINGS = "rankings"
ATTEMPTS = 100


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup holds. `position` is the log position that it reaches, at least.

    A log that is not in the backup must be backed up by its server. Rankings that are not in it can
    be made again from the log.
    """

    directory: str
    position: int
    log: bool
    rankings: bool


def backup(
    spec: BookSpec, log: Followable, store: Store, directory: Path, progress: Progress
) -> Backup:
    """Copy an open book into `directory`, which must be missing or empty.

    Raises `BookError` if it is not, and changes nothing.
    """
    with _made(directory) as made:
        toml = _toml(spec, log, store)
        if toml is not None:
            shutil.copyfile(toml, made / FILE)
        for _attempt in range(ATTEMPTS):
            forgotten = erasures(log)
            position = _copy(log, store, made, progress)
            if erasures(log) == forgotten:
                return Backup(
                    directory=str(directory),
                    position=position,
                    log=(made / LOG).exists(),
                    rankings=(made / RANKINGS).exists(),
                )
        raise StoreError("players are forgotten faster than the book can be copied")


def restore(directory: Path, book: Path) -> None:
    """Make a book in `book`, which must be missing or empty, from the backup in `directory`.

    Raises `BookError` if `book` is not empty, if there is no backup, or if its log or rankings
    would lie outside of `book`. Then nothing is changed.
    """
    toml = directory / FILE
    if not toml.is_file():
        raise BookError(f"{directory} is no backup: it has no {FILE}")
    spec = load(toml.read_text(encoding="utf-8"))
    parts = [(LOG, "log", spec.log), (RANKINGS, "store", spec.store)]
    with _made(book) as made:
        shutil.copyfile(toml, made / FILE)
        for name, key, uri in parts:
            if (directory / name).exists():
                place = made / _within(key, uri, name)
                place.parent.mkdir(parents=True, exist_ok=True)
                if name == LOG:
                    shutil.copyfile(directory / name, place)
                else:
                    place.mkdir()
                    shutil.copyfile(directory / name / "data.mdb", place / "data.mdb")


def _copy(log: Followable, store: Store, made: Path, progress: Progress) -> int:
    """Copy the rankings, then the log. Returns the position that the copy reaches."""
    for old in (made / LOG, made / RANKINGS):
        if old.exists():
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    position = store.position()
    if isinstance(store, PortableStore):
        (made / RANKINGS).mkdir()
        store.copy(made / RANKINGS)
        progress((made / RANKINGS / "data.mdb").stat().st_size)
    if isinstance(log, PortableLog):
        position = log.copy(made / LOG, progress)
    return position


def _toml(spec: BookSpec, log: Followable, store: Store) -> Path | None:
    """The file with the book's specification. None if the book was opened without one."""
    kept: list[Path] = []
    for part, uri, name in ((log, spec.log, LOG), (store, spec.store, RANKINGS)):
        if isinstance(part, PortableLog | PortableStore):
            parts = _rest(uri, name).parts
            kept.append(Path(*part.path.parts[: -len(parts)]) / FILE)
    return next((path for path in kept if path.is_file()), None)


def _rest(uri: str, default: str) -> Path:
    return Path(uri.partition(":")[2].partition("?")[0] or default)


def _within(key: str, uri: str, default: str) -> Path:
    rest = _rest(uri, default)
    if rest.is_absolute() or ".." in rest.parts:
        raise BookError(
            f"the book's {key} is {shown(uri)!r}, outside of the book's directory, and may be in "
            f"use: change it in the backup's {FILE}"
        )
    return rest


@contextmanager
def _made(directory: Path) -> Iterator[Path]:
    """A new folder beside `directory`. At the end of the block it is made durable and renamed."""
    place = directory.absolute()
    if place.exists() and not (place.is_dir() and not any(place.iterdir())):
        raise BookError(f"{directory} is there already and is not empty; nothing was changed")
    place.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(prefix=f".{place.name}.partial-", dir=place.parent))
    try:
        yield made
        for path in (*made.rglob("*"), made):
            _sync(path)
        try:
            made.rename(place)
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                raise BookError(f"{directory} was filled by somebody else meanwhile") from error
            raise
        _sync(place.parent)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
