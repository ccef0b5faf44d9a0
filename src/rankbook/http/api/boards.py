"""Reads of what a book ranks: boards with their windows and splits, and periods with entries."""

from typing import Annotated, Any

import msgspec
from litestar import Response
from litestar.params import QueryParameter
from litestar.types import ControllerRouterHandler

from rankbook.http.api.parameters import BoardName
from rankbook.http.api.reads import OneRead, read
from rankbook.http.body_cache import Content
from rankbook.http.openapi import examples
from rankbook.http.service import Service
from rankbook.model import PeriodSummary
from rankbook.rules import Board

GROUP = "boards"

Window = Annotated[
    str | None, QueryParameter(description="A window of the board; else all.", max_length=64)
]

MOST_PERIODS = 100
PeriodLimit = Annotated[
    int, QueryParameter(description="How many periods of a window at most.", ge=1, le=1000)
]
Before = Annotated[
    str | None,
    QueryParameter(description="A period of the window; only earlier ones.", max_length=64),
]


class BoardSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What readers need to know of a board. Each of `splits` lists the tags of a ranking; the empty
    one is overall."""

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
    """The periods of a board that have entries, the newest first."""

    board: str
    periods: tuple[PeriodSummary, ...]


@read("/boards", GROUP, Boards, examples.BOARDS, "Every board and bundle.")
async def boards(read: OneRead) -> Response[Any]:
    """The boards and bundles.

    What the book ranks.
    """
    return await read(lambda: [], lambda _views: Content(_boards(read.served)))


def _boards(served: Service) -> Boards:
    spec = served.book.spec
    return Boards(
        name=spec.name,
        boards=tuple([summary(board) for board in spec.boards]),
        bundles=tuple([bundle.name for bundle in spec.bundles]),
    )


def summary(board: Board) -> BoardSummary:
    """What readers need to know of a board."""
    return BoardSummary(**{name: getattr(board, name) for name in BoardSummary.__struct_fields__})


@read("/boards/{board:str}/periods", GROUP, Periods, examples.PERIODS, "The periods.")
async def periods(
    read: OneRead,
    board: BoardName,
    window: Window = None,
    limit: PeriodLimit = MOST_PERIODS,
    before: Before = None,
) -> Response[Any]:
    """The periods that have entries.

    They are those of one window, or of all windows, the newest first. Each has its bounds, says
    whether it is sealed, and gives the number of entries of its largest ranking. To continue, name
    the oldest of them as `before`.
    """
    served = read.served

    def render(_views: object) -> Content:
        found = served.book.periods(board, window, limit=limit, before=before)
        return Content(Periods(board=board, periods=tuple(found)))

    return await read(lambda: served.running(board), render, whole=True)


handlers: list[ControllerRouterHandler] = [boards, periods]
