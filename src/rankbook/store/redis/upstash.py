"""The transport over Upstash's REST interface, with its own client: text in JSON, both ways.

The token is read from the environment and sent in a header. No message shows it. Only this file
imports `upstash_redis` and `httpx`.
"""

import os
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx
from upstash_redis import Redis
from upstash_redis.errors import UpstashError

from rankbook.errors import SpecError, StoreError
from rankbook.store.redis.failures import NO_SCRIPT, closed, server_error, unreachable
from rankbook.store.redis.scripts import script
from rankbook.store.redis.transport import Word

TOKEN = "UPSTASH_REDIS_REST_TOKEN"
TRIES = 3
PAUSE_SECONDS = 0.05
LOOPBACK = ("127.0.0.1", "::1", "localhost")


class UpstashTransport:
    """A database at Upstash, or at a server with the same protocol."""

    def __init__(self, client: Any, where: str, seconds: float) -> None:
        self.where = where
        self._client: Any = client
        self._seconds = seconds
        self._closed = False

    def run(self, name: str, keys: Sequence[str], words: Sequence[Word]) -> list[Any]:
        """See `Transport.run`. Repeats after a lost connection, not after a time-out."""
        wanted = script(name)
        command = ["EVALSHA", wanted.digest, len(keys), *keys, *words]
        attempt = 1
        while True:
            if self._closed:
                raise closed()
            try:
                return self._execute(command)
            except UpstashError as error:
                if not str(error).startswith(NO_SCRIPT):
                    raise server_error(self.where, str(error)) from error
                command[:2] = ["EVAL", wanted.text]
                continue
            except httpx.TimeoutException as error:
                raise unreachable(self.where, self._seconds, timed_out=True) from error
            except httpx.TransportError as error:
                if attempt == TRIES:
                    raise unreachable(self.where, self._seconds, timed_out=False) from error
            except (ValueError, KeyError, TypeError) as error:
                raise StoreError(f"{self.where} does not answer as Upstash does") from error
            time.sleep(PAUSE_SECONDS * attempt)
            attempt += 1

    def _execute(self, command: list[Any]) -> list[Any]:
        reply = self._client.execute(command)
        if not isinstance(reply, list):
            raise TypeError("a script's reply is a list")
        return reply

    def close(self) -> None:
        """See `Transport.close`."""
        if not self._closed:
            self._closed = True
            self._client.close()


def upstash(uri: str, seconds: float) -> UpstashTransport:
    """A database by its REST address, upstash+https://HOST. Raises `SpecError` without a token."""
    address = uri.removeprefix("upstash+")
    parts = urlsplit(address)
    if parts.username or parts.password or not parts.hostname:
        raise SpecError("book.store", f"upstash+https://HOST has no more; the token is in ${TOKEN}")
    if parts.scheme != "https" and parts.hostname not in LOOPBACK:
        raise SpecError(
            "book.store", "upstash+http:// would show the token; it is upstash+https://"
        )
    token = os.environ.get(TOKEN)
    if not token:
        raise SpecError(
            "book.store", f"the token for Upstash is read from ${TOKEN}, which is empty"
        )
    client: Any = Redis(address, token, rest_retries=0, allow_telemetry=False)
    # The client waits for ever and has no setting for that.
    client._http._client.timeout = httpx.Timeout(seconds)
    return UpstashTransport(client, f"Upstash at {parts.hostname}", seconds)
