"""A motor sport championship, race by race: python -m examples.motor_sport [YEAR]

It shows a total of points with countback over thirty places, a season a year, places that are
shared by who is level in everything, and that a race sent twice counts once. A year is read from
the Formula One data in ../shared/data/f1; without a year, or the data, the season is made up.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from examples.clock import Clock
from examples.motor_sport.championship import BOARD, Race, countback, open_book, submit
from examples.motor_sport.races import DATA, made_up_races, read_races
from rankbook import Rankbook, Standings

LINES = 10


def leaders(book: Rankbook, race: Race) -> str:
    """Who leads after a race."""
    standings = book.ranking(BOARD, period=str(race.season)).top(3)
    return ", ".join([f"{e.rank}. {e.profile['name']} {e.score:f}" for e in standings.entries])


def season(directory: Path, races: Sequence[Race]) -> Standings:
    """Fold a season race by race, and print it. Its final standings."""
    clock = Clock(races[0].at.isoformat())
    with open_book(directory, races, clock) as book:
        print(f"The season of {races[0].season}, and who leads after each race:")
        for race in races:
            clock.set(race.at)
            submit(book, race)
            print(f"  {race.round:>2}  {race.name:32} {leaders(book, race)}")
        submit(book, races[-1])
        print("\nThe last race was sent twice, and counts once. The standings:")
        final = book.ranking(BOARD, period=str(races[0].season)).top(1000)
        show(final)
        print(f"\nThe log and the rankings agree: {book.verify().agrees}")
    return final


def show(final: Standings) -> None:
    """Print the first lines, and say where points alone would not have decided."""
    for entry in final.entries[:LINES]:
        places = countback(entry.measures)
        print(f"  {entry.rank:>2}  {entry.profile['name']:24} {entry.score:>7f}  {places}")
    for above, below in zip(final.entries, final.entries[1:], strict=False):
        pair = f"{above.profile['name']} and {below.profile['name']}"
        if above.rank == below.rank:
            print(f"  {pair} are level in everything: they share place {above.rank}.")
        elif above.score == below.score and above.rank < LINES:
            names = [n for n in above.measures if above.measures[n] != below.measures[n]]
            print(f"  {pair} are level on points; the number of {names[0]} decides.")


def main(arguments: Sequence[str] = ()) -> int:
    """Print the season of a year; the exit code is 2 where there is none."""
    parser = argparse.ArgumentParser(prog="python -m examples.motor_sport", description=__doc__)
    parser.add_argument("year", type=int, nargs="?", help="a season of the data (default: made up)")
    year = parser.parse_args(arguments).year
    if year is not None and not DATA.is_dir():
        print(f"no data in {DATA}; without a year the season is made up", file=sys.stderr)
        return 2
    races = made_up_races() if year is None else read_races(DATA, year, year)
    if not races:
        print(f"there were no races in {year}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="rankbook-motor-sport-") as directory:
        season(Path(directory), races)
    return 0
