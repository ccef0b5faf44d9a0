"""URIs: what they open, what is refused, and that no secret is ever shown."""

import traceback

import pytest

from rankbook.errors import SpecError, StoreError
from rankbook.store import open_store
from rankbook.store.base import ByPosition
from tests.contract.rows import SEVEN, R, ask, publish, put
from tests.redis_servers import redis_server
from tests.servers import Missing, skip_or_fail

SECRET = "pa55word"


def shown(error):
    return "".join(traceback.format_exception(error)) + repr(error) + repr(error.args)


@pytest.fixture
def locked(tmp_path):
    """A server with a password and a Unix socket."""
    options = {"requirepass": SECRET, "unixsocket": str(tmp_path / "redis.sock")}
    try:
        with redis_server() as server:
            server.stop()
            server.start(unixsocket=options["unixsocket"])
            server.say("CONFIG", "SET", "requirepass", SECRET)
            yield server
    except Missing as missing:
        skip_or_fail(missing)


def works(uri, tmp_path):
    store = open_store(uri, tmp_path)
    publish(store, put(SEVEN))
    assert ask(store, ByPosition(R, 0, 9)).rows == SEVEN
    assert SECRET not in repr(store) + repr(store.transport) + str(store.describe())
    store.close()


def test_a_password_in_the_uri_or_in_the_environment_opens_a_server(locked, tmp_path, monkeypatch):
    works(f"redis://:{SECRET}@127.0.0.1:{locked.port}/0?tag=a", tmp_path)
    works(f"unix://:{SECRET}@{tmp_path}/redis.sock?tag=b", tmp_path)
    monkeypatch.setenv("RANKBOOK_REDIS_PASSWORD", SECRET)
    works(f"redis://127.0.0.1:{locked.port}/0?tag=c", tmp_path)
    works(f"redis://127.0.0.1:{locked.port}/1?tag=c", tmp_path)


@pytest.mark.parametrize("given", ["", f":{SECRET}x@"])
def test_a_wrong_or_missing_password_is_said_without_showing_it(locked, tmp_path, given):
    store = open_store(f"redis://{given}127.0.0.1:{locked.port}/0", tmp_path)
    with pytest.raises(StoreError, match="password") as caught:
        store.position()
    assert SECRET not in shown(caught.value)
    store.close()


def test_a_server_that_is_not_there_is_said_without_its_password(tmp_path):
    for scheme, rest in (("redis", "/0"), ("redis+cluster", ""), ("redis+sentinel", "/main")):
        store = open_store(f"{scheme}://:{SECRET}@127.0.0.1:1{rest}", tmp_path)
        with pytest.raises(StoreError, match="cannot be reached") as caught:
            store.position()
        assert SECRET not in shown(caught.value)
        store.close()
        store.close()


@pytest.mark.parametrize(
    ("uri", "wanted"),
    [
        (f"redis://:{SECRET}@h:port/0", "cannot be read"),
        (f"redis://:{SECRET}@h/0?timeout=soon", "timeout"),
        (f"redis://:{SECRET}@h/0?timeout=0", "timeout"),
        (f"redis://:{SECRET}@h/0?tag=%7Bx%7D", "a tag is"),
        (f"redis+sentinel://:{SECRET}@h:26379", "needs a service"),
        (f"redis+sentinel://:{SECRET}@h:26379/main/x", "a number"),
        (f"redis+cluster://:{SECRET}@h:port", "no host and port"),
        (f"upstash+https://user:{SECRET}@h", "UPSTASH_REDIS_REST_TOKEN"),
        ("upstash+http://example.com", "would show the token"),
        ("upstash+https://example.com", "UPSTASH_REDIS_REST_TOKEN, which is empty"),
        (f"redis+unknown://:{SECRET}@h", "no store is called"),
    ],
)
def test_a_uri_that_cannot_be_is_refused_without_showing_its_password(
    uri, wanted, tmp_path, monkeypatch
):
    monkeypatch.delenv("UPSTASH_REDIS_REST_TOKEN", raising=False)
    with pytest.raises(SpecError, match=wanted) as caught:
        open_store(uri, tmp_path)
    assert SECRET not in shown(caught.value)


def test_two_books_on_one_server_are_kept_apart_by_their_tags(redis, redis_uri, tmp_path):
    one, two = (open_store(redis.uri(tag), tmp_path) for tag in ("one", "two"))
    publish(one, put(SEVEN))
    assert (one.position(), two.position()) == (1, 0)
    assert two.describe()["rankings"] == 0
    one.close()
    two.close()


def test_parts_of_a_store_are_kept_apart_over_its_connections(server_uri, tmp_path):
    store = open_store(server_uri, tmp_path)
    parts = [store.part(name) for name in ("0", "1")]
    publish(parts[0], put(SEVEN))
    assert [each.position() for each in (store, *parts, store.part("0"))] == [0, 1, 0, 1]
    for each in (*parts, store):
        each.close()


@pytest.mark.parametrize(
    "uri",
    [
        "redis://localhost?nosuch=1",
        "rediss://localhost?ssl_nosuch=1",
        "unix:///tmp/redis.sock?nosuch=1",
        "redis+sentinel://localhost/service?nosuch=1",
        "redis+cluster://localhost?nosuch=1",
    ],
)
def test_a_setting_that_no_client_knows_is_refused_by_its_name(uri, tmp_path):
    with pytest.raises(SpecError, match="nosuch"):
        open_store(uri, tmp_path)
