"""Reads of a ranking: a page, around a player, a player's place, and among players. It also lists
all reads."""

from typing import Annotated, Any

from litestar import Response, Router
from litestar.params import QueryParameter
from litestar.types import ControllerRouterHandler

from rankbook.book import AROUND, TOP
from rankbook.http.api import boards, bundles, players, scores
from rankbook.http.api.guards import require
from rankbook.http.api.parameters import Limit
from rankbook.http.api.reads import PROVIDED, OnePlayer, OneRanking, read
from rankbook.http.openapi import examples
from rankbook.model import Friends, PlayerStanding, Standings

GROUP = "rankings"

Cursor = Annotated[
    str | None, QueryParameter(description="A cursor that another page gave.", max_length=2000)
]
Players = Annotated[
    list[str],
    QueryParameter(description="A player's id; once for each.", min_items=1, max_items=1000),
]


@read("/boards/{board:str}/ranking", GROUP, Standings, examples.STANDINGS, "A page of the ranking.")
async def ranking(ranking: OneRanking, limit: Limit = TOP, cursor: Cursor = None) -> Response[Any]:
    """A page of a ranking.

    The first entries, or the entries from a cursor on. The cursors `next` and `previous` lead to
    the pages beside it. A cursor marks a place in the order, so no entry comes twice or is missed
    while others move.
    """
    return await ranking(lambda view: view.page(limit, cursor))


@read(
    "/boards/{board:str}/around/{player:path}",
    GROUP,
    Standings,
    examples.STANDINGS,
    "The entries around the player's.",
)
async def around(ranking: OneRanking, player_id: OnePlayer, limit: Limit = AROUND) -> Response[Any]:
    """The entries around a player.

    `limit` entries with the player's entry among them, in the middle unless an edge is near.
    Without an entry of the player there are none.
    """
    return await ranking(lambda view: view.around(player_id, limit))


@read(
    "/boards/{board:str}/players/{player:path}",
    GROUP,
    PlayerStanding,
    examples.PLACE,
    "The player's place.",
)
async def place(ranking: OneRanking, player_id: OnePlayer) -> Response[Any]:
    """A player's place in a ranking.

    The entry with its rank, the percentile, and the number of entries. Without an entry of the
    player, `entry`, `rank` and `percentile` are null.
    """
    return await ranking(lambda view: view.standing(player_id))


@read(
    "/boards/{board:str}/among",
    GROUP,
    Friends,
    examples.FRIENDS,
    "The players that have entries.",
)
async def among(ranking: OneRanking, player: Players) -> Response[Any]:
    """Some players among themselves.

    The entries of up to 1,000 players, best first, with their ranks among themselves and among all.
    `missing` names the players without an entry.
    """
    return await ranking(lambda view: view.among(player))


handlers: list[ControllerRouterHandler] = [
    Router(
        "/v1",
        guards=[require("read")],
        dependencies=PROVIDED,
        route_handlers=[
            *(*boards.handlers, *players.handlers, *bundles.handlers),
            *(ranking, around, place, among, *scores.handlers),
        ],
    )
]
