"""What every store promises about publishing, auditing and closing."""

from threading import Thread

import pytest

from rankbook.errors import PositionMoved, StoreError
from rankbook.store.base import (
    AroundMember,
    ByPosition,
    Change,
    CountBefore,
    Counts,
    FromBound,
    RankingId,
    Row,
    Stored,
)
from tests.contract.rows import EMPTY, OTHER, SEVEN, R, ask, in_order, part, publish, put, remove

# Nothing there


def test_an_empty_store_is_at_position_0_and_every_ranking_in_it_is_empty(store):
    assert store.position() == 0
    assert store.entries([(R, b"asha"), (OTHER, b"x")]) == (0, [None, None])
    assert store.receipts([0, 1]) == [None, None]
    queries = [
        ByPosition(R, 0, 10),
        AroundMember(R, b"asha", 10),
        FromBound(R, b"", 10),
        FromBound(R, b"\xff", 10, reverse=True),
        CountBefore(R, (b"", b"\xff\xff\xff")),
    ]
    counts = Counts(version=0, count=0, groups=0, before=[(0, 0), (0, 0)])
    assert store.read(queries) == (0, [EMPTY] * 4 + [counts])


def test_reading_nothing_gives_the_position_and_no_answers(seven):
    assert seven.read([]) == (1, [])
    assert seven.entries([]) == (1, [])
    assert seven.receipts([]) == []
    assert ask(seven, CountBefore(R, ())) == Counts(1, 7, 3, [])


def test_a_ranking_nobody_wrote_to_is_empty_beside_one_that_is_not(seven):
    reading = seven.read([ByPosition(OTHER, 0, 5), ByPosition(RankingId("", 2, 1), 0, 5)])
    assert reading == (1, [EMPTY, EMPTY])


# Publishing


def test_a_publish_writes_entries_receipts_and_the_position_together(store):
    changes = put(SEVEN[:2]) + put(SEVEN[2:4], OTHER)
    store.publish(changes, [(3, b"three"), (7, b"")], expect=0, then=7)
    assert store.position() == 7
    wanted = [(R, b"asha"), (OTHER, b"asha"), (OTHER, b"aa"), (R, b"asha")]
    asha = Stored(b"\x00\x01", b"A")
    assert store.entries(wanted) == (7, [asha, None, Stored(b"\x00\x09", b"C"), asha])
    assert store.receipts([7, 3, 4, 3]) == [b"", b"three", None, b"three"]
    assert ask(store, ByPosition(R, 0, 9)) == part(SEVEN[:2], 0, 9, version=7)


def test_a_publish_of_nothing_moves_the_position_alone(seven):
    seven.publish([], [], expect=1, then=9)
    assert seven.position() == 9
    assert seven.read([ByPosition(R, 0, 9)]) == (9, [part(SEVEN, 0, 9, version=1)])


@pytest.mark.parametrize("expect", [0, 2, 99])
def test_a_publish_at_another_position_changes_nothing(seven, expect):
    seven.publish([], [(1, b"first")], expect=1, then=5)
    changes = [*remove(b"asha"), Change(R, b"new", b"zz", b""), Change(OTHER, b"new", b"zz", b"")]
    with pytest.raises(PositionMoved):
        seven.publish(changes, [(1, b"other"), (2, b"second")], expect=expect, then=expect + 1)
    assert seven.read([ByPosition(R, 0, 9), ByPosition(OTHER, 0, 9)]) == (
        5,
        [part(SEVEN, 0, 9, version=1), EMPTY],
    )
    assert seven.entries([(R, b"asha"), (R, b"new")]) == (5, [Stored(b"\x00\x01", b"A"), None])
    assert seven.receipts([1, 2]) == [b"first", None]


def test_a_position_moved_is_a_store_error_so_that_one_handler_catches_both(store):
    with pytest.raises(StoreError):
        store.publish([], [], expect=1, then=2)


def test_a_new_key_moves_an_entry_and_leaves_no_trace_at_the_old_place(seven):
    moved = Row(b"bram", b"\xff\x7f", b"B2")
    publish(seven, put([moved]))
    rows = in_order([row for row in SEVEN if row.member != b"bram"] + [moved])
    assert ask(seven, ByPosition(R, 0, 9)) == part(rows, 0, 9, version=2)
    assert seven.entries([(R, b"bram")]) == (2, [Stored(b"\xff\x7f", b"B2")])


