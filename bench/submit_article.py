"""The first article's way in redis-py: a row for each test, then sorted sets, then their details.

As the article has it: SET NX EX for the cooldown, a pipeline of four ZADD GT CH and two EXPIREAT,
and a pipeline of HSET for the boards that changed; two read pipelines for the page. Where there is
a choice it is made in this side's favour: details are encoded by msgspec, the midnight is computed
once, a batch sends one EXPIREAT a key, and a row has no index beside its id.
"""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from math import floor
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec
import redis

BATCH = 1000
TOP = 10
COOLDOWN_SECONDS = 10
DAY_SECONDS = 86_400
DAILY = ("daily", "daily:time", "daily:words")
BOARDS = ("all-time", "all-time:time", "all-time:words", *DAILY)
COLUMNS = "player, name, avatar, wpm, accuracy, mode"


class Test(NamedTuple):
    """One finished test. A row of it begins with the number that orders them."""

    player: str
    name: str
    avatar: str
    wpm: float
    accuracy: float
    mode: str


class Details(msgspec.Struct):
    """What a board shows beside a score."""

    name: str
    wpm: int
    accuracy: float
    mode: str
    avatar: str


encode = msgspec.json.Encoder().encode
decode = msgspec.json.Decoder(Details).decode


# --- rows ------------------------------------------------------------------------------------


class Rows(Protocol):
    """The table of tests, durable when a call returns."""

    def save(self, test: Test) -> None: ...

    def save_many(self, tests: Sequence[Test]) -> None: ...

    def batches(self) -> Iterator[list[Test]]: ...

    def close(self) -> None: ...


