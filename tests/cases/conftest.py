"""The same homes as the book's own tests have, and on every server."""

import pytest

from tests.book.conftest import clock, home_of, memory_home, place, temporary_directories
from tests.book.home import SERVERS, STORES
from tests.book.parted import PARTITIONS, PartedHome

__all__ = ["clock", "memory_home", "place", "temporary_directories"]


CLUSTER_IN_PARTS = "cluster by period"


@pytest.fixture(params=[*STORES, *SERVERS, *PARTITIONS, CLUSTER_IN_PARTS])
def home(request, place, clock):
    """A home whose rankings agree with its log at the end of every test."""
    if request.param in PARTITIONS:
        home = PartedHome(request.param, place, clock)
    elif request.param == CLUSTER_IN_PARTS:
        home = PartedHome("by period", place, clock, request.getfixturevalue("cluster_uri"))
    else:
        yield from home_of(request, place, clock)
        return
    yield home
    home.end()