def test_a_new_value_under_the_same_key_replaces_the_value_in_both_indexes(seven):
    publish(seven, [Change(R, b"dora", b"\x05\x00", b"other")])
    rows = [row._replace(value=b"other") if row.member == b"dora" else row for row in SEVEN]
    assert ask(seven, ByPosition(R, 0, 9)) == part(rows, 0, 9, version=2)
    assert seven.entries([(R, b"dora")]) == (2, [Stored(b"\x05\x00", b"other")])


def test_a_removed_entry_is_gone_and_the_others_close_the_gap(seven):
    publish(seven, remove(b"dora", b"asha"))
    rows = [row for row in SEVEN if row.member not in (b"dora", b"asha")]
    assert ask(seven, ByPosition(R, 0, 9)) == part(rows, 0, 9, version=2)
    assert seven.entries([(R, b"dora"), (R, b"aa")])[1] == [None, Stored(b"\x00\x09", b"C")]


def test_removing_an_entry_that_is_not_there_is_harmless(seven):
    publish(seven, remove(b"nobody", b"dora") + remove(b"x", ranking=OTHER))
    rows = [row for row in SEVEN if row.member != b"dora"]
    assert ask(seven, ByPosition(R, 0, 9)) == part(rows, 0, 9, version=2)
    assert ask(seven, ByPosition(OTHER, 0, 9)).rows == []


def test_a_ranking_that_is_emptied_is_like_one_nobody_wrote_to_and_can_be_filled_again(seven):
    publish(seven, remove(*(row.member for row in SEVEN)))
    assert ask(seven, ByPosition(R, 0, 9)) == EMPTY
    assert ask(seven, AroundMember(R, b"asha", 9)) == EMPTY
    publish(seven, put(SEVEN[3:4]))
    assert ask(seven, ByPosition(R, 0, 9)) == part(SEVEN[3:4], 0, 9, version=3)


def test_one_member_has_its_own_entry_in_every_ranking(store):
    shapes = [RankingId(f"{name}", 1 + size, 1) for size, name in enumerate("abc")]
    keys = [b"k" * ranking.key_bytes for ranking in shapes]
    changes = [
        Change(ranking, b"asha", key, ranking.name.encode())
        for ranking, key in zip(shapes, keys, strict=True)
    ]
    publish(store, changes)
    assert store.entries([(ranking, b"asha") for ranking in shapes])[1] == [
        Stored(key, ranking.name.encode()) for ranking, key in zip(shapes, keys, strict=True)
    ]
    publish(store, remove(b"asha", ranking=shapes[1]))
    counts = [ask(store, ByPosition(ranking, 0, 9)).count for ranking in shapes]
    assert counts == [1, 0, 1]


def test_rankings_whose_names_share_a_beginning_are_kept_apart(store):
    names = ["", "a", "a\0", "a/b", "ab", "b", "é", "x" * 200]
    for number, name in enumerate(names):
        row = Row(b"m%d" % number, b"kk", b"")
        publish(store, put([row], RankingId(name, 2, 1)))
    for number, name in enumerate(names):
        rows = ask(store, ByPosition(RankingId(name, 2, 1), 0, 9)).rows
        assert [row.member for row in rows] == [b"m%d" % number]


# Versions


def test_a_version_is_the_position_at_which_the_ranking_last_changed(store):
    store.publish(put(SEVEN), [], expect=0, then=5)
    store.publish(put(SEVEN[:1], OTHER), [], expect=5, then=8)
    store.publish(remove(b"asha"), [], expect=8, then=13)
    store.publish([], [(14, b"r")], expect=13, then=14)
    queries = [ByPosition(R, 0, 1), ByPosition(OTHER, 0, 0), CountBefore(R, ())]
    position, answers = store.read(queries)
    assert position == 14
    assert [answer.version for answer in answers] == [13, 8, 13]


def test_a_publish_that_names_a_ranking_counts_as_a_change_though_its_content_stays(seven):
    publish(seven, put(SEVEN[:2]) + remove(b"nobody") + remove(b"x", ranking=OTHER))
    reading = seven.read([ByPosition(R, 0, 9), ByPosition(OTHER, 0, 9)])
    assert reading == (2, [part(SEVEN, 0, 9, version=2), EMPTY])


