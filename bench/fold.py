"""Folding beside redis-py's pipelined ZADD GT of the same results, in one run.

python -m bench fold [--entries N] [--rounds R] [--json] [--dir DIRECTORY]

The board is that of examples/typing: an event touches four rankings, all-time and daily, overall
and by mode, in which N players have entries. Events are recorded before, and only `book.fold()` is
timed. Redis gets a ZADD GT for each touched ranking, 1,000 of them a pipeline. A ratio is Redis's
time over ours, each per touched ranking. Of the events that do not improve, half are equal to what
stands and half are lower.

Cost by step comes from further rounds in which the calls of the log and the store are timed too.
What is spent between these calls is the rules' work: scores, decisions and receipts.
"""

import argparse
import gc
import random
import signal
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import redis

from bench.common import Goal, Report, Step, Task, Timed, alternate, duration, progress
from bench.peers import PIPELINE, redis_server
from examples.clock import Clock
from examples.typing import story
from rankbook import Event, Rankbook
from rankbook.engine.kernels import KERNELS, is_compiled
from rankbook.rules import load

GOALS = {
    "fold_same_vs_redis": Goal("at least", 1.0),
    "fold_better_vs_redis": Goal("at least", 0.5),
}
FULL, SMALL = 100_000, 20_000
ROUND_EVENTS = 10_000
TOUCHED = 4
MODES = ("time", "words")
NOW = "2026-11-30T12:00:00+05:30"
ACCURACY = 96.5
SEED = 4
CHECKED = 500

# The calls of a fold that are timed by themselves: whose, their name, and the step's.
STEPS = (
    ("log", "read", "read_log"),
    ("store", "entries", "read_entries"),
    ("store", "publish", "publish"),
)


class Result(NamedTuple):
    """What a player scores now, in the player's own mode."""

    player: str
    mode: str
    score: int


@dataclass
class Players:
    """Who plays, and each one's best."""

    best: list[int]
    source: random.Random

    @classmethod
    def of(cls, entries: int) -> "Players":
        source = random.Random(SEED)
        return cls([source.randrange(30, 130) for _ in range(entries)], source)

    def all(self) -> list[Result]:
        return [self._result(place, score) for place, score in enumerate(self.best)]

    def same(self, count: int) -> list[Result]:
        """Results that do not improve: equal and lower ones in turn."""
        chosen = self._some(count)
        lower = [number % 2 * self.source.randrange(1, 20) for number in range(len(chosen))]
        pairs = zip(chosen, lower, strict=True)
        return [self._result(place, self.best[place] - less) for place, less in pairs]

    def better(self, count: int) -> list[Result]:
        """Results that improve."""
        chosen = self._some(count)
        for place in chosen:
            self.best[place] += self.source.randrange(1, 10)
        return [self._result(place, self.best[place]) for place in chosen]

    def some(self, count: int) -> list[Result]:
        return [self._result(place, self.best[place]) for place in self._some(count)]

    def _some(self, count: int) -> list[int]:
        return self.source.sample(range(len(self.best)), min(count, len(self.best)))

    def _result(self, place: int, score: int) -> Result:
        return Result(f"player-{place:07}", MODES[place % 2], score)


# --- the two sides ---------------------------------------------------------------------------


class Ours:
    """A book whose log is filled before its rankings are."""

    def __init__(self, directory: Path) -> None:
        spec = load((story.HERE / "rankbook.toml").read_text(encoding="utf-8"))
        self.clock = Clock(NOW)
        self.book = Rankbook.open(directory, spec=spec, clock=self.clock)

    def record(self, results: Sequence[Result]) -> None:
        """Record them a second after the last: an equal result is then never an earlier one."""
        self.clock.wait(1)
        for start in range(0, len(results), ROUND_EVENTS):
            self.book.record([_event(each) for each in results[start : start + ROUND_EVENTS]])

    def version(self) -> int:
        """The log position of the last change of the overall ranking."""
        view = self.book.ranking("speed")
        return view.ask(view.top_query(1)).version

    def score(self, result: Result, window: str, tags: dict[str, str]) -> int | None:
        entry = self.book.ranking("speed", window=window, tags=tags).entry(result.player)
        return None if entry is None else int(entry.score)


