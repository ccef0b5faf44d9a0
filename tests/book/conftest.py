"""A clock, a place for books, and a home on every store."""

import tempfile
from pathlib import Path

import pytest

from tests.book.home import STORES, Clock, Home

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
    home = Home(request.param, place, clock)
    yield home
    home.end()


@pytest.fixture
def memory_home(place, clock):
    """A home on the store in memory, which fails when asked to."""
    home = Home("memory", place, clock)
    yield home
    home.end()
