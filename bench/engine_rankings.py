"""Many small rankings: what each takes on disk, and what updating one of them costs."""

import random
from contextlib import closing
from pathlib import Path
from typing import Any

import lmdb

from bench import engine_child as child
from bench.common import Task, alternate, duration
from bench.engine_run import Run
from rankbook.engine.environment import Environment

RANKINGS = 100_000
RANKING_ENTRIES = 10
RANKINGS_A_COMMIT = 10_000
SMALL_UPDATES = 500


def measure_small_rankings(run: Run) -> None:
    """Disk for each of many rankings of ten, and what updating one of them costs."""
    count = max(1, min(RANKINGS, run.entries // RANKING_ENTRIES))
    run.step(f"{count:,} small rankings")
    run.report.numbers["compact_rankings"] = count
    for key, size in (("compact_bytes_each", 0), ("compact_bytes_each_values_32", 32)):
        path = run.home / f"rankings-{size}"
        with closing(Environment(path)) as environment:
            make_rankings(environment, count, size)
        used, whole = disk_bytes(path)
        what = f"{count:,} rankings of 10, values of {size} bytes: disk each"
        parts = f"used pages {used / count:,.0f} B", f"to the last page {whole / count:,.0f} B"
        run.report.add(key, what, *parts, used / count)
        run.report.numbers[key.replace("bytes", "file_bytes")] = round(whole / count, 1)
    measure_small_updates(run, run.home / "rankings-0", count)


def make_rankings(environment: Environment, count: int, value_bytes: int) -> None:
    """Rankings of ten in shuffled order, as players meet them: names in order would pack better."""
    source = random.Random(child.SEED)
    numbers = source.sample(range(count), count)
    for start in range(0, count, RANKINGS_A_COMMIT):
        made = [
            (ranking_name(number), ranking_entries(source, value_bytes))
            for number in numbers[start : start + RANKINGS_A_COMMIT]
        ]
        put_rankings(environment, made)


def put_rankings(environment: Environment, made: list[tuple[bytes, list[child.Change]]]) -> None:
    def work(tx: Any) -> None:
        for name, changes in made:
            tx.rankset(name, 8, 8).apply(changes, 1)

    environment.update(work)


def ranking_name(number: int) -> bytes:
    return b"speed/daily/%06d" % number


def ranking_entries(source: random.Random, value_bytes: int) -> list[child.Change]:
    return [
        (
            source.randbytes(16),
            child.key_of(source.randrange(child.SCORES)),
            source.randbytes(value_bytes),
        )
        for _ in range(RANKING_ENTRIES)
    ]


def disk_bytes(path: Path) -> tuple[int, int]:
    """Bytes of the pages that LMDB uses, and of the file up to its last used page.

    The file itself is larger: the map is allocated before it is needed.
    """
    with lmdb.open(str(path), readonly=True, max_dbs=8, lock=False) as opened:
        with opened.begin() as handle:
            names = [name for name, _ in handle.cursor()]
        stats = [opened.stat()]
        for name in names:
            found = opened.open_db(name, create=False)
            with opened.begin() as handle:
                stats.append(handle.stat(found))
        last = opened.info()["last_pgno"] + 1
    # Two more pages hold LMDB's own root.
    pages = 2 + sum(
        stat["branch_pages"] + stat["leaf_pages"] + stat["overflow_pages"] for stat in stats
    )
    return pages * stats[0]["psize"], last * stats[0]["psize"]


def measure_small_updates(run: Run, path: Path, count: int) -> None:
    """Update one ranking, a commit each, where there are many and where there is one."""
    source = random.Random(child.SEED)
    many, one = run.open(path.name), run.open("ranking")
    put_rankings(one.environment, [(ranking_name(0), ranking_entries(source, 0))])

    def tasks(_number: int) -> dict[str, Task]:
        return {
            "many": update_each(many.environment, source, count),
            "one": update_each(one.environment, source, 1),
        }

    timed = alternate(tasks, warm=run.warm, rounds=run.rounds)
    times = tuple(duration(side.median / SMALL_UPDATES) for side in timed.values())
    ratio = timed["many"].median / timed["one"].median
    what = f"update one of {count:,} rankings / the only one"
    run.report.add("compact_update_growth", what, times[0], times[1], ratio)


def update_each(environment: Environment, source: random.Random, count: int) -> Task:
    """One member of a random ranking moves, in a commit of its own, again and again."""
    made = []
    for _ in range(SMALL_UPDATES):
        name = ranking_name(source.randrange(count))
        made.append(
            (name, [(b"the same member.", child.key_of(source.randrange(child.SCORES)), b"")])
        )

    def work() -> None:
        for one in made:
            put_rankings(environment, [one])

    return work
