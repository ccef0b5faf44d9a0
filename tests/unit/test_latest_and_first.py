"""Keep latest and first: the newest or the earliest whole event, in whatever order they come."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankbook.rules.entry import decode
from tests.unit.facts import entry, fact, fold, rules

LATEST = rules("latest")
BY_TIME = rules("latest", latest_by="at")
FIRST = rules("first")


def test_a_late_older_result_never_overwrites():
    stored, why = fold(LATEST, [fact("a", sequence=7, x=40), fact("b", sequence=6, x=90)])
    assert (why, LATEST.key_score(stored[0])) == ("older", 40)


def test_the_newest_result_replaces_a_better_one():
    assert fold(LATEST, [fact("a", 1, x=90), fact("b", 2, x=40)])[1] == "newer"
    assert entry(LATEST, [fact("a", 1, x=90), fact("b", 2, x=40)]).score == 40


def test_without_a_sequence_the_time_says_what_is_newer():
    events = [fact("a", 2, x=40), fact("b", 1, x=90)]
    assert (fold(LATEST, events)[1], entry(LATEST, events).score) == ("older", 40)


def test_an_event_with_a_sequence_is_newer_than_every_event_without():
    events = [fact("a", 1, sequence=1, x=40), fact("b", 9, x=90)]
    for order in (events, events[::-1]):
        assert entry(LATEST, order).score == 40


def test_a_board_that_goes_by_time_does_not_ask_the_sequence():
    events = [fact("a", 1, sequence=9, x=40), fact("b", 2, sequence=1, x=90)]
    assert entry(BY_TIME, events).score == 90
    assert decode(fold(BY_TIME, events)[0][1]).sequence is None


def test_equal_values_again_are_the_newer_event_with_its_own_time_and_details():
    board = rules("latest", details=["note"])
    events = [fact("a", 1, x=5, note="old"), fact("b", 2, {"name": "B"}, x=5, note="new")]
    shown = entry(board, events)
    assert (shown.event_id, shown.details, shown.profile) == ("b", {"note": "new"}, {"name": "B"})
    assert shown.reached_at.microsecond == 2


def test_the_first_result_stays_and_an_earlier_one_replaces_it():
    stored, why = fold(FIRST, [fact("a", 5, x=40), fact("b", 6, x=90)])
    assert (why, FIRST.key_score(stored[0])) == ("not-first", 40)
    stored, why = fold(FIRST, [fact("c", 4, x=10)], stored)
    assert (why, FIRST.key_score(stored[0])) == ("earlier", 10)


@pytest.mark.parametrize("board", [LATEST, BY_TIME, FIRST])
def test_at_the_same_moment_the_event_id_decides(board):
    events = [fact("a", 1, x=1), fact("b", 1, x=2)]
    assert fold(board, events)[0] == fold(board, events[::-1])[0]


@pytest.mark.parametrize("board", [LATEST, BY_TIME, FIRST])
def test_the_same_event_twice_changes_nothing(board):
    event = fact("a", 1, sequence=3, x=1)
    verdict = board.fold(fold(board, [event])[0], board.candidate(event))
    assert verdict.key is None


events = st.lists(
    st.builds(
        fact,
        st.text("abc", min_size=1, max_size=3),
        st.integers(0, 3),
        sequence=st.none() | st.integers(-2, 2),
        x=st.integers(0, 2),
    ),
    min_size=1,
    max_size=10,
    unique_by=lambda each: each.event_id,
)


@given(events, st.sampled_from([LATEST, BY_TIME, FIRST]), st.randoms(use_true_random=False))
@example(
    # By sequence where both have one and by time otherwise, these three would go in a circle.
    [fact("a", 2, sequence=1, x=0), fact("b", 1, x=1), fact("c", 0, sequence=2, x=2)],
    LATEST,
    None,
)
def test_any_order_and_any_repetition_give_the_same_entry(events, board, chance):
    shuffled = events[::-1]
    if chance is not None:
        shuffled = events + chance.choices(events, k=len(events))
        chance.shuffle(shuffled)
    assert fold(board, shuffled)[0] == fold(board, events)[0]


@given(events)
def test_the_entry_is_the_greatest_event_of_a_total_order(events):
    def recency(each):
        return each.sequence is not None, each.sequence or 0, each.at_us, each.event_id

    def moment(each):
        return each.at_us, each.event_id

    assert entry(LATEST, events).event_id == max(events, key=recency).event_id
    assert entry(BY_TIME, events).event_id == max(events, key=moment).event_id
    assert entry(FIRST, events).event_id == min(events, key=moment).event_id
