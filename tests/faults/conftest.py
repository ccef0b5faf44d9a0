"""A place in memory, each log by its URI, and children to be killed."""

import tempfile
from contextlib import nullcontext
from pathlib import Path

import pytest

from tests.faults.child import Nursery

IN_MEMORY = Path("/dev/shm")


@pytest.fixture(autouse=True, scope="package")
def temporary_directories():
    """No test stops the machine, so what is written may stay in memory."""
    before = tempfile.tempdir
    if IN_MEMORY.is_dir():
        tempfile.tempdir = str(IN_MEMORY)
    yield
    tempfile.tempdir = before


@pytest.fixture
def place():
    """An empty directory."""
    with tempfile.TemporaryDirectory(prefix="rankbook-fault-") as directory:
        yield Path(directory)


@pytest.fixture(params=["sqlite", "postgres"])
def new_log(request):
    """Makes empty logs: each a context whose value is a URI."""
    if request.param == "sqlite":
        return lambda: nullcontext("sqlite:")
    return request.getfixturevalue("postgres").database


@pytest.fixture
def log(new_log):
    """The URI of an empty log."""
    with new_log() as uri:
        yield uri


@pytest.fixture(params=["embedded", "redis"])
def new_store(request):
    """Makes URIs of empty stores."""
    if request.param == "embedded":
        return lambda: "embedded:"
    return request.getfixturevalue("redis").uri


@pytest.fixture
def nursery():
    with Nursery() as nursery:
        yield nursery
