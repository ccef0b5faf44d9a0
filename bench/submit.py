"""Submitting, reading and rebuilding beside the first article's way, in one run.

python -m bench submit [--events N] [--rounds R] [--json]

Ours is the book of `rankbook init --example typing`: each result durable in a log on SQLite, and
ranked with its details in four rankings. Theirs is redis-py with a redis-server that persists
nothing and a durable row in PostgreSQL (psycopg, fsync on), or in SQLite: submit_article.py. N
results of N / 4 players are there before. A ratio is their time over ours. About half of the
results improve. A fresh page is read after a result that improves, and only reading is timed.

Rebuilding replays the whole log into four rankings an event; theirs replays the rows of its SQLite
table, which reads faster than PostgreSQL. Its memory is that of a process of its own, with
a log of 5 x N events, and of another one with N.

Without PostgreSQL its rows are left out and its numbers are null.
"""

import argparse
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import redis

from bench.common import (
    Goal,
    Report,
    Step,
    Task,
    Timed,
    alternate,
    duration,
    per_second,
    progress,
    seconds_of,
)
from bench.peers import postgres_databases, redis_server
from bench.submit_article import BOARDS, Article, PostgresRows, SqliteRows, Test
from bench.submit_ours import BATCH, PLAYER_RESULTS, Ours, Play, Players, fill_log
from rankbook.engine.kernels import KERNELS, is_compiled

GOALS = {
    "sequential_vs_article_pg": Goal("at least", 4.0),
    "batch_vs_article_pg": Goal("at least", 2.0),
    "bundle_fresh_vs_article": Goal("at least", 8.0),
    "bundle_cached_vs_article": Goal("at least", 100.0),
    "rebuild_vs_article": Goal("at least", 1.0),
}
EVENTS, LEAST = 10_000, 400
PAGE = bytes(4096)
DISK_WRITES = 50
SEQUENTIAL = 100
READS = 100
CACHED_READS = 2_000
REBUILDS = 3
MEMORY_TIMES = 5
CHECKED = 200
STEPS = 7
ROW = "row"
PG_ROWS = "PostgreSQL"
NAMES = {"pg": PG_ROWS, "sqlite": "SQLite"}

Sides = tuple[dict[str, Ours], dict[str, Article]]


@dataclass
class Run:
    """One run: its size, all sides, and what it found."""

    events: int
    rounds: int
    home: Path
    players: Players
    ours: dict[str, Ours]
    theirs: dict[str, Article]
    report: Report
    step: Step

    @property
    def warm(self) -> int:
        return self.rounds // 2 + 1

    @property
    def book(self) -> Ours:
        """Ours as it is by default, with its log on SQLite."""
        return self.ours["ours"]

    def draw(self, count: int, *, better: bool = False) -> tuple[list[Play], list[Test]]:
        """Plays for our side and for theirs, whose players' cooldowns are over."""
        plays = self.players.draw(count, better=better)
        tests = [Test(*play[1:]) for play in plays]
        for side in self.theirs.values():
            side.cool(tests)
        return plays, tests


# --- the disk --------------------------------------------------------------------------------


def measure_disk(run: Run) -> None:
    """What one durable write costs here just now; a single result, on any side, has one."""
    with (run.home / "page").open("wb", buffering=0) as file:

        def write() -> None:
            file.seek(0)
            file.write(PAGE)
            os.fdatasync(file.fileno())

        write()
        cost = median([seconds_of(write) for _ in range(DISK_WRITES)])
    run.report.note("  one page written and synced", duration(cost), "")
    run.report.numbers["fsync_us"] = _us(cost, 1)


# --- writing ---------------------------------------------------------------------------------


def load(run: Run) -> None:
    """The same history on every side."""
    for plays in run.players.history(run.events):
        tests = [Test(*play[1:]) for play in plays]
        for ours in run.ours.values():
            ours.submit_many(plays, ranks=False)
        for side in run.theirs.values():
            side.rows.save_many(tests)
            side.rank(tests)


