"""Reads, declared once: `read` and `Reading` hold what all handlers share.

A handler's docstring documents its endpoint: the first line is the summary, the rest describes it.
Its query parameters are those that a request may have; any other is refused.
"""

import inspect
from collections.abc import Callable
from typing import Any

from litestar import Response, get
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter, SkipValidation

from rankbook.book import RankingView
from rankbook.http.api.parameters import (
    AnyRequest,
    BoardName,
    PeriodId,
    PlayerId,
    WindowName,
    player_of,
    reject_unknown,
    tags_of,
)
from rankbook.http.body_cache import CachedBody, Content, FindViews, Render, matches
from rankbook.http.openapi.responses import documented
from rankbook.http.service import Service

JSON = "application/json"
OF_RANKING = ("window", "period")
TAGS = (
    "A ranking under tags is asked for with a parameter `tag.NAME=VALUE` for each tag of the"
    " split, such as `tag.mode=time`; without any, the overall ranking is read."
)

Decorator = Callable[[Callable[..., Any]], HTTPRouteHandler]


class Read:
    """Answers one request with a cached body, or with 304 if the client already has it."""

    def __init__(self, request: AnyRequest, served: Service) -> None:
        self.served = served
        self._request = request

    async def __call__(
        self, views: FindViews, render: Render, *, whole: bool = False
    ) -> Response[Any]:
        """The response with what `render` makes of `views`.

        A body is valid while the rankings in it keep their versions. A `whole` body shows parts of
        many rankings, and is valid until anything is written.
        """
        key, route = cache_key(self._request.scope), self._request.scope.get("path_template", "")
        bodies = self.served.bodies
        body = await self.served.read(
            lambda: bodies.get_or_make(key, views, render, whole=whole, route=route), long=whole
        )
        return _response(body, self._request.headers.get("if-none-match"))


class RankingRead:
    """Answers a request for one ranking. It has the parameters that name the ranking."""

    def __init__(self, read: Read, wanted: Callable[[], RankingView], *, named: bool) -> None:
        """`named`: the request names a period. So once the period is sealed, the body never
        changes."""
        self._read = read
        self._wanted = wanted
        self._named = named

    async def __call__(self, answer: Callable[[RankingView], object]) -> Response[Any]:
        """The response with the answer from a view of the ranking. Raises `NotFound`."""

        def render(views: list[RankingView]) -> Content:
            [view] = views
            # Asked first: what is read afterwards has everything that was recorded before the seal.
            final = self._named and view.is_final()
            return Content(answer(view), sealed=final)

        return await self._read(lambda: [self._wanted()], render)


async def _read(request: AnyRequest, state: State) -> Read:
    return Read(request, state.served)


async def _ranking(
    request: AnyRequest,
    state: State,
    board: BoardName,
    window: WindowName = None,
    period: PeriodId = None,
) -> RankingRead:
    served: Service = state.served
    tags = tags_of(request)
    return RankingRead(
        Read(request, served),
        lambda: served.book.ranking(board, window=window, period=period, tags=tags),
        named=period is not None,
    )


async def _player_id(request: AnyRequest, player: PlayerId) -> str:
    return player_of(request, player)


PROVIDED = {"read": Provide(_read), "ranking": Provide(_ranking), "player_id": Provide(_player_id)}
OneRead = NamedDependency[SkipValidation[Read]]
OneRanking = NamedDependency[SkipValidation[RankingRead]]
OnePlayer = NamedDependency[str]


def read(path: str, group: str, content: Any, example: object, shows: str) -> Decorator:
    """A handler of a read: answers `content`, which `shows` describes, and has an `example`."""

    def declared(handler: Callable[..., Any]) -> HTTPRouteHandler:
        summary, _, description = inspect.cleandoc(handler.__doc__ or "").partition("\n\n")
        names = [*query_names(handler)]
        of_ranking = "ranking" in inspect.signature(handler).parameters
        if of_ranking:
            names = [*OF_RANKING, *names]
            description = f"{description} {TAGS}"

        async def only_known(connection: ASGIConnection[Any, Any, Any, Any], _: object) -> None:
            reject_unknown(connection.query_params, *names, tags=of_ranking)

        return get(
            path,
            tags=[group],
            summary=summary.rstrip("."),
            description=" ".join(description.split()),
            responses=documented(content, shows, example),
            guards=[only_known],
        )(handler)

    return declared


def query_names(handler: Callable[..., Any]) -> list[str]:
    """The query parameters of a handler; a star follows one that may be given many times."""
    names: list[str] = []
    for name, parameter in inspect.signature(handler).parameters.items():
        for mark in getattr(parameter.annotation, "__metadata__", ()):
            if isinstance(mark, QueryParameter):
                many = "" if mark.max_items is None else "*"
                names.append((mark.name or name) + many)
    return names


def cache_key(scope: Any) -> tuple[bytes, bytes]:
    """The key under which a body is cached: the path and the query as they were sent."""
    path = scope.get("raw_path") or scope["path"].encode()
    return path, scope["query_string"]


def _response(body: CachedBody, known: str | None) -> Response[Any]:
    """The response with the body, or a 304 if `known`, the If-None-Match, names its tag."""
    headers = {name.decode(): value.decode() for name, value in body.headers}
    if known is not None and matches(known.encode("latin-1"), body.etag):
        return Response(b"", status_code=304, headers=headers, media_type=JSON)
    return Response(body.body, headers=headers, media_type=JSON)
