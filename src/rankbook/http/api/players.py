"""A player's view: the place in every current ranking, and in seasons and other periods so far."""

from typing import Any

import msgspec
from litestar import Response
from litestar.types import ControllerRouterHandler

from rankbook.book import Reader
from rankbook.errors import NotFound
from rankbook.http.api.reads import OnePlayer, OneRead, read
from rankbook.http.body_cache import Content
from rankbook.http.openapi import examples
from rankbook.model import PlayerPeriod, Standings
from rankbook.rules import ALL_TIME

MOST_PERIODS = 100


class Seasons(msgspec.Struct, frozen=True, kw_only=True):
    """How the player stood in the newest 100 periods of a window, the newest first. Only periods
    with an entry are listed."""

    board: str
    window: str
    tags: dict[str, str]
    periods: tuple[PlayerPeriod, ...]


class PlayerReading(msgspec.Struct, frozen=True, kw_only=True):
    """A player. `rankings` are the current rankings that have an entry, each with that entry
    alone."""

    player: str
    rankings: tuple[Standings, ...]
    seasons: tuple[Seasons, ...]


@read("/players/{player:path}", "players", PlayerReading, examples.PLAYER, "The player's places.")
async def player(read: OneRead, player_id: OnePlayer) -> Response[Any]:
    """A player in every ranking.

    The entry in each current ranking. For windows with several periods, also how the player stood
    in the newest 100 of them, overall and under the tags of those rankings.
    """
    served = read.served

    def render(_views: object) -> Content:
        return Content(served.book.snapshot(lambda reader: reading(reader, player_id)))

    return await read(served.running, render, whole=True)


def reading(reader: Reader, player: str) -> PlayerReading:
    """The player's places, now and before. Raises `NotFound` if there are none."""
    rankings = reader.player(player)
    seasons = [
        found
        for board in reader.spec.boards
        for window in board.windows
        if window != ALL_TIME
        for tags in _tags(board.name, () in board.splits, rankings)
        if (found := _seasons(reader, player, board.name, window, tags)).periods
    ]
    if not rankings and not seasons:
        there = ", ".join([board.name for board in reader.spec.boards])
        raise NotFound(f"player {player[:64]!r} has no entry on any board; there are: {there}")
    return PlayerReading(player=player, rankings=tuple(rankings), seasons=tuple(seasons))


def _tags(board: str, overall: bool, rankings: list[Standings]) -> list[dict[str, str]]:
    """Overall, if the board has that, and the tags of the player's current entries."""
    found: list[dict[str, str]] = [{}] if overall else []
    for each in rankings:
        if each.board == board and each.tags not in found:
            found.append(each.tags)
    return found


def _seasons(reader: Reader, player: str, board: str, window: str, tags: dict[str, str]) -> Seasons:
    periods = reader.player_periods(player, board, window, tags, limit=MOST_PERIODS)
    return Seasons(
        board=board,
        window=window,
        tags=tags,
        periods=tuple([each for each in periods if each.rank is not None]),
    )


handlers: list[ControllerRouterHandler] = [player]
