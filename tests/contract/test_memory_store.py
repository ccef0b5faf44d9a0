"""What the store in memory promises beyond the contract: strictness, and faults on demand."""

import pytest

from rankbook.errors import PositionMoved, SpecError, StoreError
from rankbook.store import open_store
from rankbook.store.base import ByPosition, Change, RankingId
from rankbook.store.memory import MemoryStore

R = RankingId("r", 2, 1)
GOOD = Change(R, b"asha", b"kk", b"v")


@pytest.fixture
def store():
    return MemoryStore()


def untouched(store):
    return store.read([ByPosition(R, 0, 9)]).answers[0].count == store.position() == 0


@pytest.mark.parametrize("key", [b"", b"k", b"kkk"])
def test_a_key_of_another_length_is_refused_and_nothing_is_written(store, key):
    with pytest.raises(StoreError, match="has 2 bytes"):
        store.publish([GOOD, Change(R, b"bram", key, b"")], [(1, b"r")], expect=0, then=1)
    assert untouched(store)
    assert store.receipts([1]) == [None]


def test_two_changes_of_one_entry_are_refused_and_nothing_is_written(store):
    with pytest.raises(StoreError, match="two changes"):
        store.publish([GOOD, Change(R, b"asha", None)], [], expect=0, then=1)
    assert untouched(store)


def test_a_ranking_keeps_the_shape_of_its_keys_while_it_has_entries(store):
    other = RankingId("r", 3, 1)
    with pytest.raises(StoreError, match="two shapes"):
        store.publish([GOOD, Change(other, b"bram", b"kkk")], [], expect=0, then=1)
    store.publish([GOOD], [], expect=0, then=1)
    with pytest.raises(StoreError, match="is kept as"):
        store.publish([Change(other, b"bram", b"kkk")], [], expect=1, then=2)
    with pytest.raises(StoreError, match="is kept as"):
        store.read([ByPosition(other, 0, 9)])
    store.publish([Change(R, b"asha", None)], [], expect=1, then=2)
    store.publish([Change(other, b"bram", b"kkk")], [], expect=2, then=3)
    assert store.read([ByPosition(other, 0, 9)]).answers[0].count == 1


def test_a_publish_asked_to_fail_before_leaves_everything_as_it_was_once(store):
    store.fail_next_publish("before")
    with pytest.raises(StoreError):
        store.publish([GOOD], [(1, b"r")], expect=0, then=1)
    assert untouched(store)
    assert store.receipts([1]) == [None]
    store.publish([GOOD], [(1, b"r")], expect=0, then=1)
    assert store.position() == 1


def test_a_publish_asked_to_fail_after_is_applied_and_a_retry_learns_it_from_the_position(store):
    store.fail_next_publish("after")
    with pytest.raises(StoreError):
        store.publish([GOOD], [(1, b"r")], expect=0, then=1)
    with pytest.raises(PositionMoved):
        store.publish([GOOD], [(1, b"r")], expect=0, then=1)
    assert store.receipts([1]) == [b"r"]
    assert store.read([ByPosition(R, 0, 9)]).answers[0].count == 1


def test_faults_queue_up_and_a_refused_publish_uses_none(store):
    store.fail_next_publish("before")
    store.fail_next_publish("after")
    with pytest.raises(PositionMoved):
        store.publish([GOOD], [], expect=5, then=6)
    for _ in range(2):
        with pytest.raises(StoreError):
            store.publish([GOOD], [], expect=0, then=1)
    store.publish([], [], expect=1, then=2)


def test_the_check_names_every_way_in_which_the_two_indexes_can_disagree(store):
    store.publish([GOOD, Change(R, b"bram", b"kk", b"")], [], expect=0, then=1)
    with store.audit() as audit:
        ranking = audit._rankings["r"]
        ranking.order.reverse()
        del ranking.members[b"asha"]
        ranking.members[b"long"] = ranking.members[b"bram"]._replace(key=b"kkk")
        ranking.version = 9
        assert [fault.partition(": ")[2] for fault in audit.faults()] == [
            "the order index is not in strictly ascending order",
            "the order index and the member index hold different entries",
            "a key does not have 2 bytes",
            "its version is ahead of the position",
        ]


@pytest.mark.parametrize("uri", ["rocks://x", "memory", "", "embedded"])
def test_an_unknown_scheme_names_the_field_and_what_exists(uri, tmp_path):
    with pytest.raises(SpecError, match=r"^book\.store: .*embedded:, memory:") as caught:
        open_store(uri, tmp_path)
    assert caught.value.field == "book.store"


def test_memory_takes_no_path(tmp_path):
    with pytest.raises(SpecError):
        open_store("memory:path", tmp_path)
