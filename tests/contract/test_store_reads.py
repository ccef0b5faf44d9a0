"""What every store promises about reading: windows, bounds, counts, long ties and odd bytes."""

import pytest

from rankbook.store.base import (
    AroundMember,
    ByPosition,
    CountBefore,
    Counts,
    FromBound,
    RankingId,
    Row,
    Stored,
)
from tests.contract.rows import SEVEN, R, ask, in_order, part, publish, put, remove

# By position


@pytest.mark.parametrize("limit", [0, 1, 2, 7, 100])
def test_rows_by_position_come_in_order_with_what_stands_before_their_group(seven, limit):
    for start in range(9):
        assert ask(seven, ByPosition(R, start, limit)) == part(SEVEN, start, limit, version=1)


# Around a member


@pytest.mark.parametrize("position", range(7))
def test_a_window_around_a_member_is_full_and_centred_where_the_edges_allow(seven, position):
    for limit in (1, 2, 3, 4, 5, 6, 7, 8, 100):
        answer = ask(seven, AroundMember(R, SEVEN[position].member, limit))
        start = max(0, min(position - (limit - 1) // 2, 7 - limit))
        assert answer == part(SEVEN, start, limit, version=1), limit
        assert SEVEN[position] in answer.rows
        assert len(answer.rows) == min(limit, 7)


def test_a_window_of_four_around_the_middle_has_one_row_before_and_two_after(seven):
    answer = ask(seven, AroundMember(R, b"dora", 4))
    assert [row.member for row in answer.rows] == [b"aa", b"dora", b"e\x00", b"e\xff"]
    assert (answer.start, answer.before, answer.groups_before) == (2, 0, 0)


def test_around_a_member_without_an_entry_there_are_no_rows(seven):
    for member in (b"nobody", b"", b"ash", b"asha\x00", b"e"):
        assert ask(seven, AroundMember(R, member, 5)) == part(SEVEN, 9, 5, version=1), member


def test_around_the_only_member_there_is_only_that_member(store):
    publish(store, put(SEVEN[3:4]))
    for limit in (1, 2, 50):
        assert ask(store, AroundMember(R, b"dora", limit)) == part(SEVEN[3:4], 0, limit, version=1)


# From a bound

# Before, at, between and after entries and groups; shorter and longer than a key.
BOUNDS = [
    b"",
    b"\x00",
    b"\x00\x00\xff",
    b"\x00\x01",
    b"\x00\x01asha",
    b"\x00\x01asha\x00",
    b"\x00\x01b",
    b"\x00\x02",
    b"\x00\x09aa",
    b"\x01",
    b"\x05",
    b"\x05\x00dora",
    b"\x05\x00dora\xff",
    b"\xff",
    b"\xff\x00e",
    b"\xff\x00e\x00",
    b"\xff\x00e\x00\x00",
    b"\xff\x00e\xff",
    b"\xff\xff",
    b"\xff\xffa",
    b"\xff\xffa\x00",
    b"\xff\xff\xff",
    b"\xff" * 400,
]


def before_bound(rows, bound):
    return [row for row in rows if row.key + row.member < bound]


@pytest.mark.parametrize("limit", [0, 1, 3, 100])
def test_rows_at_or_after_a_bound_come_in_rank_order(seven, limit):
    for bound in BOUNDS:
        start = len(before_bound(SEVEN, bound))
        answer = ask(seven, FromBound(R, bound, limit))
        assert answer == part(SEVEN, start, limit, version=1), bound


@pytest.mark.parametrize("limit", [0, 1, 3, 100])
def test_in_reverse_the_rows_just_before_a_bound_are_still_in_rank_order(seven, limit):
    for bound in BOUNDS:
        end = len(before_bound(SEVEN, bound))
        start = max(0, end - limit)
        answer = ask(seven, FromBound(R, bound, limit, reverse=True))
        assert answer == part(SEVEN, start, end - start, version=1), bound


def test_paging_by_bound_both_ways_meets_every_row_once(seven):
    forward, bound = [], b""
    while rows := ask(seven, FromBound(R, bound, 2)).rows:
        forward += rows
        bound = rows[-1].key + rows[-1].member + b"\x00"
    backward, bound = [], b"\xff" * 300
    while rows := ask(seven, FromBound(R, bound, 2, reverse=True)).rows:
        backward = rows + backward
        bound = rows[0].key + rows[0].member
    assert forward == backward == SEVEN


# Counting before bounds


def test_entries_and_groups_before_each_bound_are_counted_a_bound_inside_a_group_once(seven):
    answer = ask(seven, CountBefore(R, tuple(BOUNDS)))
    before = [before_bound(SEVEN, bound) for bound in BOUNDS]
    counts = [(len(rows), len({row.key[:1] for row in rows})) for rows in before]
    assert answer == Counts(version=1, count=7, groups=3, before=counts)


def test_bounds_may_come_in_any_order_and_twice(seven):
    answer = ask(seven, CountBefore(R, (b"\xff", b"\x00\x01b", b"\xff", b"", b"\x06")))
    assert answer.before == [(4, 2), (1, 1), (4, 2), (0, 0), (4, 2)]


# Large rankings, long ties, long and odd bytes


def test_ranks_are_right_inside_ties_of_hundreds(store):
    ranking = RankingId("ties", 3, 3)
    rows = in_order(
        [Row(b"%05d" % (n * 7919 % 2000), b"%d" % (100 + n % 3), b"v%d" % n) for n in range(2000)]
    )
    for offset in range(4):
        publish(store, put(rows[offset::4], ranking))
    for start in (0, 1, 665, 666, 667, 668, 999, 1333, 1334, 1999):
        answer = ask(store, ByPosition(ranking, start, 5))
        assert answer == part(rows, start, 5, version=4, group=3)
        member = rows[start].member
        around = ask(store, AroundMember(ranking, member, 7))
        centre = max(0, min(start - 3, 2000 - 7))
        assert around == part(rows, centre, 7, version=4, group=3)
    bounds = tuple(row.key + row.member for row in rows[::37])
    counts = ask(store, CountBefore(ranking, bounds)).before
    assert counts == [(at, len({row.key for row in rows[:at]})) for at in range(0, 2000, 37)]


def test_a_large_ranking_reads_whole_and_shrinks_to_nothing(store):
    rows = [Row(b"player-%d" % n, b"%04d" % (n * 7 % 3000), b"d" * (n % 90)) for n in range(3000)]
    ranking = RankingId("large", 4, 4)
    publish(store, put(rows, ranking))
    rows = in_order(rows)
    while rows:
        answer = ask(store, ByPosition(ranking, 0, 5000))
        assert answer == part(rows, 0, 5000, version=store.position(), group=4)
        gone, rows = rows[::2], rows[1::2]
        publish(store, remove(*(row.member for row in gone), ranking=ranking))
    assert ask(store, ByPosition(ranking, 0, 5000)).count == 0


def test_members_of_1_to_256_odd_bytes_read_back_exactly_and_in_order(store):
    members = {bytes([byte]) * size for byte in (0, 1, 127, 255) for size in (1, 2, 3, 255, 256)}
    members |= {bytes(range(256)), b"\x00\xff", b"\xff\x00", b"a\x00", b"a", b"\n", "é".encode()}
    for ranking in (RankingId("one", 1, 1), RankingId("eight", 8, 4)):
        rows = [Row(member, b"\x00" * ranking.key_bytes, member[::-1]) for member in members]
        publish(store, put(rows, ranking))
        rows = in_order(rows)
        answer = ask(store, ByPosition(ranking, 0, 100))
        assert [row.member for row in answer.rows] == sorted(members)
        assert answer.rows == rows
        assert store.entries([(ranking, row.member) for row in rows])[1] == [
            Stored(row.key, row.value) for row in rows
        ]
        for at, row in enumerate(rows):
            assert ask(store, AroundMember(ranking, row.member, 1)).start == at
            assert ask(store, FromBound(ranking, row.key + row.member, 1)).rows == [row]


def test_keys_with_common_beginnings_are_told_apart_by_their_last_byte(store):
    ranking = RankingId("long", 40, 39)
    keys = [b"\x00" * 39 + b"%c" % byte for byte in (0, 1, 255)] + [b"\x00" * 38 + b"\x01\x00"]
    rows = [Row(b"m", keys[0], b""), Row(b"l", keys[1], b""), Row(b"k", keys[2], b"")]
    rows.append(Row(b"a", keys[3], b""))
    publish(store, put(rows, ranking))
    assert ask(store, ByPosition(ranking, 0, 9)) == part(rows, 0, 9, version=1, group=39)
    assert ask(store, ByPosition(ranking, 3, 9)).groups_before == 1


def test_values_may_be_empty_or_large(store):
    rows = [Row(b"a", b"kk", b""), Row(b"b", b"kk", bytes(range(256)) * 40), Row(b"c", b"kk", b"x")]
    publish(store, put(rows))
    assert ask(store, ByPosition(R, 0, 9)).rows == rows
    assert store.entries([(R, b"b"), (R, b"a")])[1] == [Stored(*rows[1][1:]), Stored(b"kk", b"")]
