"""What measurements share: alternating rounds, a table of goals, one JSON line."""

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import fmean, median

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

Task = Callable[[], object]
Step = Callable[[str], None]
TABLE_COLUMNS = ("what", "ours", "peer", "ratio or number", "goal", "reached")


# --- time ------------------------------------------------------------------------------------


@dataclass
class Timed:
    """Seconds of every round of one side; the first rounds only warm up."""

    warm: list[float] = field(default_factory=list)
    steady: list[float] = field(default_factory=list)

    @property
    def median(self) -> float:
        """The middle of the steady rounds, in seconds."""
        return median(self.steady)

    @property
    def mean(self) -> float:
        """The mean of the steady rounds: unlike the median it shows what is paid now and then."""
        return fmean(self.steady)


def alternate(
    prepare: Callable[[int], Mapping[str, Task]], *, warm: int, rounds: int
) -> dict[str, Timed]:
    """Time the sides in turn, A B A B. `prepare` makes a round's tasks, outside of the timing."""
    found: dict[str, Timed] = {}
    for number in range(warm + rounds):
        tasks = prepare(number)
        gc.collect()
        gc.freeze()
        for side, task in tasks.items():
            timed = found.setdefault(side, Timed())
            (timed.warm if number < warm else timed.steady).append(seconds_of(task))
    return found


def seconds_of(task: Task) -> float:
    """How long one run takes. The collector stays on, and starts with nothing left over."""
    gc.collect()
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


# --- the report ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Goal:
    """What a number should be: "at least" or "at most" a bound."""

    sense: str
    bound: float

    def reached(self, value: float) -> bool:
        """Whether the number is as good as it should be."""
        return value >= self.bound if self.sense == "at least" else value <= self.bound


@dataclass
class Report:
    """Rows for people and numbers for programs."""

    title: str
    goals: Mapping[str, Goal]
    numbers: dict[str, object] = field(default_factory=dict)
    rows: list[tuple[str, ...]] = field(default_factory=list)

    def add(self, key: str, what: str, ours: str, peer: str, value: float) -> None:
        """One measured number and its row; the goal is the key's."""
        self.numbers[key] = round(value, 3)
        goal = self.goals.get(key)
        if goal is None:
            self.note(what, ours, peer, f"{value:.2f}")
            return
        verdict = "yes" if goal.reached(value) else "NO"
        aim = f"{goal.sense} {goal.bound:g}"
        self.rows.append((what, ours, peer, f"{value:.2f}", aim, verdict))

    def note(self, what: str, ours: str, peer: str, ratio: str = "") -> None:
        """A row that has no goal."""
        self.rows.append((what, ours, peer, ratio, "", ""))

    def print(self, *, only_json: bool) -> None:
        """The table, unless only JSON is wanted; then the one line of JSON, last on stdout."""
        if not only_json:
            table = Table(*TABLE_COLUMNS, title=self.title)
            for row in self.rows:
                table.add_row(*row)
            Console(width=None if sys.stdout.isatty() else 150).print(table)
        print(json.dumps(self.numbers), flush=True)


@contextmanager
def progress(total: int) -> Iterator[Step]:
    """A bar on stderr. It draws between steps only: no thread of its own disturbs the timing."""
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, auto_refresh=False, transient=True) as bar:
        task = bar.add_task("starting", total=total)
        begun = False

        def step(description: str) -> None:
            nonlocal begun
            bar.update(task, description=description, advance=int(begun))
            begun = True
            bar.refresh()

        yield step


def per_second(count: int, seconds: float) -> str:
    """A rate as people read it."""
    return f"{count / seconds:,.0f}/s"


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:,.2f} {unit}"
    return f"{seconds * 1e6:,.1f} us"
