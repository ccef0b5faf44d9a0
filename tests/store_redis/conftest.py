"""A store on each kind of server, whose own check is silent at the end."""

import pytest

from rankbook.store import open_store


@pytest.fixture(params=["redis", "cluster", "upstash"])
def server_uri(request):
    return request.getfixturevalue(f"{request.param}_uri")


@pytest.fixture
def store(server_uri, tmp_path):
    store = open_store(server_uri, tmp_path)
    yield store
    with store.audit() as audit:
        assert list(audit.faults()) == []
    store.close()