def _event(result: Result) -> Event:
    wpm = round(result.score / ACCURACY * 100, 2)
    return Event(
        player=result.player,
        values={"wpm": wpm, "accuracy": ACCURACY, "mode": result.mode},
        profile={"name": f"Name of {result.player}", "avatar": "7"},
    )


class Peer:
    """Four sorted sets in Redis."""

    def __init__(self, client: redis.Redis) -> None:
        self.client = client

    def prepare(self, results: Sequence[Result]) -> list[list[tuple[str, dict[str, int]]]]:
        commands = [
            (key, {each.player: each.score}) for each in results for key in _keys(each.mode)
        ]
        return [commands[at : at + PIPELINE] for at in range(0, len(commands), PIPELINE)]

    def apply(self, prepared: list[list[tuple[str, dict[str, int]]]]) -> None:
        for commands in prepared:
            pipeline = self.client.pipeline(transaction=False)
            for key, mapping in commands:
                pipeline.zadd(key, mapping, gt=True)
            pipeline.execute()

    def score(self, result: Result, window: str, tags: dict[str, str]) -> int | None:
        found: Any = self.client.zscore(f"{window}:{tags.get('mode', '')}", result.player)
        return None if found is None else int(found)


def _keys(mode: str) -> tuple[str, ...]:
    return ("all-time:", f"all-time:{mode}", "daily:", f"daily:{mode}")


# --- cost by step ----------------------------------------------------------------------------


