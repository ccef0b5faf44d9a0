"""Races to fold: those of the Formula One data where it is present, else a made-up season."""

import csv
import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from examples.motor_sport.championship import Finish, Race, numbered

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "f1"
NONE = r"\N"
YEAR = 2026
SEED = 2841  # two drivers level on points and wins, and two level in everything
DRIVERS = ("Abara", "Brandt", "Castro", "Dubois", "Egede", "Farkas", "Grimaldi", "Holm")
POINTS = (10, 6, 4, 3, 2, 1)
ROUNDS = 6
RETIRES = 0.15


def rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a CSV file."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def read_races(folder: Path, first: int, last: int = 9999) -> list[Race]:
    """The races of those years in `folder`, by season and round. Their results are all there."""
    names = {d["driverId"]: f"{d['forename']} {d['surname']}" for d in rows(folder / "drivers.csv")}
    finishes: defaultdict[str, list[Finish]] = defaultdict(list)
    for each in sorted(rows(folder / "results.csv"), key=lambda row: int(row["positionOrder"])):
        finishes[each["raceId"]].append(_finish(each, names, sprint=False))
    for each in rows(folder / "sprint_results.csv"):
        finishes[each["raceId"]].append(_finish(each, names, sprint=True))
    races = [
        Race(
            each["raceId"],
            int(each["year"]),
            int(each["round"]),
            each["name"],
            datetime.fromisoformat(each["date"]).replace(tzinfo=UTC),
            tuple(finishes[each["raceId"]]),
        )
        for each in rows(folder / "races.csv")
        if first <= int(each["year"]) <= last
    ]
    return numbered(sorted(races, key=lambda race: (race.season, race.round)))


def _finish(row: dict[str, str], names: dict[str, str], *, sprint: bool) -> Finish:
    driver, points = row["driverId"], float(row["points"])
    position = 0 if row["position"] == NONE else int(row["position"])
    whole = int(points) if points.is_integer() else points
    return Finish(driver, names[driver], position, whole, sprint)


def made_up_races() -> list[Race]:
    """A season of six races that nobody drove, always the same."""
    source = random.Random(SEED)
    start = datetime(YEAR, 4, 5, 14, tzinfo=UTC)
    races = [
        Race(
            f"{YEAR}-{number}",
            YEAR,
            number,
            f"Round {number}",
            start + timedelta(weeks=2 * number),
            tuple(_made_up_finishes(source)),
        )
        for number in range(1, ROUNDS + 1)
    ]
    return numbered(races)


def _made_up_finishes(source: random.Random) -> Iterator[Finish]:
    order = source.sample(DRIVERS, len(DRIVERS))
    finishing = [name for name in order if source.random() >= RETIRES]
    for name in order:
        position = finishing.index(name) + 1 if name in finishing else 0
        points = POINTS[position - 1] if 0 < position <= len(POINTS) else 0
        yield Finish(name.lower(), name, position, points)
