"""The book on a Redis server beside the first article's way on the same server, in one run.

python -m bench stores [--events N] [--entries N] [--rounds R] [--json]

Ours is the book of `rankbook init --example typing`, its log on SQLite and its rankings in Redis.
Theirs is redis-py as in `bench submit`, its rows on SQLite: submit_article.py. Both are as durable,
and the server persists nothing. A ratio is their time over ours.

The page is read after a result that improves, in one round trip; theirs takes two pipelines. Once
more it is made with nothing kept. Memory is what MEMORY USAGE says of all keys that hold rankings,
for an entry; our receipts are told apart. At last a ranking of many entries is filled, and a rank,
and five entries around it, are read by one call each.
"""

import argparse
import gc
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import redis
from msgspec.structs import replace

from bench.common import Goal, Report, Task, Timed, alternate, duration, per_second, progress
from bench.peers import redis_server
from bench.submit_article import BOARDS, Article, SqliteRows, Test
from bench.submit_ours import BATCH, PLAYER_RESULTS, Ours, Play, Players, Ticks
from rankbook import Rankbook
from rankbook.book.read.view import RankingView
from rankbook.rules import load
from rankbook.store import open_store
from rankbook.store.base import AroundMember, Change, RankingId, Slice, Store

GOALS = {
    "sequential_vs_article": Goal("at least", 1.0),
    "batch_vs_article": Goal("at least", 1.5),
    "bundle_vs_article": Goal("at least", 1.5),
}
EVENTS, LEAST = 10_000, 400
ENTRIES = 100_000
SEQUENTIAL = 100
READS = 100
CHECKED = 200
PUBLISHED = 10_000
STEPS = 6
LARGE = RankingId("large", 16, 8)


class OnRedis(Ours):
    """Our book with its rankings in Redis."""

    def __init__(self, directory: Path, uri: str) -> None:
        text = files("rankbook.cli.books").joinpath("typing.toml").read_text(encoding="utf-8")
        spec = replace(load(text), store=uri)
        self.book = Rankbook.open(directory, spec=spec, clock=Ticks())

    def read_anew(self) -> object:
        """The page, with nothing kept from the time before."""
        wanted = self.book.spec.bundle("home").rankings
        views = [
            self.book.ranking(each.board, window=each.window, tags=dict(each.tags))
            for each in wanted
        ]
        return _standings(self.book.store, views)


def _standings(store: Store, views: Sequence[RankingView]) -> list[object]:
    reading = store.read([view.top_query(10) for view in views])
    return [view.standings(each) for view, each in zip(views, reading.answers, strict=True)]


