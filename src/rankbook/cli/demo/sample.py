"""A sample for demonstrations: players of a typing site, and a month of their results.

The sample depends only on the seed and on the moment at which it ends. The results before that
moment's day, and the scores of the day itself, depend only on the day.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from random import Random
from typing import NamedTuple

import msgspec

from rankbook.model import Event, Value

PLAYERS = 200
RESULTS = 20_000
DAYS = 30
OFFSET = timedelta(hours=5, minutes=30)

FIRST = (
    *("Asha", "Bram", "Chidi", "Dora", "Emil", "Femi", "Gita", "Hugo", "Ines", "Jonas"),
    *("Kiran", "Lena", "Mateo", "Noor", "Olga", "Priya", "Quinn", "Ravi", "Sofia", "Tariq"),
)
LAST = (
    *("Abe", "Berg", "Costa", "Desai", "Eze", "Fox", "Greco", "Haas", "Iyer", "Jansen"),
    *("Kim", "Lopez", "Mehta", "Novak", "Okoye", "Park", "Rao", "Silva", "Tanaka", "Weber"),
)
AVATARS = ("🦊", "🐼", "🦉", "🐢", "🐙", "🦁", "🐝", "🐧", "🦋", "🐬", "🦔", "🐸")


class Typist(NamedTuple):
    """A player, and how well they type: words a minute, and how far one test is from another."""

    player: str
    profile: dict[str, str]
    wpm: float
    spread: float


def typists(seed: int) -> list[Typist]:
    """The players, each with a name and an avatar."""
    rng = Random(seed)
    names = [(first, last) for last in LAST for first in FIRST]
    made: list[Typist] = []
    for first, last in rng.sample(names, PLAYERS):
        profile = {"name": f"{first} {last}", "avatar": rng.choice(AVATARS)}
        wpm = min(118.0, max(45.0, rng.gauss(78, 17)))
        made.append(Typist(f"{first}-{last}".lower(), profile, wpm, rng.uniform(4, 9)))
    return made


def results(seed: int, end: datetime) -> Iterator[Event]:
    """The results of the 30 days up to `end`, oldest first; the last day is shrunk to fit."""
    rng = Random(seed + 1)
    players = typists(seed)
    midnight = _midnight(end)
    for index in range(RESULTS):
        day, within = divmod(index * DAYS, RESULTS)
        moment = (within + rng.random() * DAYS) / RESULTS
        start = midnight - timedelta(days=DAYS - 1 - day)
        length = end - midnight if day == DAYS - 1 else timedelta(days=1)
        yield _result(rng, rng.choice(players), f"sample:{seed}:{index}", start + moment * length)


def more(seed: int) -> Iterator[Event]:
    """Endless results of now: mostly by good players, on a good day."""
    rng = Random(seed + 2)
    players = sorted(typists(seed), key=lambda typist: -typist.wpm)
    while True:
        typist = players[min(int(rng.expovariate(1 / 25)), PLAYERS - 1)]
        fit = typist._replace(wpm=typist.wpm + 6, spread=typist.spread * 1.2)
        event = _result(rng, fit, "", datetime.now(UTC))
        yield msgspec.structs.replace(event, at=None)


def _midnight(end: datetime) -> datetime:
    local = end.astimezone(UTC) + OFFSET
    return local.replace(hour=0, minute=0, second=0, microsecond=0) - OFFSET


def _result(rng: Random, typist: Typist, id: str, at: datetime) -> Event:
    mode = "time" if rng.random() < 0.6 else "words"
    wpm = min(150.0, max(40.0, rng.gauss(typist.wpm, typist.spread)))
    accuracy = min(100.0, rng.gauss(96.5, 2.2))
    values: dict[str, Value] = {
        "wpm": round(wpm, 2),
        "accuracy": round(accuracy, 2),
        "mode": mode,
    }
    return Event(id=id, player=typist.player, at=at, values=values, profile=typist.profile)
