"""Reads of a ranking by score: the entries between two scores, and how the scores are spread."""

from typing import Annotated, Any

from litestar import Response
from litestar.params import QueryParameter
from litestar.types import ControllerRouterHandler

from rankbook.book import MAX_BINS, TOP
from rankbook.errors import Refused
from rankbook.http.api.parameters import Limit, number, numbers
from rankbook.http.api.reads import OneRanking, read
from rankbook.http.openapi import examples
from rankbook.model import Histogram, Standings

GROUP = "rankings"

Least = Annotated[
    str | None, QueryParameter(name="min", description="The least score.", max_length=40)
]
Most = Annotated[
    str | None, QueryParameter(name="max", description="The greatest score.", max_length=40)
]
Bins = Annotated[int, QueryParameter(description="How many at most.", ge=1, le=MAX_BINS)]
Edges = Annotated[
    list[str] | None, QueryParameter(description="An edge; once for each.", max_items=MAX_BINS)
]


@read(
    "/boards/{board:str}/scores",
    GROUP,
    Standings,
    examples.STANDINGS,
    "The entries within the bounds.",
)
async def scores(
    ranking: OneRanking, least: Least = None, most: Most = None, limit: Limit = TOP
) -> Response[Any]:
    """The entries between two scores.

    At most `limit` entries with min <= score <= max, best first. A bound is exact: `64.10` is not
    rounded.
    """
    low, high = number(least, "min"), number(most, "max")
    if low is not None and high is not None and low > high:
        raise Refused("min", f"is {least}, more than max, which is {most}")
    return await ranking(lambda view: view.scores(low, high, limit))


@read("/boards/{board:str}/histogram", GROUP, Histogram, examples.HISTOGRAM, "The bins.")
async def histogram(ranking: OneRanking, bins: Bins = 10, edges: Edges = None) -> Response[Any]:
    """How the scores are spread.

    The number of entries in at most `bins` equal steps of the score, or below, between and above
    ascending `edges`.
    """
    cuts = numbers(edges, "edges") if edges else None
    return await ranking(lambda view: view.spread(bins, edges=cuts))


handlers: list[ControllerRouterHandler] = [scores, histogram]