def measure_sequential(run: Run) -> None:
    """One result after another, each durable when its call returns.

    Beside them the least that anybody pays who keeps a result through a power cut: one row,
    synced, in a SQLite file, and no ranking.
    """
    count = min(SEQUENTIAL, len(run.players))
    with closing(SqliteRows(run.home / "row.sqlite")) as row:

        def tasks(_number: int) -> dict[str, Task]:
            plays, tests = run.draw(count)
            found = {name: _each(side.submit, plays) for name, side in run.ours.items()}
            found |= {name: _each(side.submit, tests) for name, side in run.theirs.items()}
            return found | {ROW: _each(row.save, tests)}

        timed = alternate(tasks, warm=run.warm, rounds=run.rounds)
    add_sides(run, "sequential", "one result, durable", count, timed, duration_each)
    least = timed[ROW].median
    run.report.note("  one row in SQLite, synced, and no ranking", duration_each(count, least), "")
    run.report.numbers["row_us"] = _us(least, count)
    if "pg" in timed:
        run.report.numbers["row_vs_article_pg"] = round(timed["pg"].median / least, 3)


def measure_batches(run: Run) -> None:
    """Batches, each durable when its call returns."""
    count = min(BATCH, len(run.players))

    def tasks(_number: int) -> dict[str, Task]:
        plays, tests = run.draw(count)
        found = {name: _call(side.submit_many, plays) for name, side in run.ours.items()}
        return found | {name: _call(side.submit_many, tests) for name, side in run.theirs.items()}

    timed = alternate(tasks, warm=run.warm, rounds=run.rounds)
    add_sides(run, "batch", f"batches of {count:,}", count, timed, per_second)
    require_agreement(run, run.ours, list(run.theirs.values()))


def add_sides(
    run: Run,
    key: str,
    what: str,
    count: int,
    timed: Mapping[str, Timed],
    shown: Callable[[int, float], str],
) -> None:
    """A row of ours beside each of theirs, and of ours with its log where their rows are."""
    mine = timed["ours"].median
    run.report.numbers[f"{key}_us"] = _us(mine, count)
    for name, title in NAMES.items():
        ratio = f"{key}_vs_article_{name}"
        if name not in timed:
            skip(run, f"{what}, rows in {title}", ratio, f"{key}_article_{name}_us")
            continue
        peer = timed[name].median
        times = shown(count, mine), shown(count, peer)
        run.report.add(ratio, f"{what}, rows in {title}", *times, peer / mine)
        run.report.numbers[f"{key}_article_{name}_us"] = _us(peer, count)
    both, log_ratio = f"  {what}, our log in {PG_ROWS} too", f"{key}_pg_log_vs_article_pg"
    if "ours_pg" not in timed:
        skip(run, both, log_ratio, f"{key}_pg_log_us")
        return
    there, peer = timed["ours_pg"].median, timed["pg"].median
    run.report.add(log_ratio, both, shown(count, there), shown(count, peer), peer / there)
    run.report.numbers[f"{key}_pg_log_us"] = _us(there, count)


def skip(run: Run, what: str, *keys: str) -> None:
    """What was not measured."""
    run.report.note(what, "-", "-", "skipped")
    run.report.numbers.update(dict.fromkeys(keys))


# --- reading ---------------------------------------------------------------------------------


def measure_fresh(run: Run) -> None:
    """The page after a change. Both sides change, then both read."""
    ours, theirs = run.book, run.theirs["sqlite"]
    count = min(READS, len(run.players))
    timed = {"ours": Timed(), "theirs": Timed()}
    for number in range(run.warm + run.rounds):
        plays, tests = run.draw(count, better=True)
        gc.collect()
        gc.freeze()
        spent = [0.0, 0.0]
        for play, test in zip(plays, tests, strict=True):
            ours.submit(play)
            theirs.submit(test)
            start = time.perf_counter()
            ours.read()
            between = time.perf_counter()
            theirs.read()
            spent[0] += between - start
            spent[1] += time.perf_counter() - between
        for side, seconds in zip(timed.values(), spent, strict=True):
            (side.warm if number < run.warm else side.steady).append(seconds)
    mine, peer = [side.median / count for side in timed.values()]
    add_page(run, "bundle_fresh", "the page of six rankings, fresh", mine, peer)


