"""Live: server-sent events that say what changed on a board, as it happens.

A stream holds only the log position up to which it has reported. It reads later changes from the
log when there are any. So a slow client costs no memory and gets many changes as one. It can come
back to any process, with that position as its Last-Event-ID.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Literal

import msgspec
from litestar import get
from litestar.datastructures import State
from litestar.exceptions import HTTPException
from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import Example
from litestar.types import ASGIApp, ControllerRouterHandler, Receive, Scope, Send

from rankbook.errors import LogError, StoreError
from rankbook.http.api.guards import require, stays
from rankbook.http.api.parameters import AnyRequest, BoardName, reject_unknown
from rankbook.http.body_cache import encoder
from rankbook.http.changes import TooFar
from rankbook.http.openapi.examples import CHANGES
from rankbook.http.openapi.responses import READ_PROBLEMS, problems
from rankbook.http.service import Service

MEDIA_TYPE = "text/event-stream"
RETRY_MILLISECONDS = 2000

HEADERS = [
    (b"content-type", MEDIA_TYPE.encode()),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]


class ServerSentEvent(msgspec.Struct, frozen=True):
    """An event of a stream. `data` is JSON: for `changes` what changed, and for `position` and
    `reset` only the position. The position is also the `id`."""

    id: str
    event: Literal["changes", "position", "reset"]
    data: str


class _NotReading(Exception):
    """The client has not read for too long."""


class Stream:
    """One client's stream, as an ASGI application. It ends with the client or with the service."""

    def __init__(
        self, served: Service, board: str, after: int | None, stays: Callable[[], bool]
    ) -> None:
        """`after` is the position that the client knows, or None for a new stream. `stays` says
        whether the client's key is still valid."""
        self._served = served
        self._board = board
        self._after = after
        self._stays = stays

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send changes until the client leaves, stops reading, or the service stops."""
        self._send: Any = send
        gone = asyncio.create_task(_disconnected(receive))
        telling = asyncio.create_task(self._tell())
        self._served.streams += 1
        try:
            await asyncio.wait({gone, telling}, return_when=asyncio.FIRST_COMPLETED)
            if telling.done():
                with suppress(_NotReading):
                    telling.result()
        finally:
            self._served.streams -= 1
            for task in (gone, telling):
                task.cancel()
            await asyncio.gather(gone, telling, return_exceptions=True)

    async def _tell(self) -> None:
        watch, heartbeat = self._served.watch, self._served.settings.heartbeat_seconds
        position = await watch.position()
        await self._out({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self._begin(position)
        while not watch.stopped and self._stays():
            try:
                async with asyncio.timeout(heartbeat):
                    position = await watch.changed(self._position)
            except TimeoutError:
                await self._frame(f"id: {self._position}\n: still here\n\n".encode())
            else:
                await self._catch_up(position)
        await self._out({"type": "http.response.body", "body": b"", "more_body": False})

    async def _begin(self, position: int) -> None:
        """Send the position of a new stream. A client that comes back gets what it missed."""
        self._position = position if self._after is None else self._after
        await self._frame(f"retry: {RETRY_MILLISECONDS}\n".encode())
        if self._after is None:
            await self._frame(event("position", position, b'{"position":%d}' % position))
        elif self._after != position:
            await self._catch_up(position)

    async def _catch_up(self, position: int) -> None:
        """Send what changed up to a position, or a `reset` if that is too much."""
        if position == self._position or not self._stays():
            return
        try:
            changes = (await self._served.changes.between(self._position, position)).get(
                self._board
            )
        except TooFar:
            frame = event("reset", position, b'{"position":%d}' % position)
        except (LogError, StoreError):
            # It is told later: the position stays where it is.
            await asyncio.sleep(self._served.settings.watch_seconds)
            return
        else:
            frame = event("changes", position, encoder.encode(changes)) if changes else b""
        if frame:
            await self._frame(frame)
        self._position = position

    async def _frame(self, frame: bytes) -> None:
        await self._out({"type": "http.response.body", "body": frame, "more_body": True})

    async def _out(self, message: Any) -> None:
        """Send, or give up on a client that does not read."""
        try:
            async with asyncio.timeout(self._served.settings.send_seconds):
                await self._send(message)
        except TimeoutError:
            raise _NotReading from None


def event(name: str, position: int, data: bytes) -> bytes:
    """A server-sent event. JSON contains no line ends, so its data is one line."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (position, name.encode(), data)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def last_event_id(request: AnyRequest) -> int | None:
    """The position in the Last-Event-ID header, or in the parameter `after`. Raises 400."""
    text = request.headers.get("last-event-id") or request.query_params.get("after")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise HTTPException(status_code=400, detail="Last-Event-ID is not one that was given here")
    return int(text)


@get(
    "/v1/boards/{board:str}/live",
    guards=[require("read")],
    tags=["live"],
    summary="What changes on a board, as it happens",
    description="Server-sent events. `changes` has what changed in each ranking of the board,"
    " several changes of a player in one. `position` is the first event of a new stream, and"
    " `reset` says that too much has happened to be told: read the rankings anew. An id is a log"
    " position; a client that comes back with it as Last-Event-ID, or as the parameter `after`, is"
    " told what it missed. A comment comes when nothing else has for a while.",
    responses={
        200: ResponseSpec(
            ServerSentEvent,
            description="The events of the stream, one by one.",
            media_type=MEDIA_TYPE,
            examples=[
                Example(
                    value=ServerSentEvent("2", "changes", msgspec.json.encode(CHANGES).decode())
                )
            ],
            generate_examples=False,
        ),
        **problems(READ_PROBLEMS),
    },
)
async def live(state: State, request: AnyRequest, board: BoardName) -> ASGIApp:
    """The stream of one board's changes."""
    served: Service = state.served
    reject_unknown(request.query_params, "after")
    served.book.spec.board(board)
    if served.streams >= served.settings.live_clients:
        raise HTTPException(
            status_code=503, detail="too many streams are open", headers={"Retry-After": "10"}
        )
    await served.watch.position()
    return Stream(served, board, last_event_id(request), stays(request))


handlers: list[ControllerRouterHandler] = [live]