@dataclass
class Meter:
    """Nanoseconds by step."""

    spent: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    def wrapped(self, step: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:
            start = time.perf_counter_ns()
            try:
                return function(*arguments, **named)
            finally:
                self.spent[step] += time.perf_counter_ns() - start

        return timed

    @contextmanager
    def watching(self, book: Rankbook) -> Iterator[None]:
        with ExitStack() as stack:
            for side, name, step in STEPS:
                owner = type(getattr(book, side))
                wrapped = self.wrapped(step, getattr(owner, name))
                stack.enter_context(patch.object(owner, name, wrapped))
            yield


# --- the run ---------------------------------------------------------------------------------


@dataclass
class Run:
    """One run: its size, both sides, and what it found."""

    rounds: int
    players: Players
    ours: Ours
    peer: Peer
    report: Report
    step: Step


def measure_load(run: Run) -> None:
    """Fill both sides: every player's first result is new in four rankings."""
    everyone = run.players.all()
    run.step(f"recording {len(everyone):,} events")
    run.ours.record(everyone)
    run.step(f"folding {len(everyone):,} events")
    prepared = run.peer.prepare(everyone)
    tasks: dict[str, Task] = {
        "ours": run.ours.book.fold,
        "redis": lambda: run.peer.apply(prepared),
    }
    timed = alternate(lambda _number: tasks, warm=0, rounds=1)
    add_cost(run, "fold_new_vs_redis", "an event of a new player", len(everyone), timed)


def measure_kind(run: Run, name: str, what: str, draw: Callable[[int], list[Result]]) -> None:
    """Time events of a kind in alternating rounds, and then see what they cost by step."""
    run.step(what)
    count = min(ROUND_EVENTS, len(run.players.best))

    def tasks(_number: int) -> dict[str, Task]:
        results = draw(count)
        run.ours.record(results)
        prepared = run.peer.prepare(results)
        return {"ours": run.ours.book.fold, "redis": lambda: run.peer.apply(prepared)}

    timed = alternate(tasks, warm=run.rounds // 2 + 1, rounds=run.rounds)
    add_cost(run, f"fold_{name}_vs_redis", what, count, timed)
    run.report.numbers[f"fold_{name}_steps_us"] = add_steps(run, tasks, count)


def add_cost(run: Run, key: str, what: str, count: int, timed: dict[str, Timed]) -> None:
    """A row of the cost of a touched ranking; means include the syncs that come now and then."""
    ours, peer = timed["ours"], timed["redis"]
    each = count * TOUCHED
    times = duration(ours.median / each), duration(peer.median / each)
    run.report.add(key, f"{what}, a touched ranking", *times, peer.median / ours.median)
    run.report.numbers[f"{key}_mean"] = round(peer.mean / ours.mean, 3)
    for side, seconds in (("us", ours.median), ("redis_us", peer.median)):
        name = key.replace("vs_redis", side)
        run.report.numbers[name] = round(seconds / each * 1e6, 3)


def add_steps(run: Run, tasks: Callable[[int], dict[str, Task]], count: int) -> dict[str, float]:
    """Rows of microseconds an event, by step, of the round whose time is in the middle."""
    rounds: list[tuple[int, dict[str, int]]] = []
    for number in range(run.rounds):
        prepared = tasks(number)
        meter = Meter()
        gc.collect()
        with meter.watching(run.ours.book):
            start = time.perf_counter_ns()
            prepared["ours"]()
            total = time.perf_counter_ns() - start
        prepared["redis"]()
        rounds.append((total, dict(meter.spent)))
    total, spent = sorted(rounds, key=lambda each: each[0])[run.rounds // 2]
    missing = [step for _side, _name, step in STEPS if step not in spent]
    if missing:
        raise SystemExit(f"no fold called {', '.join(missing)}, so its cost is not known")
    steps = {**spent, "rules": total - sum(spent.values())}
    found = {step: round(ns / count / 1000, 2) for step, ns in steps.items()}
    for step, us in found.items():
        run.report.note(f"  {step}", f"{us:.2f} us an event", "", "")
    found["total"] = round(sum(found.values()), 2)
    return found


def require_agreement(run: Run) -> None:
    """Both sides must have the same scores in every ranking."""
    for result in run.players.some(CHECKED):
        for window in ("all-time", "daily"):
            for tags in ({}, {"mode": result.mode}):
                here, there = [s.score(result, window, tags) for s in (run.ours, run.peer)]
                if not here == there == result.score:
                    raise SystemExit(
                        f"{result} has {here} here and {there} in redis: {window} {tags}"
                    )


def parse(arguments: list[str]) -> argparse.Namespace:
    # Among all measurements this one is small; asked for by name it has its full size.
    size = FULL if len(sys.argv) > 1 else SMALL
    parser = argparse.ArgumentParser(prog="python -m bench fold", description=__doc__)
    parser.add_argument("--entries", type=int, default=size, help=f"N (default: {FULL:,})")
    parser.add_argument("--rounds", type=int, default=7, help="timed rounds (default: 7)")
    parser.add_argument("--json", action="store_true", help="print the line of JSON only")
    parser.add_argument("--dir", type=Path, help="work in here (default: the system's for such)")
    options = parser.parse_args(arguments)
    if options.entries < 1 or options.rounds < 1:
        parser.error("--entries and --rounds must be at least 1")
    return options


def main(arguments: list[str]) -> None:
    options = parse(arguments)
    # Without this the server would outlive a run that is stopped by a signal.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    report = Report(f"Fold, N = {options.entries:,}", GOALS)
    report.numbers["entries"] = options.entries
    report.numbers["compiled"] = all(is_compiled(name) for name in KERNELS)
    with ExitStack() as stack:
        folder = tempfile.TemporaryDirectory(prefix="rankbook-bench-", dir=options.dir)
        home = Path(stack.enter_context(folder))
        client = stack.enter_context(redis_server())
        step = stack.enter_context(progress(4))
        ours = Ours(home)
        stack.enter_context(ours.book)
        players = Players.of(options.entries)
        run = Run(options.rounds, players, ours, Peer(client), report, step)
        measure_load(run)
        filled = ours.version()
        measure_kind(run, "same", "an event that does not improve", players.same)
        if ours.version() != filled:
            raise SystemExit("an event that should not improve a ranking has changed it")
        measure_kind(run, "better", "an event that improves", players.better)
        require_agreement(run)
    report.print(only_json=options.json)
