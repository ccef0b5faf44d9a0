"""Formula One since 1991, folded race by race, beside the official standings after every race.

python -m bench motor_sport [--json]

Prints a table by season and, last, one line of JSON. It needs the data in ../shared/data/f1:
without it the exit code is 2, or the measurement is skipped when all are run. A race is one batch,
durable in the log, with 32 measures an event; the rate is that of `submit_many` alone.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.common import per_second, progress
from examples.motor_sport.official import EQUAL, FIRST, OTHERS_FROM, Season, compare, summary
from examples.motor_sport.races import DATA

COLUMNS = ("season", "races", "events", "rows", "points", "wins", "positions", "differ", "rate")
LAST = 2025


def kind(year: int) -> str:
    """Which positions must be equal, which are reported, and which are of other rules."""
    if year in EQUAL:
        return "*"
    return "" if year >= OTHERS_FROM else "-"


def row(season: Season) -> list[str]:
    differing = season.rows - season.positions_equal
    return [
        f"{season.year} {kind(season.year)}",
        str(season.races),
        str(season.events),
        str(season.rows),
        *[
            "all" if equal == season.rows else str(equal)
            for equal in (season.points_equal, season.wins_equal, season.positions_equal)
        ],
        str(differing or ""),
        per_second(season.events, season.seconds),
    ]


def show(seasons: Sequence[Season]) -> None:
    title = "Rows equal to the official standings after every race"
    caption = f"*: all must be equal   -: before {OTHERS_FROM}, not among the positions below"
    table = Table(*COLUMNS, title=title, caption=caption)
    for season in seasons:
        table.add_row(*row(season))
    Console(width=None if sys.stdout.isatty() else 120).print(table)


def numbers(seasons: Sequence[Season]) -> dict[str, object]:
    events = sum(season.events for season in seasons)
    rate = events / sum(season.seconds for season in seasons)
    return {**summary(seasons), "events_per_second": round(rate)}


def measure() -> list[Season]:
    seasons: list[Season] = []
    with (
        tempfile.TemporaryDirectory(prefix="rankbook-motor-sport-") as work,
        progress(LAST - FIRST + 1) as step,
    ):
        step(f"season {FIRST}")
        for season in compare(DATA, Path(work)):
            seasons.append(season)
            step(f"after season {season.year}")
    return seasons


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench motor_sport", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the line of JSON only")
    options = parser.parse_args(arguments)
    if not DATA.is_dir():
        asked_for = len(sys.argv) > 1
        print(f"{'' if asked_for else 'skipped: '}needs the data in {DATA}", file=sys.stderr)
        if asked_for:
            raise SystemExit(2)
        return
    seasons = measure()
    if not options.json:
        show(seasons)
    print(json.dumps(numbers(seasons)), flush=True)
