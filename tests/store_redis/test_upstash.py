"""Upstash: answers that are lost, tokens that are wrong, and what is never shown."""

import traceback

import pytest

from rankbook.errors import StoreError
from rankbook.store import open_store
from rankbook.store.base import ByPosition
from tests.contract.rows import SEVEN, R, ask, publish, put


def test_a_publish_whose_answer_was_lost_is_done_once(upstash, upstash_uri, tmp_path):
    store = open_store(upstash_uri, tmp_path)
    publish(store, put(SEVEN[:2]))
    position = store.position()
    upstash.lose = 1
    store.publish(put(SEVEN[2:]), [], expect=position, then=position + 1)
    assert upstash.lose == 0
    assert store.position() == 2
    assert ask(store, ByPosition(R, 0, 9)).rows == SEVEN
    store.close()


def test_answers_that_are_lost_again_and_again_are_an_error(upstash, upstash_uri, tmp_path):
    store = open_store(upstash_uri, tmp_path)
    upstash.lose = 100
    try:
        with pytest.raises(StoreError, match="cannot be reached"):
            store.position()
    finally:
        upstash.lose = 0
    assert store.position() == 0
    store.close()


def test_a_token_is_never_shown(upstash, upstash_uri, tmp_path, monkeypatch):
    store = open_store(upstash_uri, tmp_path)
    assert upstash.token not in repr(store) + repr(store.transport) + str(store.describe())
    store.close()
    monkeypatch.setenv("UPSTASH_REDIS_REST_TOKEN", "another-token")
    store = open_store(upstash_uri, tmp_path)
    with pytest.raises(StoreError, match="Unauthorized") as caught:
        store.position()
    assert "another-token" not in "".join(traceback.format_exception(caught.value))
    store.close()


def test_a_server_error_is_told_as_by_redis_itself(redis, upstash_uri, tmp_path):
    store = open_store(upstash_uri, tmp_path)
    publish(store, put(SEVEN))
    with redis.configured(maxmemory="1"), pytest.raises(StoreError, match="out of memory"):
        publish(store, put(SEVEN))
    assert store.position() == 1
    store.close()
