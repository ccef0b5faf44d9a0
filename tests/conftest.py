"""What every test shares: Hypothesis profiles, and the path of the shared data."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests.servers import Missing, Postgres, postgres_server, skip_or_fail

PROJECT = Path(__file__).resolve().parent.parent

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of data sets that stands beside the project, or a skip where it is absent."""
    path = PROJECT.parent / "shared" / "data"
    if not path.is_dir():
        pytest.skip("needs the data sets in ../shared/data, beside the project's folder")
    return path


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server for this session, or a skip (with CI=true: a failure) without one.

    It does not sync, since no test stops the machine.
    """
    try:
        with postgres_server(fsync=False) as server:
            yield server
    except Missing as missing:
        skip_or_fail(missing)


@pytest.fixture
def postgres_uri(postgres: Postgres) -> Iterator[str]:
    """An empty database of a test's own."""
    with postgres.database() as uri:
        yield uri
