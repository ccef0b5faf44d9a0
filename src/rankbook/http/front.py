"""The front: it answers a read whose body is kept, before the router gets the request.

The router's handlers have made that answer before, and the front gives the same bytes with the same
headers. A request that needs more, such as one with a key or from another origin, goes on to the
router.
"""

import re
from collections.abc import Sequence
from time import perf_counter

from litestar.enums import HttpMethod, ScopeType
from litestar.types import ASGIApp, HTTPScope, Message, Receive, Scope, Send

from rankbook.errors import RankbookError
from rankbook.http.api.reads import cache_key
from rankbook.http.body_cache import NOSNIFF, CachedBody, matches
from rankbook.http.service import Service

ENDLESS = re.compile("/v1/boards/[^/]+/live$")
PASSED_ON = frozenset((b"authorization", b"origin", b"range"))
# Where other origins may call, an answer to one of them is not one to be kept for another.
VARY = (b"vary", b"Origin")


class CachedReads:
    """An ASGI application in front of another one. It answers HEAD as GET without the body."""

    def __init__(self, behind: ASGIApp, served: Service) -> None:
        self._behind = behind
        self._start = served.writer.start
        self._bodies = served.bodies
        self._metrics = served.metrics
        self._answers = served.settings.read_open and served.local
        self._more = [VARY] if served.settings.cors else []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer from kept bodies, or pass the request on."""
        if scope["type"] == ScopeType.HTTP:
            self._start()  # a mounted application is told of no lifespan
            if scope["method"] == "GET" and self._answers:
                found = self._found(scope)
                if found is not None:
                    await self._answer(*found, send)
                    return
            head = scope["method"] == "HEAD" and ENDLESS.search(scope["path"]) is None
            if head:
                # Of a scope of its own: the server goes by what was asked.
                scope = {**scope, "method": HttpMethod.GET}
            send = _guarded(send, self._more, body=not head)
        await self._behind(scope, receive, send)

    def _found(self, scope: HTTPScope) -> tuple[CachedBody, bytes] | None:
        """The current body, and the If-None-Match. None if the router should answer.

        If reading fails, the router answers with the error.
        """
        known = b""
        for name, value in scope["headers"]:
            if name == b"if-none-match":
                known = value
            elif name in PASSED_ON:
                return None
        try:
            kept = self._bodies.get(cache_key(scope))
        except RankbookError:
            return None
        return None if kept is None else (kept, known)

    async def _answer(self, kept: CachedBody, known: bytes, send: Send) -> None:
        began = perf_counter()
        status, body, headers = 200, kept.body, kept.full_headers
        if known and matches(known, kept.etag):
            status, body, headers = 304, b"", kept.headers
        # Whoever stands around this application may add to the list.
        headers = [*headers, *self._more]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": False})
        self._metrics.answered("GET", kept.route, status, perf_counter() - began)


def _guarded(send: Send, more: Sequence[tuple[bytes, bytes]], *, body: bool) -> Send:
    """Adds `nosniff` and the headers `more` to every answer, and takes the body from answers to
    HEAD."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            there = list(message["headers"])
            missing = [each for each in (NOSNIFF, *more) if each not in there]
            message["headers"] = [*there, *missing]
        elif message["type"] == "http.response.body" and not body:
            message["body"] = b""
        await send(message)

    return sending
