"""Answers of reads: a kept body with its ETag, or 304 where the client has it already."""

from collections.abc import Callable
from typing import Any

from litestar import Response
from litestar.datastructures import State

from rankbook.book import RankingView
from rankbook.http.api.parameters import Asked, tags_of
from rankbook.http.body_cache import Kept, Show, Shown, Views, matches
from rankbook.http.service import Service

JSON = "application/json"


async def answer(
    served: Service, request: Asked, views: Views, show: Show, *, whole: bool = False
) -> Response[Any]:
    """The answer to a read: what `show` makes of `views`, or the same as kept from before.

    A body is kept by the versions of the rankings that it shows; a `whole` one, which shows parts
    of many, until something is written.
    """
    key, route = key_of(request.scope), request.scope.get("path_template", "")
    kept = await served.read(
        lambda: served.bodies.made(key, views, show, whole=whole, route=route), long=whole
    )
    return response(kept, request.headers.get("if-none-match"))


async def of_view(
    state: State,
    request: Asked,
    board: str,
    window: str | None,
    period: str | None,
    read: Callable[[RankingView], object],
) -> Response[Any]:
    """The answer to a read of one ranking, kept by its version.

    Raises `NotFound` and says what exists.
    """
    served: Service = state.served
    tags = tags_of(request)

    def views() -> list[RankingView]:
        return [served.book.ranking(board, window=window, period=period, tags=tags)]

    def show(views: list[RankingView]) -> Shown:
        [view] = views
        # Asked before: what is read then has everything that the seal came after.
        final = period is not None and view.is_final()
        return Shown(read(view), sealed=final)

    return await answer(served, request, views, show)


def key_of(scope: Any) -> tuple[bytes, bytes]:
    """What a body is kept under: the path and the query as they were sent."""
    path = scope.get("raw_path") or scope["path"].encode()
    return path, scope["query_string"]


def response(kept: Kept, known: str | None) -> Response[Any]:
    """A body, or 304 without one where `known`, the If-None-Match, names its tag."""
    headers = {name.decode(): value.decode() for name, value in kept.headers}
    if known is not None and matches(known.encode("latin-1"), kept.etag):
        return Response(b"", status_code=304, headers=headers, media_type=JSON)
    return Response(kept.body, headers=headers, media_type=JSON)
