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
from rankbook.engine.durability import recover
from rankbook.engine.environment import Environment
from rankbook.errors import StoreDown, StoreError
from rankbook.forks import on_fork

PAUSE_SECONDS = 10.0


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
            return Environment.share(self.path, **self._parameters)
        except StoreDown as error:
            self._down = time.monotonic() + PAUSE_SECONDS, error
            raise

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
    command = [sys.executable, "-m", "rankbook.engine.check", str(path)]
    status = subprocess.run(command, check=False, capture_output=True).returncode
    if status == DAMAGED or -status in (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT):
        (path / "data.mdb").replace(path / "damaged.mdb")
