"""Rankings know their log: two books in one place, or a log that was replaced, are told apart."""

import pytest
from msgspec.structs import replace

from rankbook import BookSpec, Rankbook, RebuildNeeded
from rankbook.log.base import Draft
from tests.book.home import Clock, assert_agrees, board, players, result
from tests.cases.saying import forget

SPEC = BookSpec(name="book", boards=(board(),))
OTHER = "are of another log, whose first event is 'first' and not 'second'"


@pytest.fixture(params=["embedded", "redis"])
def two(request, tmp_path):
    """Opens books of one specification and one place for rankings, each with a log of its own."""
    if request.param == "redis":
        spec = replace(SPEC, store=request.getfixturevalue("redis_uri"))
    else:
        spec = replace(SPEC, store=f"embedded:{tmp_path / 'shared'}")
    opened = []

    def opening(name, **more):
        book = Rankbook.open(tmp_path / name, spec=spec, clock=Clock(), **more)
        opened.append(book)
        return book

    yield opening
    for book in opened:
        book.close()


def submit_first(book):
    assert book.submit(result("asha", 5, id="first")).status == "ranked"


def test_a_book_opened_where_another_ranks_is_refused(two):
    submit_first(two("one"))
    with pytest.raises(RebuildNeeded, match="the log ends at 0"):
        two("other")
    two("other", outdated=True).log.record([Draft("second", "result", "bram", 1, 1, b"{}")])
    with pytest.raises(RebuildNeeded, match=OTHER):
        two("other")


def test_two_books_opened_before_either_has_written_are_told_apart(two):
    one, other = two("one"), two("other")
    submit_first(one)
    with pytest.raises(RebuildNeeded, match="made anew under other rules"):
        other.submit(result("bram", 7, id="second"))
    assert other.log.head() == 0
    assert players(one.ranking("speed").top()) == ["asha"]
    submit_first(one)
    assert_agrees(one)


def test_a_book_that_was_recorded_to_before_is_told_apart_too(two):
    one, other = two("one"), two("other")
    other.record(result("bram", 7, id="second"))
    submit_first(one)
    for attempt in (other.fold, lambda: two("other")):
        with pytest.raises(RebuildNeeded, match=OTHER):
            attempt()
    assert players(one.ranking("speed").top()) == ["asha"]


def test_a_rebuild_takes_the_place_for_the_log_and_the_other_book_notices(two):
    one, other = two("one"), two("other")
    other.record([result("bram", 7, id="second"), result("cai", 8)])
    submit_first(one)
    taking = two("other", outdated=True)
    taking.rebuild()
    assert players(taking.ranking("speed").top()) == ["cai", "bram"]
    assert_agrees(taking)
    with pytest.raises(RebuildNeeded):
        one.submit(result("asha", 6))


def test_a_log_that_was_replaced_by_a_longer_one_is_noticed(tmp_path):
    with Rankbook.open(tmp_path, spec=SPEC, clock=Clock()) as book:
        submit_first(book)
    for file in tmp_path.glob("log.sqlite*"):
        file.unlink()
    with Rankbook.open(tmp_path / "made", spec=SPEC, clock=Clock()) as made:
        made.submit_many([result("bram", 7, id="second"), result("cai", 8)])
    (tmp_path / "made" / "log.sqlite").rename(tmp_path / "log.sqlite")
    with pytest.raises(RebuildNeeded, match=OTHER):
        Rankbook.open(tmp_path, spec=SPEC, clock=Clock())
    with Rankbook.open(tmp_path, spec=SPEC, clock=Clock(), outdated=True) as book:
        book.rebuild()
        assert players(book.ranking("speed").top()) == ["cai", "bram"]


def test_a_log_whose_first_event_is_forgotten_is_still_the_same(tmp_path):
    with Rankbook.open(tmp_path, spec=SPEC, clock=Clock()) as book:
        submit_first(book)
        book.submit(result("bram", 7))
        book.submit(forget("asha"))
    with Rankbook.open(tmp_path, spec=SPEC, clock=Clock()) as book:
        book.rebuild()
        assert_agrees(book)
