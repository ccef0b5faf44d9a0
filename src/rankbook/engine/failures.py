"""LMDB's and the operating system's errors as ours, in one place."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import lmdb

from rankbook.errors import BookError, Corrupt, RankbookError, StoreError

DAMAGED = (lmdb.CorruptedError, lmdb.PageNotFoundError, lmdb.InvalidError)


def failure(path: Path, error: BaseException) -> RankbookError | None:
    """The error to raise instead of `error`; None for one that is not LMDB's or the system's.

    A full map is no failure: whoever writes makes it larger and tries again.
    """
    if isinstance(error, lmdb.MapFullError):
        return None
    if isinstance(error, DAMAGED):
        return Corrupt(f"{path} is damaged: {error}")
    if isinstance(error, lmdb.VersionMismatchError):
        return BookError(f"{path} is of another LMDB format: {error}")
    if isinstance(error, lmdb.ReadonlyError | PermissionError):
        return BookError(f"{path} cannot be written: {error}")
    if isinstance(error, lmdb.Error):
        return StoreError(f"{path}: {error}")
    if isinstance(error, OSError):
        return StoreError(f"{path}: {error.strerror or error}")
    return None


@contextmanager
def translated(path: Path, *, system: bool = False) -> Iterator[None]:
    """Raise ours in place of LMDB's from the block; with `system`, of the system's errors too."""
    try:
        yield
    except (lmdb.Error, OSError) as error:
        if isinstance(error, OSError) and not system:
            raise
        known = failure(path, error)
        if known is None:
            raise
        raise known from error
