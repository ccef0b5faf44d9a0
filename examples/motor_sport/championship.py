"""The championship as a board: points, and countback where they are equal.

Who has more first places stands higher; among those, who has more second places, and so on down to
the thirtieth. Sprints give points and no places. A season is a period of the board.

Who is level in everything shares a place. Formula One's standings share none: there the board is
made with `parted`, and who came into the season earlier, by the order of the first race, stands
higher. That is a column of the order like the others, so it holds in every view.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from rankbook import Board, BookSpec, Event, Measure, Rankbook, Receipt
from rankbook.book import Clock
from rankbook.model import Number
from rankbook.rules import Season

PLACES = 30
BOARD = "drivers"


class Finish(NamedTuple):
    """What one driver got from one race. `position` is 0 for who is not classified.

    `entered` is the driver's number in the season, with the first finish there, and 0 with others.
    """

    driver: str
    name: str
    position: int
    points: int | float
    sprint: bool = False
    entered: int = 0


class Race(NamedTuple):
    """A race of a season, which is a year. Finishes stand in their order, the retired last."""

    id: str
    season: int
    round: int
    name: str
    at: datetime
    finishes: tuple[Finish, ...]


def numbered(races: Iterable[Race]) -> list[Race]:
    """The same races, with the drivers of each season numbered as they come in."""
    found: list[Race] = []
    seasons: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for race in races:
        known = seasons[race.season]
        finishes: list[Finish] = []
        for each in race.finishes:
            new = each.driver not in known
            number = known.setdefault(each.driver, len(known) + 1)
            finishes.append(each._replace(entered=number if new else 0))
        found.append(race._replace(finishes=tuple(finishes)))
    return found


def board(seasons: Iterable[int], *, parted: bool = False) -> Board:
    """The championship, whose seasons are these years; `parted` leaves no places to share."""
    countback = {f"p{place}": Measure(f"position == {place}") for place in range(1, PLACES + 1)}
    measures = {"points": Measure("points", "decimal(2)"), **countback}
    order = [f"{name} desc" for name in measures]
    if parted:
        measures["entered"] = Measure("entered")
        order.append("entered asc")
    return Board(
        name=BOARD,
        measures=measures,
        order_by=tuple(order),
        keep="total",
        windows=("season",),
        seasons=tuple([Season(str(y), f"{y}-01-01", f"{y + 1}-01-01") for y in sorted(seasons)]),
        numbering="competition",
    )


def open_book(
    directory: Path, races: Iterable[Race], clock: Clock, *, parted: bool = False
) -> Rankbook:
    """A book in `directory` for the seasons of these races."""
    ranked = board({race.season for race in races}, parted=parted)
    return Rankbook.open(
        directory, spec=BookSpec(name="motor-sport", boards=(ranked,)), clock=clock
    )


def events(race: Race) -> list[Event]:
    """A race as events: the same race always has the same ones, so it may be sent twice."""
    return [
        Event(
            id=f"{race.id}/{'sprint' if each.sprint else 'race'}/{each.driver}",
            player=each.driver,
            at=race.at,
            values={
                "points": each.points,
                "position": 0 if each.sprint else each.position,
                "entered": each.entered,
            },
            profile={"name": each.name},
        )
        for each in race.finishes
    ]


def submit(book: Rankbook, race: Race) -> list[Receipt]:
    """Record and rank a race in one step."""
    return book.submit_many(events(race), ranks=False)


def countback(measures: dict[str, Number]) -> str:
    """The places of an entry as people write them: "2 x 1st"."""
    words = {"p1": "1st", "p2": "2nd", "p3": "3rd"}
    found = {name: n for name, n in measures.items() if n and name not in ("points", "entered")}
    return ", ".join([f"{n} x {words.get(p, p[1:] + 'th')}" for p, n in found.items()]) or "-"
