"""The engine's input, and what must be measured in a fresh process.

python -m bench.engine_child memory DIRECTORY ENTRIES   fills DIRECTORY and reads all of it
python -m bench.engine_child open DIRECTORY MEMBER_HEX  opens it and reads one rank

Each prints one line of JSON. Little is imported here: it would count as memory in use.
"""

import json
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from rankbook.engine.environment import Environment

NAME = b"speed/all-time"
SCORES = 10**9
SEED = 3
BATCH = 10_000
SCAN = 1000

Change = tuple[bytes, bytes, bytes]


def stream(entries: int) -> Iterator[tuple[bytes, int]]:
    """Random members of 16 bytes and their scores, the same ones every time."""
    source = random.Random(SEED)
    for _ in range(entries):
        yield source.randbytes(16), source.randrange(SCORES)


def key_of(score: int) -> bytes:
    """An order key: the highest score has the lowest bytes."""
    return (2**63 - score).to_bytes(8, "big")


def value_of(member: bytes) -> bytes:
    """120 bytes, different for each member."""
    return member * 7 + member[:8]


def batches(changes: Iterable[Change], size: int) -> Iterator[list[Change]]:
    """The same changes in lists of at most `size`, made as they are asked for."""
    left = iter(changes)
    while batch := list(islice(left, size)):
        yield batch


def put(environment: Environment, changes: list[Change], version: int) -> None:
    """One batch in one write transaction."""
    environment.update(lambda tx: tx.rankset(NAME, 8, 8).apply(changes, version))


def fill(environment: Environment, entries: int, see: Callable[[], None]) -> None:
    """Put the whole stream with its values; `see` is called before each commit."""
    changes = ((member, key_of(score), value_of(member)) for member, score in stream(entries))
    for version, batch in enumerate(batches(changes, BATCH), 1):

        def work(tx: Any, batch: list[Change] = batch, version: int = version) -> None:
            tx.rankset(NAME, 8, 8).apply(batch, version)
            see()

        environment.update(work)


def read_in_order(environment: Environment, entries: int, see: Callable[[], None]) -> None:
    """Read every entry by scans; `see` is called after each."""
    found = 0
    for start in range(0, entries, SCAN):
        with environment.view() as tx:
            found += len(tx.rankset(NAME, 8, 8).scan(start, SCAN))
            see()
    if found != entries:
        raise SystemExit(f"scans gave {found} entries, not {entries}")


def read_by_member(environment: Environment, entries: int, see: Callable[[], None]) -> None:
    """Read every entry by its member, in the order of the stream; `see` after each batch."""
    members = (member for member, _score in stream(entries))
    while batch := list(islice(members, BATCH)):
        with environment.view() as tx:
            ranks = tx.rankset(NAME, 8, 8)
            for member in batch:
                entry = ranks.get(member)
                if entry is None or entry[1] != value_of(member):
                    raise SystemExit(f"{member.hex()} has another value than it was given")
            see()


# --- in a fresh process ----------------------------------------------------------------------


def memory(directory: str, entries: str) -> dict[str, float]:
    """How many MB (10^6) RssAnon grew from before the directory was opened: at most, and at last.

    Each part's own highest is there too. It is read before every commit and after every scan.
    """
    before = rss_anon_bytes()
    grown: dict[str, float] = {}
    environment = Environment(Path(directory))
    for work in (fill, read_in_order, read_by_member):

        def see(part: str = work.__name__) -> None:
            grown[part] = max(grown.get(part, 0.0), (rss_anon_bytes() - before) / 1e6)

        work(environment, int(entries), see)
    last = (rss_anon_bytes() - before) / 1e6
    environment.close()
    return {"highest": max(grown.values()), "last": last, **grown}


def rss_anon_bytes() -> int:
    """Private memory of this process, as /proc/self/status gives it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024
    raise OSError("this system does not tell RssAnon")


def open_and_rank(directory: str, member: str) -> dict[str, float]:
    """Milliseconds from nothing open to one rank known."""
    wanted = bytes.fromhex(member)
    start = time.perf_counter()
    environment = Environment(Path(directory))
    with environment.view() as tx:
        rank = tx.rankset(NAME, 8, 8).rank(wanted)
    taken = time.perf_counter() - start
    environment.close()
    if rank is None:
        raise SystemExit(f"{directory} has no member {member}")
    return {"ms": taken * 1000}


if __name__ == "__main__":
    work = {"memory": memory, "open": open_and_rank}[sys.argv[1]]
    print(json.dumps(work(*sys.argv[2:])))
