"""Opening the directory of an embedded store: checked after a stop of the machine, and at a later
time where another process keeps it locked."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from rankbook.engine.check import DAMAGED
from rankbook.engine.durability import alone, recover
from rankbook.engine.environment import Environment
from rankbook.errors import Corrupt, StoreDown, StoreError
from rankbook.forks import on_fork

PAUSE_SECONDS = 10.0
FATAL = (-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT)


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
        """In a child: the lock may be held by a thread that is not there."""
        self._lock = threading.Lock()

    def open(self) -> Environment:
        """The environment.

        Raises `StoreDown` where another process keeps it locked, and for the next ten seconds, as
        nobody should wait again for the same. Raises `BookError` as `EmbeddedStore.open` does.
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
        """Keep the file under another name, unless others have it open; whether it was done."""
        with alone(self.path) as mine:
            if mine:
                set_aside(self.path)
            return mine

    def close(self) -> None:
        """Close what was opened; nothing is opened any more."""
        with self._lock:
            self._closed = True
        if self.opened is not None:
            self.opened.close()


def set_aside_if_damaged(path: Path) -> None:
    """Check in a child process: a file may be damaged beyond what LMDB can read.

    A child that was killed by its own fault counts as damage; one that could not check does not.
    """
    status = _checked(path)
    if status == DAMAGED or status in FATAL:
        set_aside(path)


def set_aside(path: Path) -> None:
    """Keep the data file under another name, so that an empty one is made."""
    (path / "data.mdb").replace(path / "damaged.mdb")


def is_killed_by(path: Path) -> bool:
    """Whether reading everything there ends a process by a signal, tried in a child."""
    return _checked(path) in FATAL


def _checked(path: Path) -> int:
    command = [sys.executable, "-m", "rankbook.engine.check", str(path)]
    return subprocess.run(command, check=False, capture_output=True).returncode
