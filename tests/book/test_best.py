"""Keep = best: one whole event is kept, compared on the full order, and equals do not replace."""

from decimal import Decimal

import pytest

from rankbook import Refused
from tests.book.home import board, result, row

TWO = {
    "measures": {"score": "score", "accuracy": {"value": "accuracy", "type": "decimal(1)"}},
    "order_by": ("score desc", "accuracy desc"),
    "details": ("note",),
}


def test_the_best_is_one_whole_event_compared_on_the_full_order(home):
    book = home.open(board(**TWO))
    view = book.ranking("speed")

    def submit(score, accuracy, run):
        book.submit(result("asha", score, accuracy=accuracy, note=run, id=run))
        entry = view.entry("asha")
        return entry.measures, entry.details, entry.event_id

    first = ({"score": 90, "accuracy": Decimal("97.0")}, {"note": "run-1"}, "run-1")
    assert submit(90, 97.0, "run-1") == first
    assert submit(89, 99.5, "run-2") == first
    assert submit(90, 97.0, "run-2b") == first
    third = ({"score": 90, "accuracy": Decimal("98.0")}, {"note": "run-3"}, "run-3")
    assert submit(90, 98.0, "run-3") == third


def test_low_is_better_where_the_order_says_so(home):
    measures = {"score": {"value": "score", "type": "decimal(2)"}}
    book = home.open(board(measures=measures, order_by=("score asc",)))
    book.submit(result("asha", 61.20, id="fast"))
    receipt = book.submit(result("asha", 61.25, id="slow"))
    assert receipt.rankings[0].why == "not-better"
    entry = book.ranking("speed").entry("asha")
    assert (entry.score, entry.event_id) == (Decimal("61.20"), "fast")
    book.submit(result("bram", 61.19))
    assert book.ranking("speed").rank("asha") == 2


def test_an_ordinary_lower_result_is_no_improvement(home):
    book = home.open(board())
    book.submit(result("asha", 90, id="high"))
    receipt = book.submit(result("asha", 70, id="low"))
    [placement] = receipt.rankings
    assert (placement.changed, placement.why) == (False, "not-better")
    assert (placement.previous_score, placement.score) == (90, 90)
    assert book.ranking("speed").entry("asha").event_id == "high"


def test_an_equal_score_does_not_replace_the_entry_even_with_other_details(home):
    book = home.open(board(details=("wpm", "note")))
    book.submit(result("asha", 98, wpm=100, note="first", id="a", profile={"avatar": "owl"}))
    home.clock.set("2026-11-30T12:00:01Z")
    before = book.ranking("speed").entry("asha")
    book.submit(result("asha", 98, wpm=99, note="second", id="b", profile={"avatar": "fox"}))
    after = book.ranking("speed").entry("asha")
    assert after == before
    assert row(after) == (98, {"wpm": 100, "note": "first"}, {"avatar": "owl"}, "a")


def test_another_avatar_with_an_equal_score_leaves_score_time_and_rank_alone(home):
    book = home.open(board())
    for player in ("asha", "bram"):
        book.submit(result(player, 50, profile={"name": player, "avatar": "owl"}))
        home.clock.set("2026-11-30T12:00:05Z")
    before = book.ranking("speed").top()
    book.submit(result("asha", 50, profile={"name": "asha", "avatar": "fox"}))
    assert book.ranking("speed").top() == before


def test_a_submission_without_the_value_it_needs_is_refused_and_nothing_is_written(home):
    book = home.open(board(**TWO, splits=((), ("mode",))))
    with pytest.raises(Refused) as caught:
        book.submit(result("asha", 90, mode="time"))
    assert caught.value.field == "accuracy"
    with pytest.raises(Refused) as caught:
        book.submit(result("asha", 90, accuracy=97))
    assert caught.value.field == "mode"
    assert (book.log.head(), book.store.position(), book.ranking("speed").count()) == (0, 0, 0)


def test_one_refused_event_of_a_batch_refuses_the_batch(home):
    book = home.open(board())
    with pytest.raises(Refused):
        book.submit_many([result("asha", 90), result("bram", 1e400)])
    assert (book.log.head(), book.ranking("speed").count()) == (0, 0)
    assert book.submit_many([]) == []


def test_details_that_an_event_does_not_have_are_empty(home):
    book = home.open(board(details=("wpm", "note")))
    book.submit(result("asha", 98, wpm=100))
    assert book.ranking("speed").entry("asha").details == {"wpm": 100, "note": None}


def test_what_breaks_a_rule_of_the_book_can_be_asked_without_recording_it(home):
    book = home.open(board())
    book.check(result("asha", 90))
    with pytest.raises(Refused):
        book.check(result("", 90))
    assert book.log.head() == 0
