"""The transport over redis-py: one server, by TCP, TLS or Unix socket, one behind sentinels, and a
cluster.

redis-py connects, speaks the protocol and follows a cluster. Elsewhere its command methods are not
used, as one script on a connection of its own takes two thirds of their time. addresses.py makes
these transports from URIs; `redis` is imported in these two files only.
"""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from hiredis import pack_command
from redis import RedisCluster
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

from rankbook.errors import StoreError
from rankbook.store.redis.failures import closed, server_error, unreachable
from rankbook.store.redis.scripts import Script, script
from rankbook.store.redis.transport import Word

TRIES = 3
PAUSE_SECONDS = 0.05
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


class RedisTransport:
    """One server. `connect` makes a redis-py connection; a thread has one while it waits."""

    def __init__(self, connect: Connect, where: str, seconds: float) -> None:
        self.where = where
        self._connect = connect
        self._seconds = seconds
        self._idle: list[Any] = []
        self._closed = False

    def run(self, name: str, keys: Sequence[str], words: Sequence[Word]) -> list[Any]:
        """See `Transport.run`. A lost connection is tried again; a time-out is not."""
        wanted = script(name)
        attempt = 1
        while True:
            try:
                reply: list[Any] = self._run(wanted, keys, words)
                return reply
            except (Unreachable, ReadOnlyError, OSError) as error:
                if attempt == TRIES:
                    raise _ours(error, self.where, self._seconds) from error
            except (RedisError, UnicodeDecodeError) as error:
                raise _ours(error, self.where, self._seconds) from error
            time.sleep(PAUSE_SECONDS * attempt)
            attempt += 1

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
    """Run a script by its digest; send all of it to a server that does not know it."""
    rest = (len(keys), *keys, *words)
    connection.send_packed_command([_pack(("EVALSHA", wanted.digest, *rest))])
    try:
        return connection.read_response()
    except NoScriptError:
        connection.send_packed_command([_pack(("EVAL", wanted.text, *rest))])
        return connection.read_response()


class ClusterTransport:
    """A cluster: redis-py finds the node that has the book's slot, and follows it when it moves."""

    def __init__(self, connect: Callable[[], RedisCluster], where: str, seconds: float) -> None:
        self.where = where
        self._connect = connect
        self._seconds = seconds
        self._lock = threading.Lock()
        self._client: RedisCluster | None = None
        self._closed = False

    def run(self, name: str, keys: Sequence[str], words: Sequence[Word]) -> list[Any]:
        """See `Transport.run`."""
        wanted = script(name)
        attempt = 1
        while True:
            try:
                reply: list[Any] = self._run(wanted, keys, words)
                return reply
            except (Unreachable, ClusterDownError, SlotNotCoveredError, OSError) as error:
                if attempt == TRIES:
                    raise _ours(error, self.where, self._seconds) from error
            except (RedisError, RedisClusterException, UnicodeDecodeError) as error:
                raise _ours(error, self.where, self._seconds) from error
            time.sleep(PAUSE_SECONDS * attempt)
            attempt += 1

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
