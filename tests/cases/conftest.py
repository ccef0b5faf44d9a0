"""Homes on memory, the embedded store, every server, and in parts. Trees are in `tests/book`."""

import pytest

from tests.book.conftest import clock, home_of, memory_home, place, temporary_directories
from tests.book.home import SERVERS
from tests.book.parted import PARTITIONS, PartedHome

__all__ = ["clock", "memory_home", "place", "temporary_directories"]


@pytest.fixture(params=["memory", "embedded", *SERVERS, *PARTITIONS])
def home(request, place, clock):
    """A home whose rankings agree with its log at the end of every test."""
    if request.param in PARTITIONS:
        home = PartedHome(request.param, place, clock)
    else:
        yield from home_of(request, place, clock)
        return
    yield home
    home.end()