def measure_cached(run: Run) -> None:
    """The page while nothing changes."""
    theirs = run.theirs["sqlite"]
    tasks: dict[str, Task] = {
        "ours": _repeat(run.book.read, CACHED_READS),
        "theirs": _repeat(theirs.read, READS),
    }
    timed = alternate(lambda _number: tasks, warm=run.warm, rounds=run.rounds)
    mine, peer = timed["ours"].median / CACHED_READS, timed["theirs"].median / READS
    add_page(run, "bundle_cached", "the page of six rankings, cached", mine, peer)


def add_page(run: Run, key: str, what: str, mine: float, peer: float) -> None:
    run.report.add(f"{key}_vs_article", what, duration(mine), duration(peer), peer / mine)
    run.report.numbers |= {f"{key}_us": _us(mine, 1), f"{key}_article_us": _us(peer, 1)}


# --- rebuilding ------------------------------------------------------------------------------


def measure_rebuild(run: Run, client: redis.Redis) -> None:
    """The whole log into rankings of its own, beside every row into boards of its own."""
    fresh = Article(client, run.theirs["sqlite"].rows, "replayed")
    events = run.book.book.log.head()

    def tasks(_number: int) -> dict[str, Task]:
        fresh.forget()
        return {"ours": run.book.rebuild, "theirs": fresh.replay}

    timed = alternate(tasks, warm=1, rounds=min(REBUILDS, run.rounds))
    mine, peer = timed["ours"].median, timed["theirs"].median
    rates = per_second(events, mine), per_second(events, peer)
    run.report.add("rebuild_vs_article", f"rebuild of {events:,} events", *rates, peer / mine)
    run.report.numbers |= {
        "rebuild_events": events,
        "rebuild_events_per_second": round(events / mine),
        "rebuild_article_events_per_second": round(events / peer),
    }
    require_agreement(run, {"rebuilt": run.book}, [run.theirs["sqlite"], fresh])


def measure_memory(run: Run) -> None:
    """Rebuilding in processes of their own: more events must not take more memory."""
    found = {events: rebuild_apart(run, events) for events in memory_sizes(run.events)}
    small, large = found.values()
    for key, each in (("rebuild_rss_anon_small", small), ("rebuild_rss_anon", large)):
        what = f"RssAnon of a rebuild of {each['events']:,.0f} events, at most"
        run.report.add(f"{key}_mb", what, f"{each['highest']:.1f} MB", "", each["highest"])
        run.report.numbers[f"{key}_events"] = int(each["events"])
        run.report.numbers[f"{key}_grown_mb"] = round(each["highest"] - each["before"], 3)
    rate = large["events"] / large["seconds"]
    run.report.numbers["rebuild_large_events_per_second"] = round(rate)


def memory_sizes(events: int) -> tuple[int, int]:
    return events, MEMORY_TIMES * events


def rebuild_apart(run: Run, events: int) -> dict[str, float]:
    directory = run.home / f"rebuilt-{events}"
    fill_log(directory, events)
    command = [sys.executable, "-m", "bench.submit_ours", str(directory)]
    result = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: dict[str, float] = json.loads(result.stdout)
    if found["events"] != events:
        raise SystemExit(f"a log of {events} events was rebuilt to {found['events']}")
    return found


# --- agreement -------------------------------------------------------------------------------


