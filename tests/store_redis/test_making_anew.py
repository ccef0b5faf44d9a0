"""Generations: rankings made beside those that are served, promoted in one step, and removed."""

import pytest

from rankbook import BookSpec, Rankbook
from rankbook.errors import RebuildNeeded, StoreError
from rankbook.store import open_store
from rankbook.store.base import ByPosition, RankingId
from rankbook.store.redis import generations
from tests.book.home import assert_agrees, board, result
from tests.contract.rows import EMPTY, OTHER, SEVEN, R, ask, publish, put


def test_what_is_made_beside_is_served_in_one_step_and_what_was_served_is_removed(
    store, monkeypatch
):
    monkeypatch.setattr(generations, "RUN", 2)
    monkeypatch.setattr(generations, "BUCKETS_RUN", 2)
    names = [RankingId(f"n{number}", 2, 1) for number in range(9)]
    for name in names:
        publish(store, put(SEVEN, name))
    store.publish([], [(seq, b"r") for seq in range(1, 1000)], expect=9, then=999)
    beside = store.staging()
    assert store.staging().position() == beside.position() == 0
    publish(beside, put(SEVEN[:3]), [(0, b"other"), (1, b"made")])
    assert ask(store, ByPosition(R, 0, 9)) == EMPTY
    assert not store.promote(None, b"note")
    beside.publish([], [], expect=1, then=999)
    assert store.promote(None, b"note")
    assert store.position() == 999
    assert store.receipts([0, 1, 2]) == [b"note", b"made", None]
    assert ask(store, ByPosition(R, 0, 9)).rows == SEVEN[:3]
    assert ask(store, ByPosition(names[0], 0, 9)) == EMPTY
    with pytest.raises(StoreError, match="promoted or discarded"):
        beside.position()


def test_nothing_of_a_generation_that_was_given_up_is_left(redis, redis_uri, tmp_path):
    store = open_store(redis_uri, tmp_path)
    store.publish(put(SEVEN), [(seq, b"r") for seq in range(200)], expect=0, then=199)
    made = {key for key in redis.say("KEYS", "*") if b"}:0:" in key}
    beside = store.staging()
    publish(beside, put(SEVEN), [(0, b"note"), (1, b"r")])
    store.discard()
    assert {key for key in redis.say("KEYS", "*") if not key.endswith(b":head")} == made
    again = store.staging()
    again.publish(put(SEVEN[:1]), [], expect=0, then=199)
    assert store.promote(None, b"note")
    assert not [key for key in redis.say("KEYS", "*") if b"}:0:" in key or b"}:1:" in key]
    store.close()


def test_some_rankings_are_replaced_and_the_others_stay(store):
    publish(store, put(SEVEN) + put(SEVEN, OTHER), [(0, b"note"), (1, b"one")])
    gone = RankingId("gone", 2, 1)
    publish(store, put(SEVEN, gone))
    beside = store.staging()
    beside.publish(put(SEVEN[:2]) + put(SEVEN[:1], OTHER), [(1, b"two")], expect=0, then=1)
    assert not store.promote(lambda name: name in ("r", "gone"), b"note")
    beside.publish([], [], expect=1, then=2)
    assert store.promote(lambda name: name in ("r", "gone"), b"note")
    assert ask(store, ByPosition(R, 0, 9)).rows == SEVEN[:2]
    assert ask(store, ByPosition(OTHER, 0, 9)).rows == SEVEN
    assert ask(store, ByPosition(gone, 0, 9)) == EMPTY
    assert store.receipts([0, 1]) == [b"note", b"one"]
    assert store.describe()["entries"] == 9


def test_an_adoption_whose_answer_was_lost_is_done_once(redis_uri, tmp_path):
    store = open_store(redis_uri, tmp_path)
    publish(store, put(SEVEN), [(0, b"note")])
    run, lost = store.transport.run, []

    def losing(name, keys, words):
        reply = run(name, keys, words)
        if name.startswith("promote") and not lost:
            lost.append(name)
            return run(name, keys, words)
        return reply

    store.transport.run = losing
    for wanted in (None, lambda name: name == "r"):
        publish(store.staging(), put(SEVEN[:2]), [(0, b"note")])
        assert store.promote(wanted, b"note")
        lost.clear()
        assert ask(store, ByPosition(R, 0, 9)).rows == SEVEN[:2]
    store.close()


def test_another_process_goes_on_with_what_was_adopted_under_the_same_note(redis_uri, tmp_path):
    one, two = open_store(redis_uri, tmp_path), open_store(redis_uri, tmp_path)
    publish(one, put(SEVEN), [(0, b"note")])
    assert two.receipts([0]) == [b"note"]
    publish(one.staging(), put(SEVEN[:2]), [(0, b"note")])
    assert one.promote(None, b"note")
    assert ask(two, ByPosition(R, 0, 9)).rows == SEVEN[:2]
    publish(two, put(SEVEN[:3]))
    publish(one.staging(), put(SEVEN[:2]), [(0, b"other")])
    assert one.promote(None, b"other", behind=True)
    for call in (two.position, lambda: publish(two, put(SEVEN)), lambda: two.read([])):
        with pytest.raises(RebuildNeeded, match="made anew under other rules"):
            call()
    one.close()
    two.close()


def test_a_book_on_a_server_is_rebuilt_and_repaired(redis, redis_uri, place_of_book):
    spec = BookSpec(name="book", boards=(board("speed"), board("slow")), store=redis_uri)
    with Rankbook.open(place_of_book, spec=spec) as book:
        book.submit_many([result(f"p{number}", number) for number in range(20)])
        assert book.rebuild() == 20
        assert_agrees(book)
        assert book.rebuild(board="slow") == 20
        [order] = redis.say("KEYS", "*:order:speed/*")
        redis.say("ZREMRANGEBYRANK", order, 0, 2)
        found = book.repair()
        assert not found.agrees
        assert_agrees(book)
        assert book.doctor().store["entries"] > 40
        changed = BookSpec(name="book", boards=(board("speed", keep="total"),), store=redis_uri)
        with pytest.raises(RebuildNeeded):
            Rankbook.open(place_of_book, spec=changed)
        with Rankbook.open(place_of_book, spec=changed, outdated=True) as other:
            assert other.rebuild() == 20
            assert_agrees(other)
        with pytest.raises(RebuildNeeded, match="made anew under other rules"):
            book.submit(result("late", 1))
        head = book.log.head()
        for _again in range(2):
            with pytest.raises(RebuildNeeded, match="made anew under other rules"):
                book.submit(result("later", 1))
        assert book.log.head() == head


@pytest.fixture
def place_of_book(tmp_path):
    return tmp_path / "book"
