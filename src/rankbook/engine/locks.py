"""Locks between processes, with a limit on waiting. A signal ends the wait.

LMDB's own lock of writers has neither: if a process is stopped while it writes, it stops every
other one. So a writer first takes our lock, on a file beside the map.
"""

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rankbook.errors import StoreDown, StoreError

FIRST_PAUSE_SECONDS = 0.0002
LONGEST_PAUSE_SECONDS = 0.02
HELD = Path("/proc/locks")


def take(descriptor: int, seconds: float, what: str) -> None:
    """Lock an open file for this process alone. Raises `StoreDown` after `seconds` of waiting."""
    deadline = time.monotonic() + seconds
    pause = FIRST_PAUSE_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise StoreDown(
                    f"{what}: {_holder(descriptor)} has held the lock for {seconds:g} seconds"
                ) from None
        time.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)


def _holder(descriptor: int) -> str:
    """The process that holds the lock of a file, as the system says."""
    inode = str(os.fstat(descriptor).st_ino)
    try:
        lines = [line.split() for line in HELD.read_text().splitlines()]
    except OSError:
        lines = []
    pids = [each[4] for each in lines if each[1] == "FLOCK" and each[5].split(":")[-1] == inode]
    return f"process {pids[0]}" if pids else "another process"


class WriteLock:
    """The right to write in a directory: one thread of one process has it at a time.

    A thread that waits longer than `seconds` gets a `StoreDown`.
    """

    def __init__(self, directory: Path, seconds: float) -> None:
        self._path = directory / "write.lock"
        self._seconds = seconds
        self._thread = threading.Lock()
        self._closed = False
        self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Hold the lock during the block. Raises `StoreDown`, and `StoreError` once closed."""
        if not self._thread.acquire(timeout=self._seconds):
            raise StoreDown(
                f"{self._path.parent}: another thread has written for {self._seconds:g} seconds"
            )
        try:
            if self._closed:
                raise StoreError(f"{self._path.parent} is closed")
            take(self._descriptor, self._seconds, str(self._path.parent))
            try:
                yield
            finally:
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        finally:
            self._thread.release()

    def drop(self) -> None:
        """In a forked child: close the inherited file. If the parent holds the lock, it keeps
        it."""
        if not self._closed:
            os.close(self._descriptor)

    def close(self) -> None:
        """Close the file, once no thread of this process holds the lock. Closing twice is
        harmless."""
        with self._thread:
            if not self._closed:
                self._closed = True
                os.close(self._descriptor)
