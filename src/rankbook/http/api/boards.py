"""Reads of what there is: boards with their windows and splits, and the periods with entries."""

from typing import Annotated, Any

import msgspec
from litestar import Response, get
from litestar.datastructures import State
from litestar.params import QueryParameter
from litestar.types import ControllerRouterHandler

from rankbook.http.api.parameters import Asked, BoardName, known
from rankbook.http.api.responses import answer
from rankbook.http.body_cache import Shown
from rankbook.http.openapi import examples
from rankbook.http.openapi.responses import documented
from rankbook.http.service import Service
from rankbook.model import PeriodSummary
from rankbook.rules import Board

TAGGED = ["boards"]


class BoardSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A board as readers need to know it. `splits` are lists of the tags that it is cut by, the
    empty one being overall."""

    name: str
    windows: tuple[str, ...]
    zone: str
    splits: tuple[tuple[str, ...], ...]
    order_by: tuple[str, ...]
    keep: str
    numbering: str
    details: tuple[str, ...]
    size: int | None
    seal: bool


class Boards(msgspec.Struct, frozen=True, kw_only=True):
    """The boards and bundles of the book, by name."""

    name: str
    boards: tuple[BoardSummary, ...]
    bundles: tuple[str, ...]


class Periods(msgspec.Struct, frozen=True, kw_only=True):
    """The periods of a board in which there are entries, the newest first."""

    board: str
    periods: tuple[PeriodSummary, ...]


@get(
    "/boards",
    tags=TAGGED,
    summary="The boards and bundles there are",
    responses=documented(Boards, "Every board and bundle.", examples.BOARDS),
)
async def boards(state: State, request: Asked) -> Response[Any]:
    """What the book ranks."""
    served: Service = state.served
    known(request, tags=False)
    return await answer(served, request, lambda: [], lambda _views: Shown(_boards(served)))


def _boards(served: Service) -> Boards:
    spec = served.book.spec
    return Boards(
        name=spec.name,
        boards=tuple([summary(board) for board in spec.boards]),
        bundles=tuple([bundle.name for bundle in spec.bundles]),
    )


def summary(board: Board) -> BoardSummary:
    """What readers need to know of a board."""
    return BoardSummary(
        name=board.name,
        windows=board.windows,
        zone=board.zone,
        splits=board.splits,
        order_by=board.order_by,
        keep=board.keep,
        numbering=board.numbering,
        details=board.details,
        size=board.size,
        seal=board.seal,
    )


@get(
    "/boards/{board:str}/periods",
    tags=TAGGED,
    summary="The periods that have entries",
    description="Of one window, or of all of them; the newest first, each with its bounds,"
    " whether it is sealed, and how many entries its largest ranking has.",
    responses=documented(Periods, "The periods.", examples.PERIODS),
)
async def periods(
    state: State,
    request: Asked,
    board: BoardName,
    window: Annotated[
        str | None, QueryParameter(description="A window of the board; else all.", max_length=64)
    ] = None,
) -> Response[Any]:
    """The periods of a board."""
    served: Service = state.served
    known(request, "window", tags=False)

    def read() -> Shown:
        found = served.book.periods(board, window)
        return Shown(Periods(board=board, periods=tuple(found)))

    return await answer(
        served, request, lambda: served.running(board), lambda _views: read(), whole=True
    )


handlers: list[ControllerRouterHandler] = [boards, periods]
