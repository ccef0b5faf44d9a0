"""Whether the machine stopped while a directory was open for writing.

A killed process cannot hurt LMDB, because the operating system's cache holds what it committed. A
power cut can, if commits are not synced. So a marker file holds the boot id while any process has
the directory open. If a process finds the marker of another boot, the machine stopped while the
directory was open, and the process checks it first.

Every process that has the directory open shares the lock `users.lock`. The last one to leave
removes the marker. A process that recovers or replaces the directory holds the lock alone. A
process that makes the map larger holds `grow.lock`.
"""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rankbook.engine.locks import take
from rankbook.errors import StoreError

WAIT_SECONDS = 0.05
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str:
    """The id of this boot of the machine; "unknown" if the system has none."""
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return "unknown"


def stopped_uncleanly(path: Path) -> bool:
    """Whether the machine stopped while the directory was open, and nobody has checked it since."""
    try:
        found = (path / "open").read_text()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return found in ("", "unknown") or found != boot_id()


def recover(path: Path, repair: Callable[[], None]) -> None:
    """If the machine stopped while the directory was open, call `repair`, in one process only.

    Other processes wait until that is done.
    """
    while stopped_uncleanly(path):
        with alone(path) as mine:
            if mine and stopped_uncleanly(path):
                repair()
                _mark(path / "open", boot_id())
        if not mine:
            time.sleep(WAIT_SECONDS)


@contextmanager
def alone(path: Path) -> Iterator[bool]:
    """Whether no other process has the directory open. During the block none can open it."""
    descriptor = os.open(path / "users.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


def _mark(marker: Path, text: str) -> None:
    """Write a marker. If the process is killed meanwhile, the marker is whole or absent."""
    made = marker.with_name(f"{marker.name}.{os.getpid()}")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        os.write(descriptor, text.encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    made.replace(marker)


class Marker:
    """The marker of one open directory. Only a `watched` one writes the mark."""

    def __init__(self, path: Path, watched: bool, patience_seconds: float) -> None:
        self._patience_seconds = patience_seconds
        self._watched = watched
        self._path = path
        self._marker = path / "open"
        self._grow = path / "grow.lock"
        self._lock = os.open(path / "users.lock", os.O_RDWR | os.O_CREAT, 0o644)

    def close(self) -> None:
        """Let go of a directory: one that was not entered, or that a forked child's parent has."""
        os.close(self._lock)

    def enter(self) -> bool:
        """Mark the directory as open. True if another boot of the machine left its mark. That mark
        then stays until the directory is recovered or cleanly closed."""
        fcntl.flock(self._lock, fcntl.LOCK_SH)
        unclean = stopped_uncleanly(self._path)
        if self._watched and not self._marker.exists():
            _mark(self._marker, boot_id())
        return unclean

    @contextmanager
    def sole(self) -> Iterator[None]:
        """Be the only process that has the directory open. Raises `StoreError` if another one
        has."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(self._lock, fcntl.LOCK_SH)
            raise StoreError(
                f"{self._path} is damaged and other processes have it open: stop them, and repair"
                " it again"
            ) from None
        try:
            yield
        finally:
            fcntl.flock(self._lock, fcntl.LOCK_SH)

    def leave(self) -> None:
        """After a sync: remove the mark, unless another process still has the directory open."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            return
        if self._watched:
            self._marker.unlink(missing_ok=True)
            for half_made in self._path.glob(f"{self._marker.name}.*"):
                half_made.unlink()
        os.close(self._lock)

    @contextmanager
    def growing(self) -> Iterator[None]:
        """Keep other processes from growing the map. Raises `StoreDown` if one does so for too
        long."""
        descriptor = os.open(self._grow, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            take(descriptor, self._patience_seconds, str(self._path))
            yield
        finally:
            os.close(descriptor)
