"""Our side of `bench submit`, and what is measured in a process of its own: rebuilding.

python -m bench.submit_ours DIRECTORY    rebuilds the book in DIRECTORY and prints a line of JSON
"""

import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from bench.engine_child import rss_anon_bytes
from rankbook import BundleReading, Event, Rankbook
from rankbook.rules import load

START_US = 1_796_000_000_000_000
BATCH = 1000
MODES = ("time", "words")
ACCURACIES = (92.5, 95.0, 96.5, 98.0, 100.0)
FIRST_SCORES = (30, 130)
PLAYER_RESULTS = 4
SEED = 5


class Play(NamedTuple):
    """One finished test, with the id that a retry would have."""

    id: str
    player: str
    name: str
    avatar: str
    wpm: float
    accuracy: float
    mode: str


class Players:
    """Who plays, and each one's best. A draw has no player twice; about half of it improve."""

    def __init__(self, count: int) -> None:
        self._source = random.Random(SEED)
        self._best = [self._source.randrange(*FIRST_SCORES) for _ in range(count)]
        self._number = 0

    def __len__(self) -> int:
        return len(self._best)

    def history(self, plays: int) -> Iterator[list[Play]]:
        """So many in batches; everybody plays now and then."""
        most = min(BATCH, len(self))
        for start in range(0, plays, most):
            yield self.draw(min(most, plays - start))

    def draw(self, count: int, *, better: bool = False) -> list[Play]:
        """Plays of different players; with `better` each is its player's best."""
        places = self._source.sample(range(len(self._best)), min(count, len(self._best)))
        return [self._play(place, better or self._source.random() < 0.5) for place in places]

    def _play(self, place: int, better: bool) -> Play:
        best = self._best[place]
        score = best + self._source.randrange(1, 6) if better else best
        score -= 0 if better else self._source.randrange(20)
        self._best[place] = max(best, score)
        self._number += 1
        accuracy = self._source.choice(ACCURACIES)
        wpm = round(score / accuracy * 100, 2)
        mode = self._source.choice(MODES)
        player = f"player-{place:07}"
        name, avatar = f"Name of {player}", str(place % 50)
        return Play(f"test-{self._number}", player, name, avatar, wpm, accuracy, mode)


class Ticks:
    """A clock that costs as little as the system's, in the middle of a day, and never repeats."""

    def __init__(self) -> None:
        self.now_us = START_US

    def __call__(self) -> int:
        self.now_us += 1
        return self.now_us


class Ours:
    """The book of `rankbook init --example typing`; `log` is another than its SQLite file."""

    def __init__(self, directory: Path, *, log: str = "", catch_up: bool = True) -> None:
        spec = load(files("rankbook.cli.books").joinpath("typing.toml").read_text(encoding="utf-8"))
        if log:
            spec = replace(spec, log=log)
        self.book = Rankbook.open(directory, spec=spec, clock=Ticks(), catch_up=catch_up)

    def submit(self, play: Play) -> None:
        self.book.submit(event(play))

    def submit_many(self, plays: Sequence[Play], *, ranks: bool = True) -> None:
        self.book.submit_many([event(play) for play in plays], ranks=ranks)

    def record(self, plays: Sequence[Play]) -> None:
        self.book.record([event(play) for play in plays])

    def read(self) -> BundleReading:
        return self.book.bundle("home")

    def rebuild(self) -> None:
        self.book.rebuild()

    def entry(self, board: str, player: str) -> tuple[int, float] | None:
        """The score and its words a minute; boards are named as the article names them."""
        window, _, mode = board.partition(":")
        tags = {"mode": mode} if mode else {}
        found = self.book.ranking("speed", window=window, tags=tags).entry(player)
        return None if found is None else (int(found.score), float(str(found.details["wpm"])))


def event(play: Play) -> Event:
    return Event(
        id=play.id,
        player=play.player,
        values={"wpm": play.wpm, "accuracy": play.accuracy, "mode": play.mode},
        profile={"name": play.name, "avatar": play.avatar},
    )


def fill_log(directory: Path, events: int) -> None:
    """A log of so many events, none of them ranked."""
    ours = Ours(directory)
    with ours.book:
        for plays in Players(max(BATCH, events // PLAYER_RESULTS)).history(events):
            ours.record(plays)


def rebuild(directory: str) -> dict[str, float]:
    """Rebuild, and how many MB (10^6) of RssAnon that took at most, looked at after every step."""
    ours = Ours(Path(directory), catch_up=False)
    with ours.book:
        before = highest = rss_anon_bytes()

        def see(_events: int) -> None:
            nonlocal highest
            highest = max(highest, rss_anon_bytes())

        start = time.perf_counter()
        events = ours.book.rebuild(progress=see)
        taken = time.perf_counter() - start
        highest = max(highest, rss_anon_bytes())
    return {"events": events, "before": before / 1e6, "highest": highest / 1e6, "seconds": taken}


if __name__ == "__main__":
    print(json.dumps(rebuild(sys.argv[1])))
