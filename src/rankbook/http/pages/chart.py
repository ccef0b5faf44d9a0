"""The geometry of an SVG with a player's seasons side by side: scores as points, ranks below."""

from collections.abc import Sequence

import msgspec

from rankbook.http.pages.formatting import number
from rankbook.model import PlayerPeriod

LEAST_STEP, MOST_STEP, ROOM = 40, 112, 1160
HEIGHT, TOP, BOTTOM = 232, 34, 150
MOST_PERIODS = 31
DAY = len("2026-11-30")


class Point(msgspec.Struct, frozen=True):
    """A period: the place of its column, and the point of its score if the player has one."""

    period: PlayerPeriod
    x: float
    y: float | None
    label: str
    score: str
    rank: str


class Chart(msgspec.Struct, frozen=True):
    """Everything that the SVG draws. `lines` join the points of consecutive periods."""

    width: int
    height: int
    step: float
    points: tuple[Point, ...]
    lines: tuple[str, ...]
    grid: tuple[float, ...]
    low: str
    high: str


def chart(newest_first: Sequence[PlayerPeriod], *, descending: bool) -> Chart | None:
    """The last periods up to the newest, oldest first. None if the player has no score.

    Better is higher: if the order ascends, the lower score is drawn higher.
    """
    periods = list(reversed(newest_first[:MOST_PERIODS]))
    scores = [each.score for each in periods if each.score is not None]
    if not scores:
        return None
    low, high = min(scores), max(scores)
    step = max(LEAST_STEP, min(MOST_STEP, ROOM / len(periods)))
    points: list[Point] = []
    for index, each in enumerate(periods):
        y = None if each.score is None else _height(float(each.score), low, high, descending)
        x = round((index + 0.5) * step, 1)
        rank = "" if each.rank is None else number(each.rank)
        points.append(Point(each, x, y, _label(each.period.id), number(each.score), rank))
    return Chart(
        width=round(step * len(periods)),
        height=HEIGHT,
        step=step,
        points=tuple(points),
        lines=tuple(_lines(points)),
        grid=(TOP, round((TOP + BOTTOM) / 2, 1), BOTTOM),
        low=number(low if descending else high),
        high=number(high if descending else low),
    )


def _height(score: float, low: object, high: object, descending: bool) -> float:
    least, most = float(str(low)), float(str(high))
    share = 0.5 if most == least else (score - least) / (most - least)
    return round(BOTTOM - (share if descending else 1 - share) * (BOTTOM - TOP), 1)


def _lines(points: Sequence[Point]) -> list[str]:
    runs: list[list[str]] = [[]]
    for point in points:
        if point.y is None:
            runs.append([])
        else:
            runs[-1].append(f"{point.x},{point.y}")
    return [" ".join(run) for run in runs if len(run) > 1]


def _label(period: str) -> str:
    """A day without its year; other periods by their names."""
    return period[5:] if len(period) == DAY and period[4] == "-" else period
