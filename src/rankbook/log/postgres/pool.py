"""A few connections for many threads: kept while they are sound, made when one is missing.

psycopg_pool repairs itself in the background. While a server is down, it does not tell a caller why
there is no connection, or for how long. Here a caller without a connection makes one, and gets the
server's error at once.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from psycopg import Connection
from psycopg.pq import TransactionStatus

from rankbook.errors import LogError
from rankbook.forks import keep, on_fork


class Pool:
    """At most `most` connections at a time, the one used last given out first."""

    def __init__(
        self, where: str, connect: Callable[[], Connection], *, most: int, wait_seconds: float
    ) -> None:
        self._where = where
        self._connect = connect
        self._wait_seconds = wait_seconds
        self._most = most
        self._room = BoundedSemaphore(most)
        self._lock = Lock()
        self._idle: list[Connection] = []
        self._closed = False
        on_fork(self)

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection for one caller.

        Raises `LogError` if the pool is closed or no connection becomes free in time, and what
        `connect` raises.
        """
        if not self._room.acquire(timeout=self._wait_seconds):
            raise LogError(
                f"the log {self._where} cannot be used: within {self._wait_seconds:g} seconds"
                " no connection came free"
            )
        try:
            connection = self._take() or self._connect()
            try:
                yield connection
            finally:
                self._give_back(connection)
        finally:
            self._room.release()

    def clear(self) -> None:
        """Close the idle connections: one was lost, so the others may be broken too."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def close(self) -> None:
        """Close the idle connections now, and the others when they are given back."""
        self._closed = True
        self.clear()

    def after_fork(self) -> None:
        """In a child: make new connections, because the inherited ones belong to the parent."""
        keep(self._idle)
        self._idle = []
        self._lock = Lock()
        self._room = BoundedSemaphore(self._most)

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._closed

    def _take(self) -> Connection | None:
        with self._lock:
            if self._closed:
                raise LogError(f"the log {self._where} cannot be used: it is closed")
            return self._idle.pop() if self._idle else None

    def _give_back(self, connection: Connection) -> None:
        sound = connection.info.transaction_status == TransactionStatus.IDLE
        with self._lock:
            if sound and not self._closed:
                self._idle.append(connection)
                return
        connection.close()
