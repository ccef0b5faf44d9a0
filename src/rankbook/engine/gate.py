"""Who is inside a map, so that it only grows while nobody is.

Entering is two dictionary operations, with no lock: a thread first says that it is inside and then
looks whether somebody waits to be alone; who wants to be alone first says so and then looks who is
inside. One of the two always sees the other.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import get_ident

from rankbook.errors import StoreError

PATIENCE_SECONDS = 60.0
WINDOW_SECONDS = 0.01
PAUSE_SECONDS = 0.02


class Gate:
    """Counts, for each thread, the transactions that it has open."""

    def __init__(self, what: object) -> None:
        """Errors name `what`."""
        self._what = what
        self._inside: dict[int, int] = {}
        self._waiting = 0
        self._closed = False
        self._first: Callable[[], None] | None = None
        self._changed = threading.Condition()

    def enter(self) -> None:
        """Come in; waits while somebody is alone inside, unless this thread is already in.

        Raises `StoreError` once closed.
        """
        me = get_ident()
        count = self._inside.get(me, 0)
        self._inside[me] = count + 1
        if (self._waiting or self._closed) and not count:
            self._enter_slowly(me)

    def _enter_slowly(self, me: int) -> None:
        with self._changed:
            del self._inside[me]
            self._changed.notify_all()
            if self._first is not None:
                self._first()
                self._first = None
                self._waiting -= 1
            while self._waiting:
                self._changed.wait()
            if self._closed:
                raise StoreError(f"{self._what} is closed")
            self._inside[me] = 1

    def block(self, first: Callable[[], None]) -> None:
        """Let nobody in until `first` is done. The first thread that comes does it."""
        self._first = first
        self._waiting += 1

    def shut(self) -> None:
        """Let nobody in from now on."""
        self._closed = True

    @property
    def blocked(self) -> bool:
        """Whether `first` is still to be done."""
        return self._first is not None

    def leave(self) -> None:
        """Leave, as often as `enter` was called."""
        me = get_ident()
        count = self._inside[me] - 1
        if count:
            self._inside[me] = count
        else:
            del self._inside[me]
            if self._waiting:
                with self._changed:
                    self._changed.notify_all()

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Be inside during the block."""
        self.enter()
        try:
            yield
        finally:
            self.leave()

    @contextmanager
    def alone(self, *, closing: bool = False) -> Iterator[None]:
        """Nobody else is inside during the block. With `closing`, nobody ever comes in again.

        Others are kept out for `WINDOW_SECONDS` at a time only: while somebody stays inside for
        long, they come and go as before, and this thread alone waits. Raises `StoreError` when
        this thread is inside itself, or the others do not leave in a minute.
        """
        if get_ident() in self._inside:
            raise StoreError(f"{self._what} cannot grow or close while this thread reads it")
        with self._changed:
            self._keep_out()
            try:
                yield
                self._closed = self._closed or closing
            finally:
                self._waiting -= 1
                self._changed.notify_all()

    def _keep_out(self) -> None:
        """Wait until nobody is inside and let nobody in, with the lock held."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            self._waiting += 1
            if self._changed.wait_for(lambda: not self._inside, WINDOW_SECONDS):
                return
            self._waiting -= 1
            self._changed.notify_all()
            if time.monotonic() >= deadline:
                raise StoreError(f"{self._what} cannot grow: a snapshot of it is held too long")
            self._changed.wait(PAUSE_SECONDS)

    @property
    def closed(self) -> bool:
        """Whether the gate was closed."""
        return self._closed