def require_agreement(run: Run, ours: Mapping[str, Ours], theirs: Sequence[Article]) -> None:
    """These sides must have the same scores, and the words a minute of the same result."""
    plays = run.players.draw(CHECKED)
    for board in BOARDS:
        for play in plays:
            found = {name: side.entry(board, play.player) for name, side in ours.items()}
            for side in theirs:
                entry = side.entry(board, play.player)
                found[side.prefix] = None if entry is None else (entry[0], entry[1].wpm)
            shown = {
                None if entry is None else (entry[0], int(entry[1] + 0.5))
                for entry in found.values()
            }
            if len(shown) != 1:
                raise SystemExit(f"{play.player} differs in {board}: {found}")


def require_same_page(run: Run) -> None:
    """The page must have the same scores on both sides; equals may be listed otherwise."""
    theirs = run.theirs["sqlite"]
    here = [[int(entry.score) for entry in each.entries] for each in run.book.read().rankings]
    there = []
    for board, top in zip(BOARDS, theirs.read(), strict=True):
        entries = [theirs.entry(board, player.decode()) for player, _details in top]
        there.append([entry[0] for entry in entries if entry is not None])
    if here != there:
        raise SystemExit(f"the page has {here} here and {there} there")


# --- the run ---------------------------------------------------------------------------------


def _each(submit: Callable[..., object], results: Sequence[object]) -> Task:
    def work() -> None:
        for result in results:
            submit(result)

    return work


def _call(function: Callable[..., object], argument: object) -> Task:
    return lambda: function(argument)


def _repeat(read: Task, times: int) -> Task:
    def work() -> None:
        for _ in range(times):
            read()

    return work


def _us(seconds: float, count: int) -> float:
    return round(seconds / count * 1e6, 2)


def duration_each(count: int, seconds: float) -> str:
    return duration(seconds / count)


def measure(run: Run, client: redis.Redis) -> None:
    run.step(f"{run.events:,} results on every side")
    load(run)
    run.step("one result after another")
    measure_disk(run)
    measure_sequential(run)
    run.step(f"batches of {BATCH:,}")
    measure_batches(run)
    run.step("the page, fresh")
    measure_fresh(run)
    require_same_page(run)
    run.step("the page, cached")
    measure_cached(run)
    run.step("rebuilding")
    measure_rebuild(run, client)
    run.step("memory of rebuilding")
    measure_memory(run)


def opened(stack: ExitStack, home: Path, client: redis.Redis, report: Report) -> Sides:
    """Every side, closed with the stack; those of PostgreSQL only where it is."""
    ours = {"ours": Ours(home / "book")}
    theirs: dict[str, Article] = {}
    databases, missing = stack.enter_context(postgres_databases(2))
    if databases:
        ours["ours_pg"] = Ours(home / "book-pg", log=databases[0])
        theirs["pg"] = Article(client, PostgresRows(databases[1]), "pg")
    else:
        report.note(f"{PG_ROWS}: {missing}", "", "", "skipped")
    theirs["sqlite"] = Article(client, SqliteRows(home / "tests.sqlite"), "sqlite")
    for each in ours.values():
        stack.enter_context(each.book)
    for side in theirs.values():
        stack.enter_context(closing(side.rows))
    return ours, theirs


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench submit", description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS, help=f"N (default: {EVENTS:,})")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds (default: 5)")
    parser.add_argument("--json", action="store_true", help="print the line of JSON only")
    options = parser.parse_args(arguments)
    if options.events < LEAST or options.rounds < 1:
        parser.error(f"--events must be at least {LEAST:,}, and --rounds at least 1")
    return options


def main(arguments: list[str]) -> None:
    options = parse(arguments)
    # Without this the servers would outlive a run that is stopped by a signal.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    report = Report(f"Submit, N = {options.events:,}", GOALS)
    report.numbers["events"] = options.events
    report.numbers["compiled"] = all(is_compiled(name) for name in KERNELS)
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rankbook-bench-")))
        client = stack.enter_context(redis_server())
        ours, theirs = opened(stack, home, client, report)
        step = stack.enter_context(progress(STEPS))
        players = Players(options.events // PLAYER_RESULTS)
        run = Run(options.events, options.rounds, home, players, ours, theirs, report, step)
        measure(run, client)
    report.print(only_json=options.json)
