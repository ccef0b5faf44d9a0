"""Keep total: exact sums of all events, or of the n best, in whatever order they come."""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankbook.rules.entry import decode
from rankbook.rules.totals import add_float
from tests.unit.facts import entry, fact, fold, rules

TOTAL = rules("total")
FLOATS = rules("total", {"x": {"value": "x", "type": "float"}})
PRICES = rules("total", {"x": {"value": "x", "type": "decimal(2)"}})
TWO_BEST = rules("total", best_of=2, details=["note"])


def test_points_add_up_in_any_order():
    e1, e2, e3 = fact("e1", 1, x=10), fact("e2", 2, x=5), fact("e3", 3, x=-3)
    assert fold(TOTAL, [e1])[1] == "new"
    assert fold(TOTAL, [e3, e1, e2])[1] == "added"
    assert fold(TOTAL, [e3, e1, e2])[0] == fold(TOTAL, [e1, e2, e3])[0]
    assert entry(TOTAL, [e3, e1, e2]).score == 12


def test_every_measure_is_summed_and_the_entry_is_dressed_by_the_newest_event():
    board = rules(
        "total",
        {"x": "x", "wins": "1 if place == 1 else 0"},
        order_by=["x desc", "wins desc"],
        details=["place"],
    )
    events = [
        fact("a", 1, {"name": "Old"}, x=25, place=1),
        fact("c", 3, {"name": "New"}, x=18, place=2),
        fact("b", 2, {"name": "Mid"}, x=25, place=1),
    ]
    shown = entry(board, events)
    assert shown.measures == {"x": 68, "wins": 2}
    assert (shown.event_id, shown.details, shown.profile) == ("c", {"place": 2}, {"name": "New"})
    assert shown.reached_at.microsecond == 3


def test_adding_one_to_two_to_the_53_is_exact():
    assert entry(TOTAL, [fact("a", x=2**53), fact("b", x=1)]).score == 2**53 + 1


def test_ten_times_ten_cents_are_one():
    events = [fact(f"e{i}", x=0.1) for i in range(10)]
    assert entry(PRICES, events).score == Decimal("1.00")
    assert entry(FLOATS, events).score == 1.0


def test_adding_zero_changes_nothing():
    stored, _ = fold(TOTAL, [fact("a", 1, x=50)])
    assert fold(TOTAL, [fact("b", 2, x=0)], stored) == (stored, "no-change")
    stored, _ = fold(FLOATS, [fact("a", 1, x=0.5)])
    assert fold(FLOATS, [fact("b", 2, x=-0.0)], stored) == (stored, "no-change")


def test_zero_is_a_score_and_the_earliest_of_zeros_is_the_entry():
    stored, why = fold(TOTAL, [fact("b", 2, x=0)])
    assert (why, TOTAL.key_score(stored[0])) == ("new", 0)
    assert fold(TOTAL, [fact("c", 3, x=0)], stored) == (stored, "no-change")
    assert fold(TOTAL, [fact("a", 1, x=0)], stored)[1] == "earlier"
    assert entry(TOTAL, [fact("b", 9, x=0), fact("a", 1, x=5)]).event_id == "a"


def test_events_that_cancel_out_still_count():
    events = [fact("a", 1, x=5), fact("b", 2, x=-5), fact("c", 0, x=0)]
    assert entry(TOTAL, events).event_id == "b"
    assert decode(fold(TOTAL, events)[0][1]).counted == 2


@pytest.mark.parametrize(
    ("board", "most", "one"),
    [
        (TOTAL, 2**63 - 1, 1),
        (TOTAL, -(2**63), -1),
        (FLOATS, 1.7976931348623157e308, 1e300),
        (rules("total", best_of=3), 2**63 - 1, 1),
    ],
)
def test_a_total_past_its_number_is_not_taken(board, most, one):
    stored, _ = fold(board, [fact("a", 1, x=most)])
    assert fold(board, [fact("b", 2, x=one)], stored) == (stored, "overflow")
    assert fold(board, [fact("c", 3, x=-one)], stored)[1] == "added"


def test_only_the_n_best_results_count_and_a_replaced_one_leaves():
    events = [fact("a", 1, x=10), fact("b", 2, x=5)]
    stored, why = fold(TWO_BEST, events)
    assert (why, TWO_BEST.key_score(stored[0])) == ("added", 15)
    assert fold(TWO_BEST, [fact("c", 3, x=4)], stored) == (stored, "not-better")
    stored, why = fold(TWO_BEST, [fact("d", 4, x=7)], stored)
    assert (why, TWO_BEST.key_score(stored[0])) == ("added", 17)
    assert [each.event_id for each in decode(stored[1]).results] == ["a", "d"]


