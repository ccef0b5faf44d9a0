"""Reads of bundles: several rankings from one snapshot."""

import math
from typing import Annotated, Any

from litestar import Response
from litestar.params import PathParameter
from litestar.types import ControllerRouterHandler

from rankbook.book import BundleReading, RankingView
from rankbook.http.api.reads import OneRead, read
from rankbook.http.body_cache import Content
from rankbook.http.openapi import examples

BundleName = Annotated[str, PathParameter(description="The bundle's name.", max_length=64)]


@read(
    "/bundles/{name:str}", "bundles", BundleReading, examples.BUNDLE, "The rankings of the bundle."
)
async def bundle(read: OneRead, name: BundleName) -> Response[Any]:
    """Several rankings from one snapshot.

    The first entries of each ranking of the bundle, in the current periods. `position` is the log
    position at which they were read.
    """
    book = read.served.book
    wanted = book.spec.bundle(name)

    def render(_views: object) -> Content:
        # The position is in it, and may differ from process to process.
        seconds = wanted.max_age_seconds or math.inf
        return Content(book.bundle(name), exact=False, max_age_seconds=seconds)

    def views() -> list[RankingView]:
        return [book.ranking(r.board, window=r.window, tags=dict(r.tags)) for r in wanted.rankings]

    return await read(views, render)


handlers: list[ControllerRouterHandler] = [bundle]
