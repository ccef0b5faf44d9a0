"""Publishes that are large, sent again, or meet another's."""

import pytest

from rankbook.errors import PositionMoved, StoreError
from rankbook.store import open_store
from rankbook.store.base import ByPosition, Change, RankingId
from rankbook.store.redis.scripts import script
from tests.contract.proxy import Proxy
from tests.contract.rows import SEVEN, R, ask, publish, put, remove


def test_a_step_of_a_thousand_events_in_four_rankings_is_one_publish(store):
    rankings = [RankingId(f"ranking-{number}", 16, 8) for number in range(4)]
    changes = [
        Change(ranking, b"player-%d" % number, b"%08d%08d" % (number % 100, number), b"v" * 100)
        for ranking in rankings
        for number in range(1000)
    ]
    receipts = [(seq, b"r" * 40) for seq in range(1, 1001)]
    store.publish(changes, receipts, expect=0, then=1000)
    wanted = [(change.ranking, change.member) for change in changes]
    position, entries = store.entries(wanted)
    assert position == 1000
    assert [each.key for each in entries] == [change.key for change in changes]
    assert store.receipts(range(1, 1001)) == [b"r" * 40] * 1000
    for ranking in rankings:
        answer = ask(store, ByPosition(ranking, 0, 1000))
        assert (answer.count, answer.groups) == (1000, 100)
        assert [row.key for row in answer.rows] == sorted(row.key for row in answer.rows)


@pytest.mark.parametrize("most", [{"most_words": 5}, {"most_characters": 20}])
def test_a_publish_in_many_parts_is_applied_whole_and_leaves_no_part(
    redis, server_uri, tmp_path, most
):
    store = open_store(server_uri, tmp_path, **most)
    publish(store, put(SEVEN), [(seq, b"%d" % seq) for seq in range(1, 200)])
    publish(store, remove(b"asha", b"e\xff") + put(SEVEN[3:4]))
    left = [row for row in SEVEN if row.member not in (b"asha", b"e\xff")]
    assert ask(store, ByPosition(R, 0, 9)).rows == left
    assert store.receipts([1, 199]) == [b"1", b"199"]
    assert store.entries([(R, row.member) for row in SEVEN])[0] == 2
    assert not [key for key in redis.say("KEYS", "*") if b":stage:" in key]
    with store.audit() as audit:
        assert list(audit.faults()) == []
    store.close()


def test_a_part_that_was_lost_refuses_the_publish_and_nothing_is_written(redis_uri, tmp_path):
    store = open_store(redis_uri, tmp_path, most_words=5)
    run = store.transport.run
    store.transport.run = lambda name, keys, words: (
        ["ok", 0] if name == "stage" else run(name, keys, words)
    )
    with pytest.raises(StoreError, match="a part of a large publish was lost"):
        publish(store, put(SEVEN))
    assert store.position() == 0
    assert ask(store, ByPosition(R, 0, 9)).rows == []
    store.close()


def test_a_publish_that_is_sent_again_is_done_once_and_says_so(redis, tmp_path):
    proxy = Proxy("127.0.0.1", redis.port)
    try:
        store = open_store(f"redis://127.0.0.1:{proxy.port}/0?tag=again", tmp_path)
        publish(store, put(SEVEN[:2]))
        for _time in range(3):
            proxy.cut(script("publish").digest.encode())
            publish(store, put(SEVEN[2:]))
            assert proxy.cuts == 0
        assert store.position() == 4
        with pytest.raises(PositionMoved, match="stand at 4, not at 3"):
            store.publish([], [], expect=3, then=4)
        store.close()
    finally:
        proxy.close()
        redis.say("FLUSHALL")


def test_two_changes_of_one_entry_and_two_shapes_are_refused_before_anything_is_sent(store):
    other = RankingId("r", 3, 1)
    for changes in (
        put(SEVEN[:1]) + put(SEVEN[:1]),
        put(SEVEN[:1]) + remove(b"asha"),
        put(SEVEN[:1]) + remove(b"x", ranking=other),
    ):
        with pytest.raises(StoreError):
            publish(store, changes)
    assert store.position() == 0


def test_a_ranking_in_another_shape_is_refused_and_nothing_is_written(store):
    publish(store, put(SEVEN))
    other = RankingId("r", 3, 1)
    with pytest.raises(StoreError, match="is kept with keys of 2, 1 bytes"):
        publish(store, [Change(other, b"asha", b"kkk", b"")])
    for look in (
        lambda: ask(store, ByPosition(other, 0, 1)),
        lambda: store.entries([(other, b"")]),
    ):
        with pytest.raises(StoreError, match="is kept as"):
            look()
    assert ask(store, ByPosition(R, 0, 9)).rows == SEVEN


def test_a_key_of_ours_has_no_life_time_so_that_nothing_goes_without_its_position(
    redis, redis_uri, tmp_path
):
    store = open_store(redis_uri, tmp_path)
    publish(store, put(SEVEN), [(1, b"one")])
    assert {redis.say("TTL", key) for key in redis.say("KEYS", "*")} == {-1}
    store.publish([], [], expect=1, then=2, drops=[R])
    assert not [key for key in redis.say("KEYS", "*") if key.endswith(b":r")]
    store.close()