class SqliteRows:
    """WAL and synchronous=FULL: what our own log on SQLite has."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute(f"CREATE TABLE tests (id INTEGER PRIMARY KEY, {COLUMNS})")
        self._insert = f"INSERT INTO tests ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"

    def save(self, test: Test) -> None:
        self._connection.execute(self._insert, test)

    def save_many(self, tests: Sequence[Test]) -> None:
        self._connection.execute("BEGIN")
        self._connection.executemany(self._insert, tests)
        self._connection.execute("COMMIT")

    def batches(self) -> Iterator[list[Test]]:
        cursor = self._connection.execute(f"SELECT {COLUMNS} FROM tests ORDER BY id")
        while rows := cursor.fetchmany(BATCH):
            yield [Test(*row) for row in rows]

    def close(self) -> None:
        self._connection.close()


class PostgresRows:
    """psycopg, a commit for each call, and COPY for many."""

    def __init__(self, uri: str) -> None:
        import psycopg

        self._connection = psycopg.connect(uri, autocommit=True)
        self._cursor = self._connection.cursor()
        for setting in ("fsync", "synchronous_commit"):
            if self._cursor.execute(f"SHOW {setting}").fetchone() != ("on",):
                raise SystemExit(f"PostgreSQL has not {setting} = on")
        self._cursor.execute(
            "CREATE TABLE tests (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, player text,"
            " name text, avatar text, wpm float8, accuracy float8, mode text)"
        )

    def save(self, test: Test) -> None:
        self._cursor.execute(f"INSERT INTO tests ({COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s)", test)

    def save_many(self, tests: Sequence[Test]) -> None:
        with self._cursor.copy(f"COPY tests ({COLUMNS}) FROM STDIN") as copy:
            for test in tests:
                copy.write_row(test)

    def batches(self) -> Iterator[list[Test]]:
        with self._connection.transaction(), self._connection.cursor("replay") as cursor:
            cursor.execute(f"SELECT {COLUMNS} FROM tests ORDER BY id")
            while rows := cursor.fetchmany(BATCH):
                yield [Test(*row) for row in rows]

    def close(self) -> None:
        self._connection.close()


# --- rankings --------------------------------------------------------------------------------


class Article:
    """Tests in `rows` and six boards in Redis, all keys under `prefix`."""

    def __init__(self, client: redis.Redis, rows: Rows, prefix: str) -> None:
        self.client = client
        self.rows = rows
        self.prefix = prefix
        self._scores = {board: f"{prefix}:{board}" for board in BOARDS}
        self._details = {board: f"{prefix}:details:{board}" for board in BOARDS}
        self._expires = int(time.time()) + DAY_SECONDS  # no board vanishes in mid-measurement

    def submit(self, test: Test) -> None:
        """One test after another, as the article does it."""
        self.rows.save(test)
        if not self.client.set(self._cooldown(test), 1, nx=True, ex=COOLDOWN_SECONDS):
            return
        boards = _boards(test)
        score = _score(test)
        pipeline = self.client.pipeline(transaction=False)
        for board in boards:
            pipeline.zadd(self._scores[board], {test.player: score}, gt=True, ch=True)
        for board in boards[2:]:
            pipeline.expireat(self._scores[board], self._expires)
        changes = pipeline.execute()
        changed = [board for board, change in zip(boards, changes, strict=False) if change]
        if changed:
            record = encode(_shown(test))
            pipeline = self.client.pipeline(transaction=False)
            for board in changed:
                pipeline.hset(self._details[board], test.player, record)
            pipeline.execute()

    def submit_many(self, tests: Sequence[Test]) -> None:
        """The same with everything pipelined."""
        self.rows.save_many(tests)
        pipeline = self.client.pipeline(transaction=False)
        for test in tests:
            pipeline.set(self._cooldown(test), 1, nx=True, ex=COOLDOWN_SECONDS)
        free = pipeline.execute()
        self.rank([test for test, is_free in zip(tests, free, strict=True) if is_free])

    def rank(self, tests: Sequence[Test]) -> None:
        """Both pipelines of many tests."""
        pipeline = self.client.pipeline(transaction=False)
        for test in tests:
            score = _score(test)
            for board in _boards(test):
                pipeline.zadd(self._scores[board], {test.player: score}, gt=True, ch=True)
        for board in DAILY:
            pipeline.expireat(self._scores[board], self._expires)
        changes = pipeline.execute()
        pipeline = self.client.pipeline(transaction=False)
        for place, test in enumerate(tests):
            boards = zip(_boards(test), changes[4 * place : 4 * place + 4], strict=True)
            changed = [board for board, change in boards if change]
            if changed:
                record = encode(_shown(test))
                for board in changed:
                    pipeline.hset(self._details[board], test.player, record)
        pipeline.execute()

    def replay(self) -> None:
        """Every row into the boards, which are empty."""
        for tests in self.rows.batches():
            self.rank(tests)

    def read(self) -> list[list[tuple[bytes, Details]]]:
        """The page: the players of six boards, then their details."""
        pipeline = self.client.pipeline(transaction=False)
        for board in BOARDS:
            pipeline.zrange(self._scores[board], 0, TOP - 1, desc=True)
        tops = pipeline.execute()
        pipeline = self.client.pipeline(transaction=False)
        for board, players in zip(BOARDS, tops, strict=True):
            if players:
                pipeline.hmget(self._details[board], players)
        records = iter(pipeline.execute())
        return [
            [
                (player, decode(record))
                for player, record in zip(players, next(records) if players else (), strict=True)
                if record is not None
            ]
            for players in tops
        ]

    def cool(self, tests: Sequence[Test]) -> None:
        """End the cooldown of these players, who play again at once here."""
        if tests:
            self.client.delete(*[self._cooldown(test) for test in tests])

    def forget(self) -> None:
        """Empty the boards."""
        self.client.delete(*self._scores.values(), *self._details.values())

    def entry(self, board: str, player: str) -> tuple[int, Details] | None:
        score: Any = self.client.zscore(self._scores[board], player)
        record: Any = self.client.hget(self._details[board], player)
        return None if score is None or record is None else (int(score), decode(record))

    def _cooldown(self, test: Test) -> str:
        return f"{self.prefix}:cooldown:{test.player}"


def _boards(test: Test) -> tuple[str, str, str, str]:
    return "all-time", f"all-time:{test.mode}", "daily", f"daily:{test.mode}"


def _score(test: Test) -> int:
    return floor(test.wpm * (test.accuracy / 100) + 0.5)


def _shown(test: Test) -> Details:
    return Details(test.name, floor(test.wpm + 0.5), test.accuracy, test.mode, test.avatar)