def test_a_malformed_change_is_refused_and_nothing_is_written(seven):
    for key in (b"", b"k", b"kkk"):
        changes = [*remove(b"asha"), *put(SEVEN, OTHER), Change(R, b"new", key, b"")]
        with pytest.raises(StoreError):
            seven.publish(changes, [(2, b"r")], expect=1, then=2)
    reading = seven.read([ByPosition(R, 0, 9), ByPosition(OTHER, 0, 9)])
    assert reading == (1, [part(SEVEN, 0, 9, version=1), EMPTY])
    assert seven.receipts([2]) == [None]


# Several at once


def test_of_several_publishers_at_one_position_exactly_one_wins(store):
    wins = []

    def publisher(name):
        for expect in range(40):
            try:
                store.publish(
                    [Change(R, name, b"kk", b"")], [(expect, name)], expect=expect, then=expect + 1
                )
                wins.append(expect)
            except PositionMoved:
                pass

    threads = [Thread(target=publisher, args=[name]) for name in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(wins) == list(range(store.position()))
    assert None not in store.receipts(range(store.position()))


def test_a_reader_sees_a_publish_in_all_its_rankings_or_in_none(store):
    def writer():
        for expect in range(200):
            key, value = ((b"97", b"m97"), (b"95", b"m95"))[expect % 2]
            changes = [Change(ranking, b"asha", key, value) for ranking in (R, OTHER)]
            store.publish(changes, [(expect, value)], expect=expect, then=expect + 1)

    thread = Thread(target=writer)
    thread.start()
    while thread.is_alive():
        position, answers = store.read([ByPosition(R, 0, 1), AroundMember(OTHER, b"asha", 1)])
        assert answers[0] == answers[1]
        assert answers[0].version == position
        for row in answers[0].rows:
            assert b"m" + row.key == row.value
            assert position % 2 == (row.key == b"97")
        at, [mine, other] = store.entries([(R, b"asha"), (OTHER, b"asha")])
        assert mine == other
        assert (mine is None) == (at == 0)
    thread.join()
    assert store.position() == 200


# Auditing


def test_an_audit_walks_every_ranking_by_name_in_both_indexes(seven):
    publish(seven, put(SEVEN[:2], RankingId("a", 2, 2)) + put(SEVEN[:1], OTHER))
    publish(seven, remove(b"asha", ranking=OTHER))
    with seven.audit() as audit:
        assert audit.position == 3
        assert list(audit.rankings()) == [RankingId("a", 2, 2), R]
        assert list(audit.order(R)) == [(row.key, row.member) for row in SEVEN]
        assert sorted(audit.members(R)) == sorted(SEVEN)
        assert list(audit.order(OTHER)) == list(audit.members(OTHER)) == []
        asha = Stored(b"\x00\x01", b"A")
        assert audit.entries(R, [b"asha", b"nobody", b"asha"]) == [asha, None, asha]
        assert audit.entries(OTHER, [b"asha"]) == [None]
        assert audit.entries(R, []) == []
        assert list(audit.faults()) == []


def test_an_audit_of_an_empty_store_finds_nothing(store):
    with store.audit() as audit:
        assert audit.position == 0
        assert list(audit.rankings()) == []
        assert list(audit.order(R)) == list(audit.members(R)) == []


def test_an_audit_is_one_snapshot_that_later_publishes_do_not_touch(seven):
    with seven.audit() as audit:
        publish(seven, remove(b"asha") + put(SEVEN, OTHER))
        assert audit.position == 1
        assert list(audit.rankings()) == [R]
        assert list(audit.order(R)) == [(row.key, row.member) for row in SEVEN]
        assert sorted(audit.members(R)) == sorted(SEVEN)


# The end


def test_closing_twice_is_harmless_and_a_closed_store_says_so(closed_store):
    for call in (
        closed_store.position,
        lambda: closed_store.entries([(R, b"a")]),
        lambda: closed_store.publish([], [], expect=0, then=1),
        lambda: closed_store.read([ByPosition(R, 0, 1)]),
        lambda: closed_store.receipts([1]),
    ):
        with pytest.raises(StoreError):
            call()
