"""Limits on requests: the size, time and encoding of a body, and rates.

The book itself has the limits on names, details and values, however an event arrives.
"""

import asyncio
import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, cast

from litestar.enums import ScopeType
from litestar.exceptions import HTTPException
from litestar.types import ASGIApp, HTTPReceiveMessage, Receive, Scope, Send

from rankbook.http.settings import Settings
from rankbook.model import Event

MOST_BUCKETS = 100_000
# So much more of a body that is too large is read and thrown away, for a client that only reads
# the answer once it has sent all would else see a lost connection.
DISCARDED_BODIES = 4

_BODILESS = ("GET", "HEAD", "OPTIONS")
_CLOSE = {"Connection": "close"}


class TooMany(HTTPException):
    """More requests than the rate allows. Retry-After says how long to wait."""

    status_code = 429

    def __init__(self, of: str, seconds: float) -> None:
        super().__init__(
            detail=f"more {of} than the service takes; nothing was recorded",
            headers={"Retry-After": str(max(1, math.ceil(seconds)))},
        )


class Buckets:
    """Token buckets by name: each is filled at `rate` a second, up to `burst`.

    Taking may leave a debt, so that one batch of any size passes. The 100,000 buckets used last are
    remembered: a forgotten bucket counts as full.
    """

    def __init__(
        self, rate: float, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, name: str) -> float:
        """How many seconds to wait until something may be taken. 0 if it may be taken now."""
        left = self._left(name)
        return 0.0 if self._rate <= 0 or left >= 1 else (1 - left) / self._rate

    def take(self, name: str, count: int) -> None:
        """Take this many tokens."""
        if self._rate > 0:
            self._buckets[name] = (self._left(name) - count, self._clock())
            self._buckets.move_to_end(name)
            if len(self._buckets) > MOST_BUCKETS:
                self._buckets.popitem(last=False)

    def _left(self, name: str) -> float:
        known = self._buckets.get(name)
        if known is None:
            return float(self._burst)
        left, at = known
        return min(float(self._burst), left + (self._clock() - at) * self._rate)


class Limits:
    """The rates of one process: events for each key, and results for each player."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self._keys = Buckets(settings.key_rate, settings.key_burst, clock)
        self._players = Buckets(settings.player_rate, settings.player_burst, clock)

    def admit(self, key: str, events: Sequence[Event]) -> None:
        """Count the events, or raise `TooMany` and count none of them."""
        if wait := self._keys.wait(key):
            raise TooMany("events with this key", wait)
        players = Counter(event.player for event in events if event.kind == "result")
        for player in players:
            if wait := self._players.wait(player):
                raise TooMany(f"results of the player {player!r}", wait)
        self._keys.take(key, len(events))
        for player, count in players.items():
            self._players.take(player, count)


class Intake:
    """Middleware that checks the size, time and encoding of every body while it is read."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._bytes = settings.body_bytes
        self._seconds = settings.body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with a `receive` that raises when the body breaks a limit."""
        if scope["type"] != ScopeType.HTTP or scope["method"] in _BODILESS:
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        _check_encoding(headers.get(b"content-encoding", b""))
        length = headers.get(b"content-length", b"")
        if length.isdigit() and int(length) > self._bytes * DISCARDED_BODIES:
            raise self._too_large()
        body = _Body(receive, self._bytes, self._seconds, self._too_large)
        await self._app(scope, body, send)

    def _too_large(self) -> HTTPException:
        return HTTPException(
            status_code=413,
            detail=f"the body is larger than {self._bytes} bytes",
            headers=_CLOSE,
        )


class _Body:
    """The `receive` of one request: counts bytes, and time until the body is complete."""

    def __init__(
        self, receive: Receive, most: int, seconds: float, too_large: Callable[[], HTTPException]
    ) -> None:
        self._receive = receive
        self._most = most
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._size = 0
        self._complete = False
        self._too_large = too_large

    async def __call__(self) -> HTTPReceiveMessage:
        """The next message. Raises 408, 413, or 400 if the client left in the middle."""
        if self._complete:
            return cast("HTTPReceiveMessage", await self._receive())
        message = await self._part()
        if self._size <= self._most:
            return message
        await self._discard()
        raise self._too_large()

    async def _discard(self) -> None:
        """Read the rest of the body and throw it away, up to a limit."""
        while not self._complete and self._size <= self._most * DISCARDED_BODIES:
            await self._part()

    async def _part(self) -> HTTPReceiveMessage:
        """The next part of the body, counted."""
        left = max(0.0, self._until - time.monotonic())
        try:
            message: Any = await asyncio.wait_for(self._receive(), left)
        except TimeoutError:
            raise HTTPException(
                status_code=408,
                detail=f"the body was not complete within {self._seconds:g} seconds",
                headers=_CLOSE,
            ) from None
        if message["type"] == "http.disconnect":
            raise HTTPException(status_code=400, detail="the body ended early")
        self._size += len(message.get("body", b""))
        self._complete = not message.get("more_body", False)
        return cast("HTTPReceiveMessage", message)


def _check_encoding(encoding: bytes) -> None:
    if encoding.strip().lower() not in (b"", b"identity"):
        raise HTTPException(
            status_code=415,
            detail="compressed bodies are not taken: send it as it is",
            headers={"Accept-Encoding": "identity", **_CLOSE},
        )


def intake(settings: Settings) -> Callable[[ASGIApp], Intake]:
    """The middleware `Intake`, as an application takes it."""
    return lambda app: Intake(app, settings)
