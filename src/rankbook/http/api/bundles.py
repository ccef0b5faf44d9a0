"""Reads of bundles: several rankings from one moment."""

import math
from typing import Annotated, Any

from litestar import Response, get
from litestar.datastructures import State
from litestar.params import PathParameter
from litestar.types import ControllerRouterHandler

from rankbook.book import BundleReading, Rankbook, RankingView
from rankbook.http.api.parameters import Asked, known
from rankbook.http.api.responses import answer
from rankbook.http.body_cache import Shown
from rankbook.http.openapi import examples
from rankbook.http.openapi.responses import documented
from rankbook.http.service import Service
from rankbook.rules import Bundle

BundleName = Annotated[str, PathParameter(description="The bundle's name.", max_length=64)]


@get(
    "/bundles/{name:str}",
    tags=["bundles"],
    summary="Several rankings from one moment",
    description="The first entries of each ranking of the bundle, in the periods that are running,"
    " all from one snapshot. `position` is the log position they were read at.",
    responses=documented(BundleReading, "The rankings of the bundle.", examples.BUNDLE),
)
async def bundle(state: State, request: Asked, name: BundleName) -> Response[Any]:
    """A bundle in its current periods."""
    served: Service = state.served
    known(request, tags=False)
    asked = served.book.spec.bundle(name)

    def show(_views: object) -> Shown:
        reading = served.book.bundle(name)
        # Where it was read is in it, and may differ from process to process.
        return Shown(reading, exact=False, max_age_seconds=asked.max_age_seconds or math.inf)

    return await answer(served, request, lambda: views(served.book, asked), show)


def views(book: Rankbook, bundle: Bundle) -> list[RankingView]:
    """The rankings of a bundle in their current periods."""
    return [
        book.ranking(each.board, window=each.window, tags=dict(each.tags))
        for each in bundle.rankings
    ]


handlers: list[ControllerRouterHandler] = [bundle]
