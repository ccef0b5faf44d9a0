"""What a read over periods costs depends on what it answers, not on how many periods there are."""

from datetime import timedelta

import pytest

from rankbook import NotFound
from rankbook.rules import instant
from rankbook.store.base import AroundMember, ByPosition, FromBound
from tests.book.home import board, result

DAYS = 400


class Counted:
    """A store that counts the rows and rankings it was asked for."""

    def __init__(self, inner):
        self.inner = inner
        self.rows = 0

    def __getattr__(self, name):
        return getattr(self.inner, name)

    def read(self, queries):
        reading = self.inner.read(queries)
        for query, answer in zip(queries, reading.answers, strict=True):
            if isinstance(query, ByPosition | AroundMember | FromBound):
                self.rows += 1 + len(answer.rows)
        return reading


@pytest.fixture
def aged(home):
    book = home.open(board(windows=("daily",)))
    start = instant(home.clock()) - timedelta(days=DAYS)
    book.submit_many(
        [
            result(f"p{day % 7}", day, id=f"e{day}", at=(start + timedelta(days=day)).isoformat())
            for day in range(DAYS + 1)
        ]
    )
    return book


def counting(book):
    book.store = Counted(book.store)
    return book.store


def test_periods_come_in_pages_newest_first(aged):
    every = [each.period.id for each in aged.periods("speed")]
    assert every == sorted(every, reverse=True)
    paged, before = [], None
    while page := aged.periods("speed", "daily", limit=37, before=before):
        paged += [each.period.id for each in page]
        before = paged[-1]
    assert paged == every
    assert len(every) == DAYS + 1
    with pytest.raises(NotFound):
        aged.periods("speed", "daily", before="yesterday")


def test_a_players_current_entries_are_found_without_reading_earlier_periods(aged):
    store = counting(aged)
    [found] = aged.player(f"p{DAYS % 7}")
    assert found.entries[0].score == DAYS
    assert store.rows < 10


def test_a_page_of_a_players_periods_reads_that_page_only(aged):
    every = aged.player_periods("p3", "speed", "daily")
    assert len(every) == DAYS + 1
    store = counting(aged)
    page = aged.player_periods("p3", "speed", "daily", limit=20, before=every[99].period.id)
    assert page == every[100:120]
    assert store.rows < 100
