"""What the measurements of the engine share: our side, the players, and rows of times and rates."""

import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from bench import engine_child as child
from bench.common import Report, Step, Task, Timed, alternate, duration, per_second
from bench.peers import Batch, Side
from rankbook.engine.environment import Environment

LOAD_BATCH = 100_000
GAIN = 10**9
TOP = 10


class Ours:
    """One set of one environment, driven as the peers are."""

    name = "rankbook"
    slug = "rankbook"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.environment = Environment(path)
        self.version = 0

    def prepare(self, batch: Batch) -> list[child.Change]:
        return [(member, child.key_of(score), b"") for member, score in batch]

    def load(self, prepared: list[child.Change]) -> None:
        for start in range(0, len(prepared), LOAD_BATCH):
            self.apply(prepared[start : start + LOAD_BATCH])

    def apply(self, prepared: list[child.Change]) -> None:
        self.version += 1
        child.put(self.environment, prepared, self.version)

    def rank(self, member: bytes) -> int | None:
        with self.environment.view() as tx:
            return tx.rankset(child.NAME, 8, 8).rank(member)

    def top(self) -> Sequence[tuple[bytes, bytes, bytes]]:
        with self.environment.view() as tx:
            return tx.rankset(child.NAME, 8, 8).scan(0, TOP)

    def close(self) -> None:
        self.environment.close()

    def discard(self) -> None:
        self.close()
        shutil.rmtree(self.path)


@dataclass
class Players:
    """The members and what each scores now."""

    members: list[bytes]
    scores: list[int]
    source: random.Random

    @classmethod
    def of(cls, entries: int) -> "Players":
        members, scores = zip(*child.stream(entries), strict=True)
        return cls(list(members), list(scores), random.Random(child.SEED + 1))

    def all(self) -> Batch:
        return list(zip(self.members, self.scores, strict=True))

    def improve(self, count: int) -> Batch:
        """Raise the scores of `count` random members, or of all if there are fewer."""
        chosen = self.source.sample(range(len(self.members)), min(count, len(self.members)))
        for place in chosen:
            self.scores[place] += self.source.randrange(1, GAIN)
        return [(self.members[place], self.scores[place]) for place in chosen]

    def some(self, count: int) -> list[bytes]:
        return self.source.choices(self.members, k=count)


@dataclass
class Run:
    """One run: its size, where it works, and what it found."""

    entries: int
    rounds: int
    home: Path
    client: redis.Redis
    report: Report
    step: Step
    stack: ExitStack

    @property
    def warm(self) -> int:
        return self.rounds // 2 + 1

    def open(self, name: str) -> Ours:
        """An environment of that name, closed at the end of the run."""
        return self.stack.enter_context(closing(Ours(self.home / name)))


# --- rows and rounds -------------------------------------------------------------------------


def add_rate(run: Run, key: str, what: str, count: int, timed: dict[str, Timed]) -> None:
    """A row of two rates, and before it a row of the warm-up."""
    ours, peer = timed.values()
    if ours.warm:
        first, other = Timed(steady=ours.warm).median, Timed(steady=peer.warm).median
        rates = per_second(count, first), per_second(count, other)
        run.report.note(f"  warm-up: {what}", *rates, f"{other / first:.2f}")
    rates = per_second(count, ours.median), per_second(count, peer.median)
    run.report.add(key, what, *rates, peer.median / ours.median)


def add_mean(run: Run, key: str, count: int, timed: dict[str, Timed]) -> None:
    """The same by means, which include the syncs that medians may pass over."""
    ours, peer = timed.values()
    rates = per_second(count, ours.mean), per_second(count, peer.mean)
    run.report.add(f"{key}_mean", "  the same by means", *rates, peer.mean / ours.mean)


def alternate_ranks(
    players: Players, sides: Mapping[str, Side[Any]], reads: int, warm: int, rounds: int
) -> dict[str, Timed]:
    """Time the ranks of the same random members on every side."""

    def tasks(_number: int) -> dict[str, Task]:
        members = players.some(reads)
        return {name: each(side.rank, members) for name, side in sides.items()}

    return alternate(tasks, warm=warm, rounds=rounds)


def each(call: Callable[[bytes], object], members: list[bytes]) -> Task:
    def work() -> None:
        for member in members:
            call(member)

    return work


def add_time(run: Run, key: str, what: str, reads: int, ours: Timed, peer: Timed) -> None:
    """A row of two times a call; the ratio is the peer's over ours."""
    times = duration(ours.median / reads), duration(peer.median / reads)
    run.report.add(key, what, *times, peer.median / ours.median)


def repeat(call: Task, times: int) -> Task:
    def work() -> None:
        for _ in range(times):
            call()

    return work
