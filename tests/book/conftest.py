"""A clock, a place for books, and a home on every store."""

import sqlite3
import tempfile
from pathlib import Path

import pytest

from tests.book.home import SERVERS, STORES, Clock, Home
from tests.book.parted import PARTITIONS, PartedHome

IN_MEMORY = Path("/dev/shm")


@pytest.fixture(autouse=True, scope="package")
def temporary_directories():
    """Temporary directories are in memory where the system has a place for that.

    These suites are about promises of the book, which hundreds of fsyncs to a disk only slow down.
    """
    before = tempfile.tempdir
    if IN_MEMORY.is_dir():
        tempfile.tempdir = str(IN_MEMORY)
    yield
    tempfile.tempdir = before


@pytest.fixture
def place():
    """An empty directory."""
    with tempfile.TemporaryDirectory(prefix="rankbook-test-") as directory:
        yield Path(directory)


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture(params=STORES)
def home(request, place, clock):
    """A home whose rankings agree with its log at the end of every test."""
    yield from home_of(request, place, clock)


def home_of(request, place, clock):
    """The home on the store that is the fixture's parameter."""
    server = SERVERS.get(request.param)
    uri = request.getfixturevalue(server) if server else None
    home = Home(request.param, place, clock, uri)
    yield home
    home.end()


@pytest.fixture
def memory_home(place, clock):
    """A home on the store in memory, which fails when asked to."""
    home = Home("memory", place, clock)
    yield home
    home.end()


@pytest.fixture
def boards(place, clock):
    """A home of books with a part for each board."""
    home = PartedHome("by board", place, clock)
    yield home
    home.end()


@pytest.fixture
def periods(place, clock):
    """A home of books whose periods are spread over three parts."""
    home = PartedHome("by period", place, clock)
    yield home
    home.end()


@pytest.fixture(params=PARTITIONS)
def parted(request, place, clock):
    """A home of books in parts of either kind."""
    home = PartedHome(request.param, place, clock)
    yield home
    home.end()


@pytest.fixture
def change(home):
    """Set a column of an event in the log, and nothing else."""

    def change(id, column, value):
        with sqlite3.connect(home.path / "log.sqlite") as connection:
            connection.execute(f"UPDATE rankbook_event SET {column} = ? WHERE id = ?", (value, id))
        connection.close()

    return change
