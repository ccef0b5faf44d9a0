"""Opening the directory of an embedded store. After a stop of the machine it is checked. While
another process keeps it locked, it is opened later."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from rankbook.engine.check import DAMAGED, UNREADABLE
from rankbook.engine.durability import alone, recover
from rankbook.engine.environment import Environment
from rankbook.errors import Corrupt, StoreDown, StoreError
from rankbook.forks import on_fork

PAUSE_SECONDS = 10.0
# What the checking child ends with where LMDB itself cannot bear the file.
FATAL = (UNREADABLE, -signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT)


class Opening:
    """The environment in `path`, opened when it can be. `parameters` are those of `Environment`."""

    def __init__(self, path: Path, parameters: dict[str, Any]) -> None:
        self.path = path
        self.opened: Environment | None = None
        self._parameters = parameters
        self._lock = threading.Lock()
        self._closed = False
        self._down: tuple[float, StoreDown] | None = None
        on_fork(self)

    def after_fork(self) -> None:
        """In a child: take a new lock, because a thread of the parent may hold the old one."""
        self._lock = threading.Lock()

    def open(self) -> Environment:
        """The environment.

        Raises `StoreDown` if another process keeps it locked. For the next ten seconds it raises
        that at once, so that nobody waits twice for the same lock. Raises `BookError` as
        `EmbeddedStore.open` does.
        """
        with self._lock:
            if self._closed:
                raise StoreError(f"{self.path} is closed")
            if self.opened is None:
                self.opened = self._open()
            return self.opened

    def _open(self) -> Environment:
        if self._down is not None and time.monotonic() < self._down[0]:
            raise StoreDown(str(self._down[1]))
        try:
            recover(self.path, lambda: set_aside_if_damaged(self.path))
            try:
                return Environment.share(self.path, **self._parameters)
            except Corrupt:
                # LMDB cannot open it at all: only the log can make it anew.
                if not self._set_aside():
                    raise
                return Environment.share(self.path, **self._parameters)
        except StoreDown as error:
            self._down = time.monotonic() + PAUSE_SECONDS, error
            raise

    def _set_aside(self) -> bool:
        """Keep the file under another name, unless others have it open. Returns whether it was
        done."""
        with alone(self.path) as mine:
            if mine:
                set_aside(self.path)
            return mine

    def close(self) -> None:
        """Close the environment. It cannot be opened again."""
        with self._lock:
            self._closed = True
        if self.opened is not None:
            self.opened.close()


def set_aside_if_damaged(path: Path) -> None:
    """Check the file in a child process, because it may be damaged beyond what LMDB can read.

    If its own fault kills the child, the file is damaged. If the child could not check, it is not.
    """
    status = _checked(path)
    if status == DAMAGED or status in FATAL:
        set_aside(path)


def set_aside(path: Path) -> None:
    """Keep the data file under another name, so that an empty one is made."""
    (path / "data.mdb").replace(path / "damaged.mdb")


def is_unreadable(path: Path) -> bool:
    """Whether LMDB crashes or goes astray when everything there is read. A child process tries
    it."""
    return _checked(path) in FATAL


def _checked(path: Path) -> int:
    command = [sys.executable, "-m", "rankbook.engine.check", str(path)]
    return subprocess.run(command, check=False, capture_output=True).returncode
