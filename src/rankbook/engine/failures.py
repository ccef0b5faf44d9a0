"""The one place where errors of LMDB and the operating system become ours."""

from pathlib import Path

import lmdb

from rankbook.errors import BookError, Corrupt, RankbookError, StoreError

DAMAGED = (lmdb.CorruptedError, lmdb.PageNotFoundError, lmdb.InvalidError)


def failure(path: Path, error: BaseException) -> RankbookError | None:
    """Our error for `error`. None if it is neither LMDB's nor the system's.

    A full map is no failure: the writer makes it larger and tries again.
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


class translated:
    """Raise our errors instead of LMDB's in the block; with `system`, also instead of the
    system's."""

    __slots__ = ("_path", "_system")

    def __init__(self, path: Path, *, system: bool = False) -> None:
        self._path = path
        self._system = system

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, lmdb.Error) or (self._system and isinstance(error, OSError)):
            known = failure(self._path, error)
            if known is not None:
                raise known from error
