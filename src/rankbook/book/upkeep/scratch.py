"""Scratch folders, in which verify folds the log again. They are removed even after a kill."""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "rankbook-verify-"
LOCK = "in-use"


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for the block, removed afterwards. First removes those of killed processes."""
    _remove_abandoned()
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        lock = os.open(Path(folder) / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield Path(folder) / "rankings"
        finally:
            os.close(lock)


def _remove_abandoned() -> None:
    """Remove scratch folders that no process holds. A folder without a lock may be a new one, so it
    stays."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else's, or removed meanwhile
            lock = os.open(folder / LOCK, os.O_RDWR)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder)
            finally:
                os.close(lock)
