"""Which events count on a board: where."""

import pytest

from rankbook.errors import Refused, SpecError
from rankbook.rules import Board
from rankbook.rules.conditions import Condition
from tests.unit.facts import fact, rules
from tests.unit.test_expression import HOSTILE

CHESS = rules(where='game == "chess" and rated', splits=[[], ["mode"]])


def names(board, **values):
    return [ranking.name for ranking in board.rankings(values, 0)]


def test_an_event_counts_only_where_the_condition_is_true():
    assert names(CHESS, game="chess", rated=1, mode="blitz") == [
        "b/all-time/all-time",
        "b/all-time/all-time/mode=blitz",
    ]
    assert names(CHESS, game="chess", rated=0, mode="blitz") == []
    assert names(CHESS, game="go", rated=1, mode="blitz") == []
    assert (CHESS.counts({"game": "chess", "rated": 1}), CHESS.counts({})) == (True, False)


def test_an_event_of_another_board_needs_no_value_of_this_one():
    assert names(CHESS, game="go") == []
    assert names(CHESS, laps=3) == []
    CHESS.admit(fact("a", laps=3))


def test_a_value_is_only_asked_for_where_the_condition_comes_to_it():
    assert not CHESS.counts({"game": "chess"})
    assert rules(where='game == "chess" or rated').counts({"game": "chess"})
    assert not rules(where="not rated").counts({})


def test_an_event_that_counts_is_held_to_everything_as_before():
    with pytest.raises(Refused, match=r"^mode: is missing"):
        CHESS.admit(fact("a", game="chess", rated=1, x=1))
    with pytest.raises(Refused, match=r"^x: is missing"):
        CHESS.admit(fact("a", game="chess", rated=1, mode="blitz"))


@pytest.mark.parametrize(
    ("source", "values", "field"),
    [
        ('mode == "time"', {"mode": 5}, "mode"),
        ("level > 3", {"level": "high"}, "level"),
        ("1 / level", {"level": 0}, "where"),
        ("level ** level", {"level": 10**9}, "where"),
        ("level > 3", {"level": float("nan")}, "level"),
    ],
)
def test_a_condition_that_cannot_be_said_refuses_the_event(source, values, field):
    with pytest.raises(Refused) as caught:
        rules(where=source).counts(values)
    assert caught.value.field == field
    assert "Error" not in caught.value.reason


@pytest.mark.parametrize("source", HOSTILE)
def test_a_condition_outside_the_language_is_refused_at_its_field(source):
    with pytest.raises(SpecError) as caught:
        Condition(source, "board[0].where")
    assert caught.value.field == "board[0].where"


def test_a_condition_reads_values_and_not_measures():
    with pytest.raises(SpecError, match="refers to the measure 'score'"):
        Board("b", measures={"score": "x * 2"}, order_by=["score desc"], where="score > 10")
    assert rules(where="x > 10").counts({"x": 11})
