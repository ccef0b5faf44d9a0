"""Connections: uvicorn's, with limits on the head of a request.

Uvicorn limits neither the size of a head nor its time. A client that never ends a head would hold a
connection and its memory for good.
"""

import asyncio
from http import HTTPStatus
from typing import Any, cast

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

HEAD_BYTES = 65_536
HEAD_SECONDS = 10.0
FIELD_BYTES = len(": \r\n")

_TITLES = {
    400: "The request cannot be read",
    408: "The request took too long",
    431: "The head of the request is too large",
}


class _TooLarge(Exception):
    """Leaves the parser."""


class Connection(HttpToolsProtocol):
    """A connection whose heads are complete within ten seconds.

    A head has at most 64 KiB, with the trailers that may follow its body.
    """

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self._head_bytes = 0
        self._field_bytes = 0
        self._silent_bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._ending: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The first head begins with the connection."""
        super().connection_made(transport)
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on, unless head or trailers are too large by now."""
        self._silent_bytes += len(data)
        super().data_received(data)
        if self._silent_bytes > HEAD_BYTES:
            self._refuse(431)  # A line without an end, for the parser has found nothing in it.
        if self._timer is not None:
            self._head_bytes += len(data)
            if self._head_bytes > HEAD_BYTES:
                self._refuse(431)
        elif self._ending is None and self._is_idle():
            # No request has begun, and uvicorn waits for none once anything came: what still comes
            # of a body that was answered before it was there ends, too.
            self._ending = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self._field_bytes = self._silent_bytes = 0
        self._begin()

    def on_url(self, url: bytes) -> None:
        """A part of the address."""
        self._count(len(url))
        super().on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A field of the head, or of the trailers after a body in chunks."""
        self._count(len(name) + len(value) + FIELD_BYTES)
        super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """A part of a body."""
        self._silent_bytes = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Head, body and trailers are there."""
        self._silent_bytes = 0
        super().on_message_complete()

    def _count(self, size: int) -> None:
        """Count bytes of head and trailers. Raises `_TooLarge`, which ends the parser."""
        self._silent_bytes = 0
        self._field_bytes += size
        if self._field_bytes > HEAD_BYTES:
            self._refuse(431)
            raise _TooLarge

    def on_headers_complete(self) -> None:
        """A head is complete."""
        self._silent_bytes = 0
        self._stop()
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are not an HTTP request, or whose address cannot be read."""
        self._refuse(400)

    def _begin(self) -> None:
        self._stop()
        self._head_bytes = 0
        self._timer = self.loop.call_later(HEAD_SECONDS, self._refuse, 408)

    def _stop(self) -> None:
        for timer in (self._timer, self._ending):
            if timer is not None:
                timer.cancel()
        self._timer = self._ending = None

    def _is_idle(self) -> bool:
        cycle = cast("RequestResponseCycle | None", self.cycle)
        return cycle is None or cycle.response_complete

    def _refuse(self, status: int) -> None:
        """Close the connection. Say why, unless an answer is already being sent."""
        self._stop()
        if self.transport.is_closing():
            return
        if self._is_idle():
            self.transport.write(_answer(status))
        self.transport.close()


def _answer(status: int) -> bytes:
    """An answer to bytes that never become a request: problem details like any other."""
    found = {"type": "about:blank", "title": _TITLES[status], "status": status}
    body = msgspec.json.encode(found)
    head = (
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
        "content-type: application/problem+json\r\n"
        f"content-length: {len(body)}\r\n"
        "connection: close\r\n\r\n"
    )
    return head.encode() + body
