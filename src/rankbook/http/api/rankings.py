"""Reads of a ranking: a page, around a player, a player's place, among players; and all reads."""

from typing import Annotated, Any

from litestar import Response, Router, get
from litestar.datastructures import State
from litestar.params import QueryParameter
from litestar.types import ControllerRouterHandler

from rankbook.book import RankingView
from rankbook.book.read.view import AROUND, TOP
from rankbook.errors import NotFound
from rankbook.http.api import boards, bundles, players, scores
from rankbook.http.api.guards import require
from rankbook.http.api.parameters import (
    OF_RANKING,
    TAGS,
    Asked,
    BoardName,
    Limit,
    PeriodId,
    PlayerId,
    WindowName,
    known,
    player_of,
)
from rankbook.http.api.responses import of_view
from rankbook.http.openapi import examples
from rankbook.http.openapi.responses import documented
from rankbook.model import Friends, PlayerStanding, Standings

TAGGED = ["rankings"]


@get(
    "/boards/{board:str}/ranking",
    tags=TAGGED,
    summary="A page of a ranking",
    description="The first entries, or those from a cursor on. A page has the cursors `next` and"
    " `previous` where there are any; by them no entry comes twice or is missed while others"
    f" move. {TAGS}",
    responses=documented(Standings, "A page of the ranking.", examples.STANDINGS),
)
async def ranking(
    state: State,
    request: Asked,
    board: BoardName,
    window: WindowName = None,
    period: PeriodId = None,
    limit: Limit = TOP,
    cursor: Annotated[
        str | None, QueryParameter(description="A cursor that another page gave.", max_length=2000)
    ] = None,
) -> Response[Any]:
    """A page of one ranking."""
    known(request, *OF_RANKING, "limit", "cursor")
    return await of_view(state, request, board, window, period, lambda v: v.page(limit, cursor))


@get(
    "/boards/{board:str}/around/{player:path}",
    tags=TAGGED,
    summary="The entries around a player",
    description=f"`limit` entries with the player's in the middle where the edges allow. {TAGS}",
    responses=documented(Standings, "The entries around the player's.", examples.STANDINGS),
)
async def around(
    state: State,
    request: Asked,
    board: BoardName,
    player: PlayerId,
    window: WindowName = None,
    period: PeriodId = None,
    limit: Limit = AROUND,
) -> Response[Any]:
    """The entries around a player's."""
    known(request, *OF_RANKING, "limit")
    asked = player_of(request, player)

    def read(view: RankingView) -> Standings:
        found = view.around(asked, limit)
        return found if found.entries else _nobody(view, asked)

    return await of_view(state, request, board, window, period, read)


@get(
    "/boards/{board:str}/players/{player:path}",
    tags=TAGGED,
    summary="A player's place in a ranking",
    description=f"The entry with its rank, and the percentile. {TAGS}",
    responses=documented(PlayerStanding, "The player's place.", examples.PLACE),
)
async def place(
    state: State,
    request: Asked,
    board: BoardName,
    player: PlayerId,
    window: WindowName = None,
    period: PeriodId = None,
) -> Response[Any]:
    """A player's entry and percentile."""
    known(request, *OF_RANKING)
    asked = player_of(request, player)
    return await of_view(state, request, board, window, period, lambda v: _place(v, asked))


def _place(view: RankingView, player: str) -> PlayerStanding:
    found = view.standing(player)
    if found.entry is None:
        _nobody(view, player)
    return found


@get(
    "/boards/{board:str}/among",
    tags=TAGGED,
    summary="Some players among themselves",
    description="The entries of up to 1,000 players, best first, with ranks among themselves and"
    f" among all; who has no entry is left out. {TAGS}",
    responses=documented(Friends, "The players that have entries.", examples.FRIENDS),
)
async def among(
    state: State,
    request: Asked,
    board: BoardName,
    player: Annotated[
        list[str],
        QueryParameter(description="A player's id; once for each.", min_items=1, max_items=1000),
    ],
    window: WindowName = None,
    period: PeriodId = None,
) -> Response[Any]:
    """A set of players in one ranking."""
    known(request, *OF_RANKING, "player*")
    return await of_view(state, request, board, window, period, lambda v: v.among(player))


def _nobody(view: RankingView, player: str) -> Standings:
    """Raises `NotFound`."""
    raise NotFound(
        f"player {player[:64]!r} has no entry in {view.ranking.name}, which has {view.count()}"
    )


handlers: list[ControllerRouterHandler] = [
    Router(
        "/v1",
        guards=[require("read")],
        route_handlers=[
            *boards.handlers,
            *players.handlers,
            *bundles.handlers,
            ranking,
            around,
            place,
            among,
            *scores.handlers,
        ],
    )
]