@dataclass
class Run:
    """One run: its size, both sides, and what it found."""

    options: argparse.Namespace
    players: Players
    ours: OnRedis
    theirs: Article
    report: Report

    def timed(self, key: str, what: str, count: int, tasks: Any, shown: Any) -> None:
        rounds = self.options.rounds
        found = alternate(tasks, warm=rounds // 2 + 1, rounds=rounds)
        self.add(key, what, count, found, shown)

    def add(self, key: str, what: str, count: int, found: Mapping[str, Timed], shown: Any) -> None:
        mine, peer = found["ours"].median, found["theirs"].median
        times = shown(count, mine), shown(count, peer)
        self.report.add(f"{key}_vs_article", what, *times, peer / mine)
        self.report.numbers[f"{key}_us"] = round(mine / count * 1e6, 2)
        self.report.numbers[f"{key}_article_us"] = round(peer / count * 1e6, 2)

    def draw(self, count: int) -> tuple[list[Play], list[Test]]:
        plays = self.players.draw(count)
        tests = [Test(*play[1:]) for play in plays]
        self.theirs.cool(tests)
        return plays, tests


def load_both(run: Run) -> None:
    for plays in run.players.history(run.options.events):
        tests = [Test(*play[1:]) for play in plays]
        run.ours.submit_many(plays, ranks=False)
        run.theirs.rows.save_many(tests)
        run.theirs.rank(tests)


def measure_writing(run: Run) -> None:
    """One after another, then in batches; each is durable when its call returns."""
    count, several = min(SEQUENTIAL, len(run.players)), min(BATCH, len(run.players))

    def each(_number: int) -> dict[str, Task]:
        plays, tests = run.draw(count)
        return {
            "ours": lambda: [run.ours.submit(play) for play in plays],
            "theirs": lambda: [run.theirs.submit(test) for test in tests],
        }

    def batch(_number: int) -> dict[str, Task]:
        plays, tests = run.draw(several)
        return {
            "ours": lambda: run.ours.submit_many(plays),
            "theirs": lambda: run.theirs.submit_many(tests),
        }

    run.timed("sequential", "one result, durable", count, each, _each)
    run.timed("batch", f"batches of {several:,}", several, batch, per_second)


def measure_page(run: Run) -> None:
    """The page after a result that improves; only reading is timed. Then with nothing kept."""
    rounds = run.options.rounds
    count = min(READS, len(run.players))
    timed = {"ours": Timed(), "theirs": Timed()}
    for number in range(rounds // 2 + 1 + rounds):
        spent = _read_after_changes(run, count)
        for side, seconds in zip(timed.values(), spent, strict=True):
            (side.warm if number <= rounds // 2 else side.steady).append(seconds)
    run.add("bundle", "the page of six rankings, fresh", count, timed, _each)
    tasks: dict[str, Task] = {
        "ours": lambda: [run.ours.read_anew() for _ in range(count)],
        "theirs": lambda: [run.theirs.read() for _ in range(count)],
    }
    run.timed("bundle_anew", "the page, nothing kept", count, lambda _number: tasks, _each)


def _read_after_changes(run: Run, count: int) -> tuple[float, float]:
    """Seconds that both sides spend on reading."""
    plays = run.players.draw(count, better=True)
    tests = [Test(*play[1:]) for play in plays]
    run.theirs.cool(tests)
    gc.collect()
    mine = peer = 0.0
    for play, test in zip(plays, tests, strict=True):
        run.ours.submit(play)
        run.theirs.submit(test)
        start = time.perf_counter()
        run.ours.read()
        between = time.perf_counter()
        run.theirs.read()
        mine += between - start
        peer += time.perf_counter() - between
    return mine, peer


def require_agreement(run: Run) -> None:
    """Both sides must have the same scores."""
    for board in BOARDS:
        for play in run.players.draw(CHECKED):
            mine, peer = run.ours.entry(board, play.player), run.theirs.entry(board, play.player)
            if (mine and mine[0]) != (peer and peer[0]):
                raise SystemExit(f"{play.player} differs in {board}: {mine} and {peer}")


def measure_memory(run: Run, client: redis.Redis) -> None:
    """Bytes for an entry: of keys that hold rankings."""
    mine = {"rankings": 0, "receipts": 0}
    for key in client.scan_iter(match="rankbook:*", count=1000):
        kind = "receipts" if b":receipts:" in key else "rankings"
        mine[kind] += _bytes(client, key)
    theirs = entries = 0
    for board in BOARDS:
        scores, details = run.theirs._scores[board], run.theirs._details[board]
        entries += int(client.zcard(scores))
        theirs += _bytes(client, scores) + _bytes(client, details)
    described = run.ours.book.store.describe()
    events = run.ours.book.log.head()
    ours, peer = mine["rankings"] / entries, theirs / entries
    run.report.note("bytes an entry", f"{ours:.0f}", f"{peer:.0f}", f"{peer / ours:.2f}")
    receipts = mine["receipts"] / events
    run.report.note("bytes a receipt", f"{receipts:.0f}", "none")
    run.report.numbers |= {
        "bytes_per_entry": round(ours, 1),
        "article_bytes_per_entry": round(peer, 1),
        "bytes_per_receipt": round(receipts, 1),
        "entries_kept": described["entries"],
    }


def _bytes(client: redis.Redis, key: bytes | str) -> int:
    return int(client.memory_usage(key, samples=0) or 0)


def measure_large(run: Run, uri: str) -> None:
    """A rank, and five entries around it, in a large ranking: each one call of the store."""
    count = run.options.entries
    with closing(open_store(uri, Path())) as store:
        for place, changes in enumerate(_large(count)):
            store.publish(changes, [], expect=place, then=place + 1)
        members = [b"player-%07d" % (each * 7919 % count) for each in range(READS * 10)]

        def ask(limit: int) -> Task:
            def work() -> None:
                for member in members:
                    [answer] = store.read([AroundMember(LARGE, member, limit)]).answers
                    assert isinstance(answer, Slice)
                    assert len(answer.rows) == min(limit, count)

            return work

        tasks = {"rank": ask(1), "around": ask(5)}
        found = alternate(lambda _number: tasks, warm=1, rounds=run.options.rounds)
    for name, timed in found.items():
        each_seconds = timed.median / len(members)
        run.report.note(f"{name} of {count:,}", duration(each_seconds), "")
        run.report.numbers[f"{name}_us"] = round(each_seconds * 1e6, 1)
    run.report.numbers["entries"] = count


def _large(count: int) -> Iterator[list[Change]]:
    """Changes that fill a ranking: a score that few share, and when it was reached."""
    for start in range(0, count, PUBLISHED):
        yield [
            Change(
                LARGE,
                b"player-%07d" % number,
                (number * 31 % 500_000).to_bytes(8, "big") + number.to_bytes(8, "big"),
                b"v" * 60,
            )
            for number in range(start, min(start + PUBLISHED, count))
        ]


def _each(count: int, seconds: float) -> str:
    return duration(seconds / count)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench stores", description=__doc__)
    parser.add_argument("--events", type=int, default=EVENTS, help=f"(default: {EVENTS:,})")
    parser.add_argument("--entries", type=int, default=ENTRIES, help=f"(default: {ENTRIES:,})")
    parser.add_argument("--rounds", type=int, default=5, help="timed rounds (default: 5)")
    parser.add_argument("--json", action="store_true", help="print the line of JSON only")
    options = parser.parse_args(arguments)
    if options.events < LEAST or options.entries < 1 or options.rounds < 1:
        parser.error(f"--events must be at least {LEAST:,}, --entries and --rounds at least 1")
    return options


def main(arguments: list[str]) -> None:
    options = parse(arguments)
    # Without this the server would outlive a run that is stopped by a signal.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    report = Report(f"Stores, N = {options.events:,}", GOALS, {"events": options.events})
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rankbook-bench-")))
        client = stack.enter_context(redis_server())
        port = client.connection_pool.connection_kwargs["port"]
        uri = f"redis://127.0.0.1:{port}/0"
        ours = OnRedis(home / "book", f"{uri}?tag=typing")
        stack.enter_context(ours.book)
        rows = stack.enter_context(closing(SqliteRows(home / "tests.sqlite")))
        theirs = Article(client, rows, "article")
        run = Run(options, Players(options.events // PLAYER_RESULTS), ours, theirs, report)
        step = stack.enter_context(progress(STEPS))
        step("results on both sides")
        load_both(run)
        step("writing")
        measure_writing(run)
        require_agreement(run)
        step("the page")
        measure_page(run)
        step("memory")
        measure_memory(run, client)
        step(f"{options.entries:,} entries")
        gc.collect()
        measure_large(run, f"{uri}?tag=large")
        step("done")
    report.print(only_json=options.json)
