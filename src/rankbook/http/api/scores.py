"""Reads of a ranking by score: the entries between two scores, and how the scores are spread."""

from typing import Annotated, Any

from litestar import Response, get
from litestar.datastructures import State
from litestar.params import QueryParameter
from litestar.types import ControllerRouterHandler

from rankbook.book import MAX_BINS, TOP
from rankbook.errors import Refused
from rankbook.http.api.parameters import (
    OF_RANKING,
    TAGS,
    Asked,
    BoardName,
    Limit,
    PeriodId,
    WindowName,
    known,
    number,
    numbers,
)
from rankbook.http.api.responses import of_view
from rankbook.http.openapi import examples
from rankbook.http.openapi.responses import documented
from rankbook.model import Histogram, Standings

TAGGED = ["rankings"]


@get(
    "/boards/{board:str}/scores",
    tags=TAGGED,
    summary="The entries between two scores",
    description="At most `limit` entries with min <= score <= max, best first. A bound is exact:"
    f" `64.10` is not rounded. {TAGS}",
    responses=documented(Standings, "The entries within the bounds.", examples.STANDINGS),
)
async def scores(
    state: State,
    request: Asked,
    board: BoardName,
    least: Annotated[
        str | None, QueryParameter(name="min", description="The least score.", max_length=40)
    ] = None,
    most: Annotated[
        str | None, QueryParameter(name="max", description="The greatest score.", max_length=40)
    ] = None,
    window: WindowName = None,
    period: PeriodId = None,
    limit: Limit = TOP,
) -> Response[Any]:
    """Entries by score."""
    known(request, *OF_RANKING, "min", "max", "limit")
    low, high = number(least, "min"), number(most, "max")
    if low is not None and high is not None and low > high:
        raise Refused("min", f"is {least}, more than max, which is {most}")
    return await of_view(
        state, request, board, window, period, lambda v: v.scores(low, high, limit)
    )


@get(
    "/boards/{board:str}/histogram",
    tags=TAGGED,
    summary="How the scores are spread",
    description="How many entries have which scores: in at most `bins` equal steps, or below,"
    f" between and above ascending `edges`. {TAGS}",
    responses=documented(Histogram, "The bins.", examples.HISTOGRAM),
)
async def histogram(
    state: State,
    request: Asked,
    board: BoardName,
    bins: Annotated[int, QueryParameter(description="How many at most.", ge=1, le=MAX_BINS)] = 10,
    edges: Annotated[
        list[str] | None, QueryParameter(description="An edge; once for each.", max_items=MAX_BINS)
    ] = None,
    window: WindowName = None,
    period: PeriodId = None,
) -> Response[Any]:
    """The spread of the scores of one ranking."""
    known(request, *OF_RANKING, "bins", "edges*")
    cuts = numbers(edges, "edges") if edges else None
    return await of_view(
        state, request, board, window, period, lambda v: v.spread(bins, edges=cuts)
    )


handlers: list[ControllerRouterHandler] = [scores, histogram]