def test_when_the_newest_of_the_best_leaves_the_entry_is_that_of_the_next():
    first = fact("a", 1, {"name": "A"}, x=10, note="a")
    leaving = fact("b", 3, {"name": "B"}, x=5, note="b")
    older = fact("c", 0, {"name": "C"}, x=7, note="c")
    assert entry(TWO_BEST, [first, leaving]).event_id == "b"
    shown = entry(TWO_BEST, [first, leaving, older])
    assert (shown.score, shown.event_id, shown.details) == (17, "a", {"note": "a"})
    assert shown.profile == {"name": "A"}


def test_of_low_is_better_results_the_lowest_count():
    board = rules("total", order_by=["x asc"], best_of=2)
    assert entry(board, [fact("a", x=9), fact("b", x=3), fact("c", x=5)]).score == 8


def test_of_equal_results_the_earlier_counts():
    board = rules("total", {"x": "x", "y": "y"}, best_of=1)
    assert entry(board, [fact("b", 2, x=1, y=7), fact("a", 1, x=1, y=9)]).measures["y"] == 9


def test_a_counted_event_counts_once_however_often_it_comes():
    stored, _ = fold(TWO_BEST, [fact("a", 1, x=10)])
    assert fold(TWO_BEST, [fact("a", 1, x=10)], stored) == (stored, "no-change")
    full, _ = fold(TWO_BEST, [fact("b", 2, x=11), fact("c", 3, x=12)], stored)
    assert fold(TWO_BEST, [fact("a", 1, x=10)], full) == (full, "not-better")


def test_a_zero_among_the_best_is_unseen_until_worse_results_come():
    one = fact("a", 1, x=5)
    stored, _ = fold(TWO_BEST, [one])
    with_zero, why = fold(TWO_BEST, [fact("b", 2, x=0)], stored)
    assert (why, with_zero[0]) == ("no-change", stored[0])
    assert fold(TWO_BEST, [fact("c", 3, x=-1)], with_zero) == (with_zero, "not-better")
    minus, _ = fold(TWO_BEST, [one, fact("c", 3, x=-1)])
    better, why = fold(TWO_BEST, [fact("b", 2, x=0)], minus)
    assert (why, better) == ("added", with_zero)


KINDS = [("integer", 1, "first"), ("integer", 3, "last"), ("float", 2, "player")]
BOARDS = [
    *[TOTAL, FLOATS, PRICES],
    *[
        rules("total", {"x": {"value": "x", "type": type}, "y": "y"}, best_of=n, tie_break=tie)
        for type, n, tie in [*KINDS, ("decimal(2)", 100, "first")]
    ],
]
numbers = st.integers(-3, 3) | st.sampled_from([0, 0.0, 10**15])
wide = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(
    st.sampled_from(BOARDS),
    st.lists(
        st.builds(
            fact,
            st.text("abc", min_size=1, max_size=3),
            st.integers(0, 3),
            x=numbers,
            y=st.integers(-1, 1),
        ),
        min_size=1,
        max_size=10,
        unique_by=lambda each: each.event_id,
    ),
    st.randoms(use_true_random=False),
)
def test_any_order_of_delivery_gives_the_same_entry(board, events, chance):
    shuffled = list(events)
    chance.shuffle(shuffled)
    assert fold(board, shuffled)[0] == fold(board, events)[0]
    limit = board.board.best_of
    counted = sorted([each.values["x"] for each in events], reverse=True)[:limit]
    assert entry(board, events).score == sum(counted)


@given(
    st.lists(wide, min_size=1, max_size=12),
    st.sampled_from([None, 3, 20]),
    st.randoms(use_true_random=False),
)
@example([1e16, 1.0, -1e16, 1e-300], None, None)
@example([5e-324] * 5 + [1e300, -1e300], None, None)
def test_any_order_of_floats_gives_the_same_bytes(numbers, best_of, chance):
    board = rules("total", {"x": {"value": "x", "type": "float"}}, best_of=best_of)
    events = [fact(f"e{i:02}", i % 3, x=x) for i, x in enumerate(numbers)]
    shuffled = events[::-1]
    if chance is not None:
        chance.shuffle(shuffled)
    assert fold(board, shuffled)[0] == fold(board, events)[0]
    exact = sum([Fraction(x) for x in sorted(numbers, reverse=True)[:best_of]])
    assert entry(board, events).score == float(exact)


@given(st.lists(wide, min_size=1, max_size=30))
def test_the_parts_of_a_sum_are_exact_and_never_many(numbers):
    parts = (0.0,)
    for number in numbers:
        parts = add_float(parts, number)
    assert sum(map(Fraction, parts)) == sum(map(Fraction, numbers))
    assert len(parts) <= 40
    assert all(abs(small) <= abs(large) * 2**-53 for large, small in pairwise(parts))


def test_a_total_of_whole_numbers_takes_two_bytes_more_than_one_result():
    best, total = [fold(rules(keep), [fact("a", x=1)])[0] for keep in ("best", "total")]
    assert len(total[1]) == len(best[1]) + 2
