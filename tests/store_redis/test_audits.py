"""PartitionedAudit: one state, though others publish; what is wrong in the stored form is found."""

from threading import Thread

import pytest

from rankbook.errors import StoreError
from rankbook.store import open_store
from rankbook.store.base import Change, RankingId, Row
from rankbook.store.redis import audit as audits
from rankbook.store.redis.alphabet import key_text, text
from rankbook.store.redis.keys import Keys
from tests.contract.rows import SEVEN, R, in_order, publish, put, remove

LARGE = RankingId("large", 4, 2)
ROWS = in_order([Row(b"m%03d" % n, b"%04d" % (n * 37 % 200), b"v%d" % n) for n in range(200)])


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch):
    monkeypatch.setattr(audits, "PAGE", 7)


def test_an_audit_shows_what_was_there_whatever_is_published_meanwhile(store):
    publish(store, put(ROWS, LARGE))
    with store.audit() as audit:
        order, members = audit.order(LARGE), audit.members(LARGE)
        seen = [next(order) for _ in range(50)]
        walked = [next(members) for _ in range(50)]
        moved = [Change(LARGE, row.member, b"%04d" % (9000 - n), b"") for n, row in enumerate(ROWS)]
        publish(store, moved[::2])
        publish(store, remove(*(row.member for row in ROWS[1::3]), ranking=LARGE))
        publish(store, [Change(LARGE, b"new", b"0000", b"")])
        seen += order
        walked += members
        assert seen == [(row.key, row.member) for row in ROWS]
        assert sorted(set(walked)) == sorted(ROWS)
        found = audit.entries(LARGE, [row.member for row in ROWS] + [b"new"])
        assert [tuple(each) for each in found[:-1]] == [(row.key, row.value) for row in ROWS]
        assert found[-1] is None
        assert list(audit.rankings()) == [LARGE]
        assert list(audit.faults()) == []


def test_audits_under_load_always_agree_with_themselves(store):
    publish(store, put(ROWS, LARGE))
    done = []

    def writer():
        number = 0
        while not done:
            number += 1
            rows = ROWS[number % 50 :: 50]
            publish(store, [Change(LARGE, r.member, b"%04d" % (number % 900), b"x") for r in rows])

    thread = Thread(target=writer)
    thread.start()
    try:
        for _audit in range(5):
            with store.audit() as audit:
                order = list(audit.order(LARGE))
                members = {row.member: row for row in audit.members(LARGE)}
            assert order == sorted((row.key, row.member) for row in members.values())
            assert len(order) == 200
    finally:
        done.append(True)
        thread.join()


def test_what_an_audit_had_kept_is_gone_afterwards(redis, redis_uri, tmp_path):
    store = open_store(redis_uri, tmp_path)
    publish(store, put(SEVEN))
    with store.audit():
        publish(store, remove(b"asha"))
        assert [key for key in redis.say("KEYS", "*") if b":audit" in key]
    assert not [key for key in redis.say("KEYS", "*") if b":audit" in key]
    store.close()


def test_a_second_audit_is_refused_while_one_is_open(store):
    with store.audit(), pytest.raises(StoreError, match="another audit"), store.audit():
        pass
    with store.audit() as audit:
        assert audit.position == 0


def test_an_audit_ends_where_a_ranking_is_dropped_or_all_are_replaced(store):
    publish(store, put(SEVEN))
    with store.audit() as audit:
        store.publish([], [], expect=1, then=2, drops=[R])
        with pytest.raises(StoreError, match="audit again"):
            list(audit.order(R))
    with store.audit() as audit:
        beside = store.staging()
        beside.publish(put(SEVEN), [(0, b"note")], expect=0, then=2)
        assert store.promote(None, b"note")
        with pytest.raises(StoreError, match="audit again"):
            list(audit.order(R))


def test_an_audit_that_has_ended_is_not_begun_again_by_what_holds_it_open(
    redis, redis_uri, tmp_path
):
    store = open_store(redis_uri, tmp_path)
    publish(store, put(SEVEN))
    with store.audit() as audit:
        store.publish([], [], expect=1, then=2, drops=[R])
        with pytest.raises(StoreError, match="audit again"):
            audit.prolong()
        with pytest.raises(StoreError, match="audit again"):
            list(audit.order(R))
    publish(store, put(SEVEN))
    with store.audit() as audit:
        audit.prolong()
        publish(store, remove(b"asha"))
        assert [key for key, _member in audit.order(R)] == [row.key for row in SEVEN]
        kept = [key for key in redis.say("KEYS", "*") if b":audit" in key]
        assert len(kept) == 3
        assert all(redis.say("TTL", key) > 0 for key in kept)
        redis.say("DEL", *kept)  # as when the lease is over
        publish(store, remove(b"bram"))
        with pytest.raises(StoreError, match="audit again"):
            audit.prolong()
    store.close()


def test_an_audit_whose_beginning_was_sent_again_has_everything(redis_uri, tmp_path):
    store = open_store(redis_uri, tmp_path)
    publish(store, put(SEVEN))
    run = store.transport.run

    def twice(name, keys, words):
        if name == "audit_begin":
            run(name, keys, words)
            publish(store, remove(b"asha"))
        return run(name, keys, words)

    store.transport.run = twice
    with store.audit() as audit:
        assert (audit.position, list(audit.rankings())) == (2, [R])
        assert len(list(audit.order(R))) == len(list(audit.members(R))) == len(SEVEN) - 1
    store.close()


KEYS = Keys("hurt", 0)
ORDER, MEMBERS, GROUPS = KEYS.of_ranking("r")
ASHA = key_text(b"\x00\x01", 1) + "asha"


@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        (("ZREM", ORDER, ASHA), "a member is not in the order"),
        (("HDEL", MEMBERS, "asha"), "an item of the order has no entry"),
        (("HSET", MEMBERS, "asha", key_text(b"\x00\x02", 1) + "A"), "another key than its entry"),
        (("ZADD", ORDER, "3", ASHA), "an item has a score"),
        (("ZADD", GROUPS, "0", key_text(b"\x77", 1)), "a group has no entry"),
        (("ZREM", GROUPS, key_text(b"\x00", 1)), "a group is not among the groups"),
        (("HSET", KEYS.rankings, "r", "2 1 99"), "its version is ahead of the position"),
        (("HSET", KEYS.rankings, "r", "so"), "the record of 'r' cannot be read"),
    ],
)
def test_every_broken_invariant_is_found(redis, tmp_path, command, wanted):
    store = open_store(redis.uri("hurt"), tmp_path)
    publish(store, put(SEVEN))
    redis.say(*command)
    with store.audit() as audit:
        faults = list(audit.faults())
    assert any(wanted in fault and fault.startswith("r: ") for fault in faults), faults
    store.close()
    redis.say("FLUSHALL")


def test_text_shows_a_member_as_it_is():
    assert ASHA.endswith(text(b"asha"))
