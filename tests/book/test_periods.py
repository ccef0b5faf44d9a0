"""Days: an event's own time decides its day in the board's zone, whenever it arrives."""

import pytest

from tests.book.home import board, players, result, when

DAILY = {"windows": ("all-time", "daily")}


def day(book, period=None):
    return book.ranking("speed", window="daily", period=period)


def test_a_day_at_half_past_five_begins_at_half_past_six_the_evening_before(home):
    book = home.open(board(**DAILY, zone="+05:30"))
    book.submit(result("asha", 5, at="2026-10-04T18:29:59.999Z"))
    book.submit(result("bram", 5, at="2026-10-04T18:30:00.000Z"))
    book.submit(result("chidi", 5, at="2026-10-03T18:30:00Z"))
    book.submit(result("dora", 5, at="2026-10-03T18:29:59.999999Z"))
    assert players(day(book, "2026-10-04").top()) == ["chidi", "asha"]
    assert players(day(book, "2026-10-05").top()) == ["bram"]
    assert players(day(book, "2026-10-03").top()) == ["dora"]
    period = day(book, "2026-10-04").top().period
    assert (period.id, period.start, period.end, period.zone) == (
        "2026-10-04",
        when("2026-10-03T18:30:00Z"),
        when("2026-10-04T18:30:00Z"),
        "+05:30",
    )


@pytest.mark.parametrize(
    ("zone", "id", "start", "end"),
    [
        ("America/New_York", "2026-11-01", "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z"),
        ("America/New_York", "2026-03-08", "2026-03-08T05:00:00Z", "2026-03-09T04:00:00Z"),
        ("Asia/Kathmandu", "2026-10-04", "2026-10-03T18:15:00Z", "2026-10-04T18:15:00Z"),
        ("Asia/Kolkata", "2026-10-04", "2026-10-03T18:30:00Z", "2026-10-04T18:30:00Z"),
        ("UTC", "2028-02-29", "2028-02-29T00:00:00Z", "2028-03-01T00:00:00Z"),
    ],
)
def test_a_day_is_as_long_as_it_is_in_its_zone_and_every_reply_carries_it(
    home, zone, id, start, end
):
    book = home.open(board(**DAILY, zone=zone))
    book.submit(result("first", 1, at=start))
    book.submit(result("next", 1, at=end))
    home.clock.set(start)
    ranking = day(book)
    for reply in (ranking.top(), ranking.around("first"), day(book, id).top()):
        period = reply.period
        assert (period.id, period.start, period.end, period.zone) == (
            id,
            when(start),
            when(end),
            zone,
        )
        assert players(reply) == ["first"]


def test_the_time_of_the_event_decides_and_not_its_arrival(home):
    book = home.open(board(**DAILY, zone="+05:30"))
    home.clock.set("2026-10-04T18:30:02Z")
    receipt = book.submit(result("asha", 5, at="2026-10-04T18:29:59.900Z"))
    assert [placement.period for placement in receipt.rankings] == ["all-time", "2026-10-04"]
    assert receipt.recorded_at == when("2026-10-04T18:30:02Z")
    assert players(day(book, "2026-10-04").top()) == ["asha"]
    assert day(book, "2026-10-05").count() == 0
    assert day(book).top().period.id == "2026-10-05"


def test_an_event_without_a_time_happened_when_it_was_recorded(home):
    book = home.open(board(**DAILY, zone="+05:30"))
    home.clock.set("2026-10-04T18:30:00Z")
    receipt = book.submit(result("asha", 5))
    assert receipt.at == receipt.recorded_at == when("2026-10-04T18:30:00Z")
    assert book.ranking("speed").entry("asha").reached_at == when("2026-10-04T18:30:00Z")
    assert day(book).top().period.id == "2026-10-05"
    assert day(book).rank("asha") == 1


def test_the_current_day_follows_the_clock_and_old_days_stay_to_be_read(home):
    book = home.open(board(**DAILY))
    book.submit(result("asha", 5))
    home.clock.set("2026-12-01T00:00:00Z")
    assert day(book).top().period.id == "2026-12-01"
    assert day(book).count() == 0
    book.submit(result("asha", 3))
    assert day(book).entry("asha").score == 3
    assert day(book, "2026-11-30").entry("asha").score == 5
    assert book.ranking("speed").entry("asha").score == 5


def test_one_event_is_on_one_day_only(home):
    book = home.open(board(**DAILY, zone="America/New_York"))
    hours = [f"2026-11-0{d}T{h:02}:30:00Z" for d in (1, 2) for h in range(24)]
    book.submit_many([result(f"p{i}", i, at=at) for i, at in enumerate(hours)])
    counts = [day(book, f"2026-1{id}").count() for id in ("0-31", "1-01", "1-02")]
    assert counts == [4, 25, 19]


def test_all_time_has_no_bounds(home):
    book = home.open(board(**DAILY, zone="+05:30"))
    period = book.ranking("speed").top().period
    assert (period.id, period.start, period.end, period.zone) == ("all-time", None, None, "+05:30")
