"""What the engine is measured against: a redis-server of our own, SQLite, and memory."""

import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol, TypeVar

import redis
from sortedcontainers import SortedList

Batch = Sequence[tuple[bytes, int]]
P = TypeVar("P")

PIPELINE = 1000
SQLITE_CACHE_KB = 65536
ATTEMPTS = 5


# --- a redis-server --------------------------------------------------------------------------


@contextmanager
def redis_server() -> Iterator[redis.Redis]:
    """A client of a redis-server on a free loopback port, with nothing persisted; stopped after."""
    program = shutil.which("redis-server") or shutil.which("valkey-server")
    if program is None:
        raise SystemExit("this measurement needs redis-server: apt-get install redis-server")
    with tempfile.TemporaryDirectory(prefix="rankbook-redis-") as folder:
        process, client = _start(program, folder)
        try:
            yield client
        finally:
            client.close()
            process.terminate()
            process.wait()


def _start(program: str, folder: str) -> tuple[subprocess.Popen[bytes], redis.Redis]:
    for _attempt in range(ATTEMPTS):
        port = _free_port()
        options = f"--port {port} --bind 127.0.0.1 --appendonly no --loglevel warning".split()
        process = subprocess.Popen(
            [program, *options, "--save", "", "--dir", folder], stdout=subprocess.DEVNULL
        )
        client = redis.Redis(port=port)
        if _answers(process, client):
            return process, client
        process.kill()
        process.wait()
    raise SystemExit(f"{program} does not start")


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(process: subprocess.Popen[bytes], client: redis.Redis) -> bool:
    until = time.monotonic() + 10
    while process.poll() is None and time.monotonic() < until:
        with suppress(redis.ConnectionError):
            # Another server may have taken the port first, so the answer must be from ours.
            return int(client.info("server")["process_id"]) == process.pid
        time.sleep(0.01)
    return False


# --- a PostgreSQL ----------------------------------------------------------------------------


@contextmanager
def postgres_databases(count: int) -> Iterator[tuple[list[str], str]]:
    """The URIs of empty databases of a PostgreSQL that is started for this, with fsync on.

    Where there is no PostgreSQL there is none of them, and a word about what is missing.
    """
    try:
        from tests.servers import Missing, postgres_server
    except ImportError as error:
        yield [], f"needs psycopg and pytest: {error}"
        return
    with ExitStack() as stack:
        try:
            server = stack.enter_context(postgres_server())
        except Missing as missing:
            yield [], str(missing)
            return
        yield [stack.enter_context(server.database()) for _ in range(count)], ""


# --- the peers: each prepares a batch outside the timing, and applies it inside --------------


class Side(Protocol[P]):
    """One of those compared. `P` is a batch as this side wants it."""

    name: str
    slug: str

    def prepare(self, batch: Batch) -> P:
        """Bring a batch into this side's own shape, outside of the timing."""

    def load(self, prepared: P) -> None:
        """Put a batch of new members."""

    def apply(self, prepared: P) -> None:
        """Raise the scores of members."""

    def rank(self, member: bytes) -> int | None:
        """The 0-based place of a member, the highest score first."""


class RedisPeer:
    """A sorted set through pipelines of 1,000 commands of one member each."""

    name = "redis"
    slug = "redis"

    def __init__(self, client: redis.Redis, key: str = "order") -> None:
        self.client = client
        self.key = key

    def prepare(self, batch: Batch) -> list[list[dict[bytes, int]]]:
        return [[{member: score} for member, score in part] for part in _parts(batch)]

    def load(self, prepared: list[list[dict[bytes, int]]]) -> None:
        self._send(prepared, gt=False)

    def apply(self, prepared: list[list[dict[bytes, int]]]) -> None:
        self._send(prepared, gt=True)

    def _send(self, prepared: list[list[dict[bytes, int]]], *, gt: bool) -> None:
        for mappings in prepared:
            pipeline = self.client.pipeline(transaction=False)
            for mapping in mappings:
                pipeline.zadd(self.key, mapping, gt=gt)
            pipeline.execute()

    def rank(self, member: bytes) -> int | None:
        place: Any = self.client.zrevrank(self.key, member)
        return None if place is None else int(place)


class WideRedisPeer(RedisPeer):
    """The same set through commands of 1,000 members each: not what single updates can use."""

    name = "redis, 1,000 a ZADD"
    slug = "redis_wide"

    def prepare(self, batch: Batch) -> list[list[dict[bytes, int]]]:
        return [[dict(part)] for part in _parts(batch)]


class SqlitePeer:
    """A table by member with an index by score: WAL, no fsync, a cache of 64 MB."""

    name = "sqlite"
    slug = "sqlite"

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        for pragma in (
            "journal_mode=WAL",
            "synchronous=OFF",
            f"cache_size=-{SQLITE_CACHE_KB}",
        ):
            self.connection.execute(f"PRAGMA {pragma}")
        self.connection.execute(
            "CREATE TABLE entries (member BLOB PRIMARY KEY, score INTEGER NOT NULL) WITHOUT ROWID"
        )

    def prepare(self, batch: Batch) -> list[tuple[bytes, int]]:
        return list(batch)

    def load(self, prepared: list[tuple[bytes, int]]) -> None:
        self._write("INSERT INTO entries VALUES (?, ?)", prepared)
        self.connection.execute("CREATE INDEX by_score ON entries (score)")

    def apply(self, prepared: list[tuple[bytes, int]]) -> None:
        self._write(
            "INSERT INTO entries VALUES (?, ?) ON CONFLICT (member) DO UPDATE"
            " SET score = excluded.score WHERE excluded.score > score",
            prepared,
        )

    def _write(self, statement: str, rows: list[tuple[bytes, int]]) -> None:
        self.connection.execute("BEGIN")
        self.connection.executemany(statement, rows)
        self.connection.execute("COMMIT")

    def rank(self, member: bytes) -> int:
        [(above,)] = self.connection.execute(
            "SELECT count(*) FROM entries WHERE score >"
            " (SELECT score FROM entries WHERE member = ?)",
            (member,),
        )
        return int(above)

    def close(self) -> None:
        self.connection.close()


class SortedPeer:
    """A SortedList of (negated score, member) and a dict, in memory."""

    name = "sortedcontainers"
    slug = "sortedcontainers"

    def __init__(self) -> None:
        self.order: Any = SortedList()
        self.keys: dict[bytes, int] = {}

    def prepare(self, batch: Batch) -> list[tuple[int, bytes]]:
        return [(-score, member) for member, score in batch]

    def load(self, prepared: list[tuple[int, bytes]]) -> None:
        self.keys = {member: key for key, member in prepared}
        self.order = SortedList(prepared)

    def apply(self, prepared: list[tuple[int, bytes]]) -> None:
        order, keys = self.order, self.keys
        for pair in prepared:
            key, member = pair
            before = keys[member]
            if key < before:
                order.remove((before, member))
                order.add(pair)
                keys[member] = key

    def rank(self, member: bytes) -> int:
        return int(self.order.bisect_left((self.keys[member], member)))


def _parts(batch: Batch) -> list[Batch]:
    return [batch[start : start + PIPELINE] for start in range(0, len(batch), PIPELINE)]
