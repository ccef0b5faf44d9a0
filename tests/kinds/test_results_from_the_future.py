"""A result from the future is refused, and one that a log already has expires nothing."""

import pytest

from rankbook import Board, BookSpec, Event, MemoryStore, Rankbook, Refused, SpecError
from rankbook.book import events
from rankbook.log import open_log
from rankbook.rules import load
from tests.book.home import Clock, when

BOARD = Board("day", {"score": "points"}, ["score desc"], windows=["daily"], keep_periods=7)
NOON = "2026-11-30T12:00:00Z"
FAR = "2099-01-01T00:00:00Z"


def spec(**more):
    return BookSpec(name="future", boards=(BOARD,), store="memory:", **more)


def result(player, at=None, **more):
    return Event(player=player, values={"points": 1}, at=None if at is None else when(at), **more)


@pytest.fixture
def clock():
    return Clock(NOON)


@pytest.fixture
def log(tmp_path):
    return open_log("sqlite:", tmp_path)


def from_the_future(log, player="eve", id="far"):
    """A result as earlier releases recorded it."""
    log.record([events.draft(result(player, FAR, id=id), Clock(NOON)())])


def today(book):
    return [entry.player for entry in book.ranking("day").top().entries]


@pytest.mark.parametrize(
    ("more", "at", "taken"),
    [
        ({}, "2026-11-30T12:05:00Z", True),
        ({}, "2026-11-30T12:05:00.000001Z", False),
        ({}, FAR, False),
        ({"max_ahead_seconds": 0}, "2026-11-30T12:00:00.000001Z", False),
        ({"max_ahead_seconds": 0.5}, "2026-11-30T12:00:00.5Z", True),
        ({"max_ahead_seconds": 86_400}, "2026-12-01T12:00:00Z", True),
    ],
)
def test_a_result_too_far_ahead_of_the_clock_is_refused_at_its_time(more, at, taken, log, clock):
    with Rankbook(spec(**more), log, MemoryStore(), clock=clock) as book:
        if taken:
            assert book.submit(result("asha", at)).rankings[0].why == "new"
            return
        with pytest.raises(Refused, match="ahead of the book's clock") as caught:
            book.submit_many([result("bram"), result("asha", at)])
        assert caught.value.field == "at"
        assert log.head() == 0


def test_one_result_from_the_future_in_the_log_empties_no_board(log, clock):
    with Rankbook(spec(), log, MemoryStore(), clock=clock) as book:
        book.submit(result("asha"))
        from_the_future(log)
        assert book.submit(result("bram")).rankings[0].why == "new"
        assert today(book) == ["asha", "bram"]
        assert book.verify().agrees


@pytest.mark.parametrize("kind", ["void", "ban", "forget", "banned before"])
def test_what_is_taken_back_has_expired_nothing(kind, log, clock):
    with Rankbook(spec(), log, MemoryStore(), clock=clock) as book:
        book.submit(result("asha", "2026-11-25T12:00:00Z"))
        if kind == "banned before":
            book.submit(Event(player="eve", kind="ban"))
        from_the_future(log)
        if kind == "void":
            book.submit(Event(player="", kind="void", target="far"))
        elif kind != "banned before":
            book.submit(Event(player="eve", kind=kind))
        assert book.submit(result("bram")).rankings[0].why == "new"
        periods = {each.period.id for each in book.periods("day")}
        assert {"2026-11-25", "2026-11-30"} <= periods
        assert book.verify().agrees


def test_time_itself_goes_on_expiring_the_oldest_periods(log, clock):
    with Rankbook(spec(), log, MemoryStore(), clock=clock) as book:
        book.submit(result("asha"))
        from_the_future(log)
        clock.set("2026-12-07T12:00:00Z")
        book.submit(result("bram"))
        periods = [each.period.id for each in book.periods("day")]
        assert "2026-11-30" not in periods
        assert "2026-12-07" in periods
        assert book.verify().agrees


def test_a_book_that_was_emptied_comes_back_by_a_rebuild(clock, tmp_path, monkeypatch):
    from rankbook.book.fold.periods import Periods

    now = Periods.note_time

    def earlier(self, step, event):
        """The horizon as earlier releases moved it."""
        now(self, step, event._replace(received_us=max(event.at_us, event.received_us)))

    embedded = BookSpec(name="future", boards=(BOARD,))
    with Rankbook.open(tmp_path / "book", spec=embedded, clock=clock) as book:
        monkeypatch.setattr(Periods, "note_time", earlier)
        book.submit(result("asha"))
        from_the_future(book.log)
        assert book.submit(result("bram")).rankings[0].why == "expired"
        assert today(book) == []
        monkeypatch.setattr(Periods, "note_time", now)
        book.rebuild()
        assert today(book) == ["asha", "bram"]
        assert book.submit(result("chidi")).rankings[0].why == "new"
        assert book.verify().agrees


def test_the_limit_is_read_from_the_file_and_checked():
    toml = """
[book]
name = "future"
max_ahead_seconds = {}

[[board]]
name = "day"
measures = {{ score = "points" }}
order_by = ["score desc"]
"""
    assert load(toml.format("0.5")).max_ahead_seconds == 0.5
    for wrong in ("-1", '"5"', "true"):
        with pytest.raises(SpecError) as caught:
            load(toml.format(wrong))
        assert caught.value.field == "book.max_ahead_seconds"
