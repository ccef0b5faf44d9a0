"""What is not in `order_by` is stored and shown, and never decides who stands higher."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankbook.rules import Board, BoardRules
from tests.unit.facts import entry, fact, fold, rules

KEEPS = [
    {"keep": "best"},
    {"keep": "latest", "latest_by": "at"},
    {"keep": "first"},
    {"keep": "total"},
    {"keep": "total", "best_of": 2},
]
results = st.lists(
    st.tuples(st.integers(0, 5), st.integers(-2, 2), st.integers(-2, 2)), min_size=1, max_size=8
)


def board(keep, measures):
    return rules(**keep, measures=measures, tie_break="first")


@pytest.mark.parametrize("best_of", [None, 5])
def test_a_result_that_adds_only_to_another_column_does_not_lose_a_tie(best_of):
    total = rules("total", {"x": "points", "solves": "1"}, best_of=best_of)
    asha = [fact("a1", 1, points=60), fact("a2", 2, points=40), fact("a3", 9, points=0)]
    [bram] = [fact("b1", 3, points=100)]
    (above, _), why = fold(total, asha)
    (below, _), _ = fold(total, [bram])
    assert above < below, "Asha reached 100 first"
    assert why == "added"
    shown = entry(total, asha)
    assert (shown.measures, shown.event_id) == ({"x": 100, "solves": 3}, "a2")


@pytest.mark.parametrize("keep", KEEPS, ids=str)
@given(results)
@example([(1, 1, 0), (2, 0, 1)])
@example([(1, 0, 1), (0, 0, 2)])
@example([(1, 0, 0), (0, 0, 2), (3, 0, -1)])
def test_the_order_is_that_of_the_same_board_without_the_column(keep, given):
    facts = [fact(f"e{i}", at, x=x, y=y) for i, (at, x, y) in enumerate(given)]
    (key, value), _ = fold(board(keep, {"x": "x", "y": "y"}), facts)
    (alone, bare), _ = fold(board(keep, {"x": "x"}), facts)
    assert key == alone
    both = board(keep, {"x": "x", "y": "y"}).entry(1, b"asha", key, value)
    one = board(keep, {"x": "x"}).entry(1, b"asha", alone, bare)
    assert (both.reached_at, both.event_id) == (one.reached_at, one.event_id)


@pytest.mark.parametrize("keep", KEEPS, ids=str)
@given(results, st.randoms(use_true_random=False))
def test_the_entry_is_the_same_in_any_order_of_delivery(keep, given, random):
    facts = [fact(f"e{i}", at, x=x, y=y) for i, (at, x, y) in enumerate(given)]
    other = random.sample(facts, len(facts))
    both = board(keep, {"x": "x", "y": "y"})
    assert fold(both, facts)[0] == fold(both, other)[0]


@pytest.mark.parametrize("best_of", [None, 3])
def test_rankings_that_the_old_rule_made_are_made_anew(best_of):
    def fingerprint(measures, **more):
        return Board("b", measures, ["x desc"], **more).fingerprint()

    total = {"keep": "total", "best_of": best_of}
    assert "ties" in Board("b", {"x": "x", "y": "y"}, ["x desc"], **total).meaning()
    assert "ties" not in Board("b", {"x": "x"}, ["x desc"], **total).meaning()
    assert "ties" not in Board("b", {"x": "x", "y": "y"}, ["x desc"]).meaning()


def test_a_sum_of_the_other_column_is_exact():
    total = BoardRules(Board("b", {"x": "x", "y": "y"}, ["x desc"], keep="total"))
    facts = [fact("a", 1, x=0, y=2**53), fact("b", 0, x=0, y=1), fact("c", 2, x=0, y=0)]
    shown = entry(total, facts)
    assert (shown.measures, shown.event_id) == ({"x": 0, "y": 2**53 + 1}, "b")
