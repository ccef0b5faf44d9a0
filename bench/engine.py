"""The embedded engine beside a local Redis, SQLite and sortedcontainers, in one run.

python -m bench engine [--entries N] [--rounds R] [--json] [--dir DIRECTORY]

Prints a table and, last, one line of JSON. A ratio is the peer's time over ours unless its row says
otherwise. Sides take turns, A B A B, and medians are compared; all input is prepared before.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench import engine_child as child
from bench.common import Goal, Report, Task, Timed, alternate, duration, progress, seconds_of
from bench.engine_rankings import measure_small_rankings
from bench.engine_run import (
    LOAD_BATCH,
    TOP,
    Ours,
    Players,
    Run,
    add_mean,
    add_rate,
    add_time,
    alternate_ranks,
    each,
    repeat,
)
from bench.peers import (
    PIPELINE,
    Batch,
    RedisPeer,
    Side,
    SortedPeer,
    SqlitePeer,
    WideRedisPeer,
    redis_server,
)
from rankbook.engine.environment import Environment
from rankbook.engine.kernels import KERNELS, is_compiled

GOALS = {
    "updates_vs_redis": Goal("at least", 1.0),
    "updates_100k_vs_redis": Goal("at least", 1.5),
    "load_vs_redis": Goal("at least", 1.0),
    "rank_vs_redis": Goal("at least", 15),
    "top10_vs_redis": Goal("at least", 10),
    "tie_slowdown": Goal("at most", 1.3),
    "growth_slowdown": Goal("at most", 2),
    "rss_anon_mb": Goal("at most", 48),
    "open_ms": Goal("at most", 20),
    "open_growth": Goal("at most", 1.5),
    "compact_bytes_each": Goal("at most", 1024),
    # "The same as the first": this much is left for noise.
    "compact_update_growth": Goal("at most", 1.2),
}
SMALL = 10_000
READS = 1000
SLOW_READS = 20
STEPS = 14


# --- memory and opening, in fresh processes --------------------------------------------------


def measure_memory(run: Run) -> Path:
    """Fill a book of N with values in a child process, and leave it for others to read."""
    run.step(f"memory of loading and reading {run.entries:,} entries")
    path = run.home / "values"
    grown = in_child("memory", str(path), str(run.entries))
    ours = f"{grown['highest']:.1f} MB, {grown['last']:.1f} at the end"
    run.report.add(
        "rss_anon_mb",
        "RssAnon grown, N entries of 120 bytes (MB)",
        ours,
        "see Redis below",
        grown["highest"],
    )
    parts = (child.fill, child.read_in_order, child.read_by_member)
    run.report.note(
        "  highest in: load, scans, gets",
        ", ".join(f"{grown[part.__name__]:.1f} MB" for part in parts),
        "",
    )
    return path


def measure_opening(run: Run, large: Path) -> None:
    """Open a book of N and one of 10,000, each time in a fresh process, and read one rank."""
    run.step("opening")
    small = run.home / "values-small"
    with closing(Environment(small)) as environment:
        child.fill(environment, min(SMALL, run.entries), lambda: None)
    [(member, _score)] = child.stream(1)
    found: dict[Path, list[float]] = {large: [], small: []}
    # Opening writes one small file with fsync, whose time is the disk's: so more rounds.
    for _ in range(run.rounds * 2):
        for path, taken in found.items():
            taken.append(in_child("open", str(path), member.hex())["ms"])
    ours, least = (Timed(steady=taken).median for taken in found.values())
    run.report.add("open_ms", "open and one rank, N entries (ms)", f"{ours:.2f} ms", "", ours)
    run.report.add(
        "open_growth",
        "open N / open 10,000",
        f"{ours:.2f} ms",
        f"{least:.2f} ms",
        ours / least,
    )


def in_child(*arguments: str) -> dict[str, float]:
    """What `bench.engine_child` prints when run with these arguments."""
    command = [sys.executable, "-m", "bench.engine_child", *arguments]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    found: dict[str, float] = json.loads(done.stdout)
    return found


# --- load, updates and reads beside Redis ----------------------------------------------------


def measure_load(run: Run, players: Players) -> tuple[Ours, RedisPeer]:
    """Load N entries without values, anew each round; the last of them stay."""
    run.step(f"loading {run.entries:,} entries")
    peer = RedisPeer(run.client)
    everyone = players.all()
    prepared = peer.prepare(everyone)
    sides: list[Ours] = []

    def tasks(number: int) -> dict[str, Task]:
        run.client.flushdb()
        if sides:
            sides.pop().discard()
        side = Ours(run.home / f"order-{number}")
        sides.append(side)
        changes = side.prepare(everyone)
        return {"ours": lambda: side.load(changes), "redis": lambda: peer.load(prepared)}

    timed = alternate(tasks, warm=0, rounds=min(3, run.rounds))
    what = f"load N, ours by {LOAD_BATCH:,} a commit"
    add_rate(run, "load_vs_redis", what, run.entries, timed)
    [ours] = sides
    run.stack.callback(ours.close)
    return ours, peer


def measure_updates(
    run: Run, key: str, size: int, players: Players, ours: Ours, peers: Sequence[Side[Any]]
) -> None:
    """Improve random members by batches; the warm-up has a row of its own."""
    run.step(f"updates by {size:,}, beside {' and '.join(peer.name for peer in peers)}")

    def tasks(_number: int) -> dict[str, Task]:
        batch = players.improve(size)
        return {side.slug: make_task(side, side.prepare(batch)) for side in (ours, *peers)}

    # A short round is noisy, so there are more of them.
    many = 3 if size <= SMALL else 1
    timed = alternate(tasks, warm=run.warm * many, rounds=run.rounds * many)
    size = min(size, run.entries)
    for peer in peers:
        pair = {side.slug: timed[side.slug] for side in (ours, peer)}
        full = f"{key}_vs_{peer.slug}"
        add_rate(run, full, f"updates by {size:,}, beside {peer.name}", size, pair)
        add_mean(run, full, size, pair)


def make_task(side: Side[Any], prepared: Any) -> Task:
    return lambda: side.apply(prepared)


def measure_wide(run: Run, players: Players, ours: Ours) -> None:
    """The best that Redis can do with a batch, so that nobody takes 1,000 ZADDs for it."""
    wide = WideRedisPeer(run.client)
    measure_updates(run, "updates", SMALL, players, ours, [wide])


def measure_rank(run: Run, players: Players, ours: Ours, peer: RedisPeer) -> None:
    """Rank of one member by single calls, each in a snapshot of its own."""
    run.step("ranks")
    require_agreement(players, ours, peer)
    timed = alternate_ranks(players, {"ours": ours, "redis": peer}, READS, run.warm, run.rounds)
    add_time(run, "rank_vs_redis", "rank of one member", READS, timed["ours"], timed["redis"])


def require_agreement(players: Players, ours: Ours, peer: RedisPeer) -> None:
    """Both sides must hold the same order, but for the few that are tied by chance."""
    for member in players.some(100):
        here, there = ours.rank(member), peer.rank(member)
        if here is None or there is None or abs(here - there) > 5:
            raise SystemExit(f"{member.hex()} has rank {here} here and {there} in redis")


def measure_top(run: Run, values: Path) -> None:
    """The first ten with values. Redis is told their names, to need one round trip only."""
    run.step("top 10 with values")
    redis_mb = fill_redis(run)
    run.report.numbers["redis_memory_mb"] = round(redis_mb, 1)
    run.report.note(
        "used_memory of Redis, sorted set and hash of the same", "", f"{redis_mb:.0f} MB"
    )
    ours = Ours(values)
    with closing(ours):
        first = [entry[0] for entry in ours.top()]
        require_same_top(run, ours)
        timed = alternate_top(run, ours, first)
    what = "top 10 with values"
    add_time(run, "top10_vs_redis", what, READS, timed["ours"], timed["both"])
    what = "top 10 with values; Redis its order only"
    add_time(run, "top10_vs_redis_order_only", what, READS, timed["ours"], timed["order"])


def alternate_top(run: Run, ours: Ours, first: list[bytes]) -> dict[str, Timed]:
    client = run.client

    def both() -> None:
        pipeline = client.pipeline(transaction=False)
        pipeline.zrevrange("top", 0, TOP - 1, withscores=True)
        pipeline.hmget("values", first)
        pipeline.execute()

    def order() -> None:
        client.zrevrange("top", 0, TOP - 1, withscores=True)

    calls: dict[str, Task] = {"ours": ours.top, "both": both, "order": order}
    tasks = {name: repeat(call, READS) for name, call in calls.items()}
    return alternate(lambda _number: tasks, warm=run.warm, rounds=run.rounds)


def fill_redis(run: Run) -> float:
    """Put the stream with its values into a sorted set and a hash; how many MB they take."""
    run.client.flushdb()
    before = run.client.info("memory")["used_memory"]
    pipeline = run.client.pipeline(transaction=False)
    for number, (member, score) in enumerate(child.stream(run.entries), 1):
        pipeline.zadd("top", {member: score})
        pipeline.hset("values", member, child.value_of(member))
        if number % PIPELINE == 0:
            pipeline.execute()
    pipeline.execute()
    return float(run.client.info("memory")["used_memory"] - before) / 1e6


def require_same_top(run: Run, ours: Ours) -> None:
    there: Any = run.client.zrevrange("top", 0, TOP - 1, withscores=True)
    keys = [child.key_of(int(score)) for _member, score in there]
    if keys != [key for _member, key, _value in ours.top()]:
        raise SystemExit("the top 10 here and in redis have other scores")


# --- growth ----------------------------------------------------------------------------------


def measure_slowdowns(run: Run, players: Players, ours: Ours) -> None:
    """Rank where all are tied, and in a set of 10,000, against rank in the loaded set."""
    run.step("ranks in a tie and in a small set")
    tied, small = run.open("tied"), run.open("small")
    tied.load(tied.prepare([(member, 0) for member in players.members]))
    few = players.all()[:SMALL]
    small.load(small.prepare(few))
    members = [member for member, _score in few]

    def tasks(_number: int) -> dict[str, Task]:
        wanted = players.some(READS)
        found = {name: each(side.rank, wanted) for name, side in (("tied", tied), ("N", ours))}
        return {**found, "small": each(small.rank, players.source.choices(members, k=READS))}

    timed = alternate(tasks, warm=run.warm * 3, rounds=run.rounds * 3)
    large = timed["N"]
    what = "rank in an N-way tie / at distinct scores"
    add_time(run, "tie_slowdown", what, READS, large, timed["tied"])
    times = duration(large.median / READS), duration(timed["small"].median / READS)
    ratio = large.median / timed["small"].median
    run.report.add("growth_slowdown", "rank at N / rank at 10,000", *times, ratio)


# --- SQLite and sortedcontainers -------------------------------------------------------------


def measure_others(run: Run, players: Players, ours: Ours) -> None:
    """The same batches and ranks beside a SQLite table and a sorted list in memory."""
    run.step("loading sqlite and sortedcontainers")
    table = run.stack.enter_context(closing(SqlitePeer(run.home / "table.db")))
    peers: list[Side[Any]] = [table, SortedPeer()]
    measure_other_loads(run, players, peers)
    few = replace(run, rounds=min(3, run.rounds))
    for key, size in (("updates", SMALL), ("updates_100k", 10 * SMALL)):
        measure_updates(few, key, size, players, ours, peers)
    run.step("ranks of sqlite and sortedcontainers")
    for peer, reads in zip(peers, (SLOW_READS, READS), strict=True):
        sides = {"ours": ours, "peer": peer}
        timed = alternate_ranks(players, sides, reads, few.warm, few.rounds)
        what = f"rank of one member, beside {peer.name}"
        add_time(run, f"rank_vs_{peer.slug}", what, reads, timed["ours"], timed["peer"])


def measure_other_loads(run: Run, players: Players, peers: Sequence[Side[Any]]) -> None:
    everyone = players.all()
    loaded = Ours(run.home / "order-again")
    sides: list[Side[Any]] = [loaded, *peers]
    times = {side.slug: Timed(steady=[seconds_of(load_task(side, everyone))]) for side in sides}
    loaded.discard()
    for peer in peers:
        pair = {slug: times[slug] for slug in (loaded.slug, peer.slug)}
        what = f"load N once, beside {peer.name}"
        add_rate(run, f"load_vs_{peer.slug}", what, run.entries, pair)


def load_task(side: Side[Any], everyone: Batch) -> Task:
    prepared = side.prepare(everyone)
    return lambda: side.load(prepared)


# --- the run ---------------------------------------------------------------------------------


def measure(run: Run) -> None:
    """Every measurement, in the order that lets one use what another has built."""
    run.report.numbers["entries"] = run.entries
    run.report.numbers["compiled"] = all(is_compiled(name) for name in KERNELS)
    values = measure_memory(run)
    measure_opening(run, values)
    players = Players.of(run.entries)
    ours, peer = measure_load(run, players)
    measure_slowdowns(run, players, ours)
    measure_updates(run, "updates", SMALL, players, ours, [peer])
    measure_updates(run, "updates_100k", 10 * SMALL, players, ours, [peer])
    measure_rank(run, players, ours, peer)
    measure_wide(run, players, ours)
    measure_top(run, values)
    measure_small_rankings(run)
    measure_others(run, players, ours)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench engine", description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000, help="N (default: 100,000)")
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
    report = Report(f"Engine, N = {options.entries:,}", GOALS)
    with ExitStack() as outer:
        folder = tempfile.TemporaryDirectory(prefix="rankbook-bench-", dir=options.dir)
        home = Path(outer.enter_context(folder))
        client = outer.enter_context(redis_server())
        step = outer.enter_context(progress(STEPS))
        stack = outer.enter_context(ExitStack())
        measure(Run(options.entries, options.rounds, home, client, report, step, stack))
    report.print(only_json=options.json)
