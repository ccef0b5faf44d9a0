"""The transports over redis-py: one server by TCP, TLS or Unix socket, one behind sentinels, and a
cluster.

redis-py connects, speaks the protocol and follows a cluster. Its command methods are used only for
a cluster, because a script on a bare connection takes two thirds of their time. addresses.py makes
these transports from URIs. Only these two files import `redis`.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from hiredis import pack_command
from redis import RedisCluster
from redis.backoff import ExponentialBackoff
from redis.exceptions import (
    ClusterDownError,
    InvalidResponse,
    NoScriptError,
    ReadOnlyError,
    RedisClusterException,
    RedisError,
    ResponseError,
    SlotNotCoveredError,
)
from redis.exceptions import ConnectionError as Unreachable
from redis.exceptions import TimeoutError as TimedOut
from redis.retry import Retry

from rankbook.errors import StoreError
from rankbook.store.redis.failures import closed, server_error, unreachable
from rankbook.store.redis.scripts import Script, script
from rankbook.store.redis.transport import Word

RETRIES = 2
PAUSES = ExponentialBackoff(cap=1.0, base=0.025)  # seconds; the first pause is twice the base
IDLE = 64
# redis-py takes the server's code off where it has a class for it.
CODES = {
    "AskError": "TRYAGAIN",
    "AuthenticationError": "WRONGPASS",
    "AuthenticationWrongNumberOfArgsError": "WRONGPASS",
    "AuthorizationError": "NOPERM",
    "BusyLoadingError": "LOADING",
    "ClusterCrossSlotError": "CROSSSLOT",
    "ClusterDownError": "CLUSTERDOWN",
    "MasterDownError": "MASTERDOWN",
    "MovedError": "MOVED",
    "NoPermissionError": "NOPERM",
    "OutOfMemoryError": "OOM",
    "ReadOnlyError": "READONLY",
    "SlotNotCoveredError": "CLUSTERDOWN",
    "TryAgainError": "TRYAGAIN",
}

_pack: Any = pack_command  # its stub takes tuples of one word only

Connect = Callable[[], Any]


class _Repeating:
    """What both transports share: they run a script, and send it again after one of the errors
    `lost`, which mean a lost connection or a moved slot. They do not repeat a script after a
    time-out."""

    def __init__(self, where: str, seconds: float, lost: tuple[type[Exception], ...]) -> None:
        self.where = where
        self._seconds = seconds
        self._retry: Any = Retry(PAUSES, RETRIES, lost)
        self._closed = False

    def run(self, name: str, keys: Sequence[str], words: Sequence[Word]) -> list[Any]:
        """See `Transport.run`."""
        wanted = script(name)
        try:
            reply: list[Any] = self._retry.call_with_retry(
                lambda: self._run(wanted, keys, words), lambda _error: None
            )
        except (RedisError, RedisClusterException, UnicodeDecodeError, OSError) as error:
            raise _ours(error, self.where, self._seconds) from error
        return reply

    def _run(self, wanted: Script, keys: Sequence[str], words: Sequence[Word]) -> Any:
        raise NotImplementedError


class RedisTransport(_Repeating):
    """One server. `connect` makes a redis-py connection. A thread has one while it waits."""

    def __init__(self, connect: Connect, where: str, seconds: float) -> None:
        super().__init__(where, seconds, (Unreachable, ReadOnlyError, OSError))
        self._connect = connect
        self._idle: list[Any] = []

    def _run(self, wanted: Script, keys: Sequence[str], words: Sequence[Word]) -> Any:
        connection = self._taken()
        try:
            reply = _evaluate(connection, wanted, keys, words)
        except (Unreachable, ReadOnlyError, OSError):
            # The server is another now, or was started again: so it is for those that are idle.
            connection.disconnect()
            self._drop_idle()
            raise
        except ResponseError:
            self._give_back(connection)
            raise
        except BaseException:
            connection.disconnect()
            raise
        self._give_back(connection)
        return reply

    def _taken(self) -> Any:
        if self._closed:
            raise closed()
        try:
            return self._idle.pop()
        except IndexError:
            connection = self._connect()
            connection.connect()  # asks the sentinels, where there are any
            return connection

    def _give_back(self, connection: Any) -> None:
        if self._closed or len(self._idle) >= IDLE:
            connection.disconnect()
        else:
            self._idle.append(connection)

    def close(self) -> None:
        """See `Transport.close`."""
        self._closed = True
        self._drop_idle()

    def _drop_idle(self) -> None:
        with suppress(IndexError):
            while True:
                self._idle.pop().disconnect()


def _evaluate(connection: Any, wanted: Script, keys: Sequence[str], words: Sequence[Word]) -> Any:
    """Run a script by its digest. If the server does not know it, send the whole script."""
    rest = (len(keys), *keys, *words)
    connection.send_packed_command([_pack(("EVALSHA", wanted.digest, *rest))])
    try:
        return connection.read_response()
    except NoScriptError:
        connection.send_packed_command([_pack(("EVAL", wanted.text, *rest))])
        return connection.read_response()


class ClusterTransport(_Repeating):
    """A cluster: redis-py finds the node that has the book's slot, and follows it when it moves."""

    def __init__(self, connect: Callable[[], RedisCluster], where: str, seconds: float) -> None:
        lost = (Unreachable, ClusterDownError, SlotNotCoveredError, OSError)
        super().__init__(where, seconds, lost)
        self._connect = connect
        self._lock = threading.Lock()
        self._client: RedisCluster | None = None

    def _run(self, wanted: Script, keys: Sequence[str], words: Sequence[Word]) -> Any:
        client: Any = self._cluster()
        try:
            return client.execute_command("EVALSHA", wanted.digest, len(keys), *keys, *words)
        except NoScriptError:
            return client.execute_command("EVAL", wanted.text, len(keys), *keys, *words)

    def _cluster(self) -> RedisCluster:
        with self._lock:
            if self._closed:
                raise closed()
            if self._client is None:
                self._client = self._connect()
            return self._client

    def close(self) -> None:
        """See `Transport.close`."""
        with self._lock:
            self._closed = True
            if self._client is not None:
                self._client.close()
                self._client = None


def _ours(error: BaseException, where: str, seconds: float) -> StoreError:
    """redis-py's error as ours."""
    if isinstance(error, TimedOut | TimeoutError):
        return unreachable(where, seconds, timed_out=True)
    if isinstance(error, UnicodeDecodeError):
        return StoreError(f"{where} has bytes in a key of the book that are no text")
    code = CODES.get(type(error).__name__, "")
    if code:
        return server_error(where, f"{code} {error}")
    if isinstance(error, ResponseError):
        return server_error(where, str(error))
    if isinstance(error, InvalidResponse):
        return StoreError(f"{where} does not answer as Redis does")
    if "mode is not enabled" in str(error):
        return StoreError(f"{where} is no cluster: use redis://")
    return unreachable(where, seconds, timed_out=False)
