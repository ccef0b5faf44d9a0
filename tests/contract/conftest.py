"""Every log and every store that the contracts are held against, from two literal lists."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from rankbook.log import open_log
from rankbook.log.base import Draft, Log, Recording
from rankbook.store import open_store
from rankbook.store.base import Store
from tests.contract.rows import SEVEN, publish, put

Record = Callable[[Sequence[Draft]], Recording]


class LogBackend(NamedTuple):
    """One log: `open` gives another handle on it, `held` records in a transaction it holds open.

    `change` sets a column of the event with an id, as damage or somebody's hand does.
    """

    open: Callable[[], Log]
    held: Callable[[], AbstractContextManager[Record]]
    change: Callable[[str, str, object], None]


def sqlite_backend(request: pytest.FixtureRequest) -> LogBackend:
    from rankbook.log.sqlite.log import record_in

    directory: Path = request.getfixturevalue("tmp_path")

    @contextmanager
    def held() -> Iterator[Record]:
        connection = sqlite3.connect(directory / "log.sqlite", isolation_level=None)
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield lambda drafts: record_in(connection, drafts)
            connection.execute("COMMIT")
        finally:
            connection.close()

    def change(id: str, column: str, value: object) -> None:
        with sqlite3.connect(directory / "log.sqlite") as connection:
            connection.execute(f"UPDATE rankbook_event SET {column} = ? WHERE id = ?", (value, id))
        connection.close()

    return LogBackend(open=lambda: open_log("sqlite:", directory), held=held, change=change)


def postgres_backend(request: pytest.FixtureRequest) -> LogBackend:
    import psycopg

    from rankbook.log.postgres.log import record_in

    uri: str = request.getfixturevalue("postgres_uri")

    @contextmanager
    def held() -> Iterator[Record]:
        with psycopg.connect(uri) as connection:
            yield lambda drafts: record_in(connection, drafts)

    def change(id: str, column: str, value: object) -> None:
        with psycopg.connect(uri) as connection:
            update = f"UPDATE rankbook_event SET {column} = %s WHERE id = %s"
            connection.execute(update, (value, id))

    return LogBackend(open=lambda: open_log(uri, Path("unused")), held=held, change=change)


LOGS = {"sqlite": sqlite_backend, "postgres": postgres_backend}
# Store -> the fixture with its URI, where it is on a server, or the URI.
STORES = {
    "memory": "memory:",
    "embedded": "embedded:",
    "redis": "redis_uri",
    "cluster": "cluster_uri",
    "upstash": "upstash_uri",
}


@pytest.fixture(params=LOGS)
def backend(request: pytest.FixtureRequest) -> LogBackend:
    return LOGS[request.param](request)


@pytest.fixture
def log(backend: LogBackend) -> Iterator[Log]:
    log = backend.open()
    yield log
    log.close()


@pytest.fixture(params=STORES)
def store_uri(request: pytest.FixtureRequest) -> str:
    """The URI of an empty store of each kind."""
    place = STORES[request.param]
    uri: str = request.getfixturevalue(place) if place.endswith("_uri") else place
    return uri


@pytest.fixture
def store(store_uri: str, tmp_path: Path) -> Iterator[Store]:
    """A store, whose own check must be silent at the end of every test."""
    store = open_store(store_uri, tmp_path)
    yield store
    with store.audit() as audit:
        assert list(audit.faults()) == []
    store.close()


@pytest.fixture
def closed_store(store_uri: str, tmp_path: Path) -> Store:
    store = open_store(store_uri, tmp_path)
    store.close()
    store.close()
    return store


@pytest.fixture
def seven(store: Store) -> Store:
    """A store with the seven entries at position 1."""
    publish(store, put(reversed(SEVEN)))
    return store
