"""A copy of a book taken while it serves, and a book made from such a copy.

Rankings are copied first and the log after them, each as one snapshot, so that the log of a backup
is at or ahead of its rankings, and what they lack is folded when it is opened. Both are written
beside the place they are for, made durable, and given its name in one step: what has the name is
whole.
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
from rankbook.book.fold.folder import Progress
from rankbook.book.upkeep.verify import erasures
from rankbook.errors import BookError, StoreError
from rankbook.log.base import Followable
from rankbook.log.base import Portable as PortableLog
from rankbook.rules import BookSpec, load
from rankbook.store.base import Portable as PortableStore
from rankbook.store.base import Store

LOG = "log.sqlite"
RANKINGS = "rankings"
ATTEMPTS = 100


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup holds. `position` is the log position that it reaches, at least.

    A log that is not in it is one that its server backs up; rankings that are not in it are made
    anew from the log.
    """

    directory: str
    position: int
    log: bool
    rankings: bool


def backup(
    spec: BookSpec, log: Followable, store: Store, directory: Path, progress: Progress
) -> Backup:
    """Copy a book that is open into `directory`, which is missing or empty.

    Raises `BookError` for one that is not, and changes nothing.
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
    """Make a book in `book`, which is missing or empty, from the backup in `directory`.

    Raises `BookError` where there is a book or anything else already, where there is no backup, and
    where it would be kept outside of `book`; then nothing is changed.
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
    """Rankings, then the log; the position that the copy reaches."""
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
    """The file that says what the book is; None for a book that was opened without one."""
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
            f"the book's {key} is {uri!r}, outside of the book's directory, and may be in use: "
            f"change it in the backup's {FILE}"
        )
    return rest


@contextmanager
def _made(directory: Path) -> Iterator[Path]:
    """A folder beside that is made durable and renamed to `directory` at the end of the block."""
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
