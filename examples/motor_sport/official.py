"""Holds the standings after every race against the official ones of the Formula One data."""

import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from examples.clock import Clock
from examples.motor_sport.championship import BOARD, Race, events, open_book
from examples.motor_sport.races import NONE, read_races, rows
from rankbook import Entry, Rankbook

FIRST = 1991  # before, only a driver's best results counted
EQUAL = frozenset((2003, 2008, 2009, 2012, 2013, 2016, 2017, 2020, 2021, 2023, 2024, 2025))
OTHERS_FROM = 2003  # before, some positions follow other rules


class Official(NamedTuple):
    """A driver's official line after a race."""

    driver: str
    points: Decimal
    position: int
    wins: int


@dataclass
class Season:
    """What was compared in a season, and how much of it was equal."""

    year: int
    races: int = 0
    events: int = 0
    seconds: float = 0.0
    rows: int = 0
    points_equal: int = 0
    wins_equal: int = 0
    positions_equal: int = 0

    def count(self, line: Official, entry: Entry | None) -> None:
        """Compare one line."""
        self.rows += 1
        if entry is not None:
            self.points_equal += entry.score == line.points
            self.wins_equal += entry.measures["p1"] == line.wins
            self.positions_equal += entry.rank == line.position


def read_official(folder: Path) -> dict[str, list[Official]]:
    """The official lines after each race that have a position."""
    found: defaultdict[str, list[Official]] = defaultdict(list)
    for row in rows(folder / "driver_standings.csv"):
        if row["position"] != NONE:
            position, wins = int(row["position"]), int(row["wins"])
            line = Official(row["driverId"], Decimal(row["points"]), position, wins)
            found[row["raceId"]].append(line)
    return found


def compare(folder: Path, work: Path) -> Iterator[Season]:
    """Fold every season since 1991 race by race, in one book under `work`, and compare."""
    official = read_official(folder)
    races = read_races(folder, FIRST)
    clock = Clock(races[0].at.isoformat())
    with open_book(work, races, clock, parted=True) as book:
        for year, run in groupby(races, key=lambda race: race.season):
            yield _season(book, clock, Season(year), list(run), official)


def _season(
    book: Rankbook,
    clock: Clock,
    season: Season,
    races: Sequence[Race],
    official: dict[str, list[Official]],
) -> Season:
    for race in races:
        clock.set(race.at)
        submitted = events(race)
        start = time.perf_counter()
        book.submit_many(submitted, ranks=False)
        season.seconds += time.perf_counter() - start
        season.races += 1
        season.events += len(submitted)
        standings = book.ranking(BOARD, period=str(season.year)).top(1000)
        entries = {entry.player: entry for entry in standings.entries}
        for line in official[race.id]:
            season.count(line, entries.get(line.driver))
    return season


def summary(seasons: Sequence[Season]) -> dict[str, int]:
    """The numbers over all seasons: positions where all of them must be equal, and elsewhere."""
    equal = [each for each in seasons if each.year in EQUAL]
    others = [each for each in seasons if each.year >= OTHERS_FROM and each.year not in EQUAL]
    return {
        "points_rows": sum(each.rows for each in seasons),
        "points_equal": sum(each.points_equal for each in seasons),
        "wins_equal": sum(each.wins_equal for each in seasons),
        "positions_rows": sum(each.rows for each in equal),
        "positions_equal": sum(each.positions_equal for each in equal),
        "other_positions_rows": sum(each.rows for each in others),
        "other_positions_equal": sum(each.positions_equal for each in others),
    }
