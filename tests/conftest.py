"""What every test shares: the suites, the servers, and the path of the shared data."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from rankbook.engine.kernels import plain
from tests import depth, suites
from tests.redis_servers import (
    Endpoint,
    RedisCluster,
    RedisServer,
    redis_cluster,
    redis_server,
    upstash_endpoint,
)
from tests.servers import Missing, Postgres, postgres_server, skip_or_fail

if plain():
    # No kernel was compiled here: the commands that tests start are not to warn of it each time.
    os.environ["RANKBOOK_PLAIN"] = "1"

PROJECT = Path(__file__).resolve().parent.parent

depth.register()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    suites.mark(items)


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


@pytest.fixture(scope="session")
def redis() -> Iterator[RedisServer]:
    """A redis-server for this session, or a skip (with CI=true: a failure) without one."""
    try:
        with redis_server() as server:
            yield server
    except Missing as missing:
        skip_or_fail(missing)


@pytest.fixture
def redis_uri(redis: RedisServer) -> Iterator[str]:
    """An empty server, and a tag of a test's own."""
    yield redis.uri()
    redis.say("FLUSHALL")


@pytest.fixture(scope="session")
def cluster() -> Iterator[RedisCluster]:
    """Three nodes for this session, or a skip (with CI=true: a failure) without."""
    try:
        with redis_cluster() as cluster:
            yield cluster
    except Missing as missing:
        skip_or_fail(missing)


@pytest.fixture
def cluster_uri(cluster: RedisCluster) -> Iterator[str]:
    """An empty cluster, and a tag of a test's own."""
    yield cluster.uri()
    cluster.flush()


@pytest.fixture(scope="session")
def upstash(redis: RedisServer) -> Iterator[Endpoint]:
    """Upstash's REST protocol in front of the redis-server of this session."""
    with upstash_endpoint(redis, "a-token-that-is-never-shown") as endpoint:
        yield endpoint


@pytest.fixture
def upstash_uri(
    redis: RedisServer, upstash: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """An empty server by REST; the token is in the environment."""
    monkeypatch.setenv("UPSTASH_REDIS_REST_TOKEN", upstash.token)
    yield upstash.uri
    redis.say("FLUSHALL")
