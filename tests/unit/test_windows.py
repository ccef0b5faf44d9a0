"""Windows and zones: every instant is in exactly one day, whatever the clock does."""

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankbook.errors import NotFound, Refused, SpecError
from rankbook.rules.instants import instant, micros
from rankbook.rules.windows import open_window
from rankbook.rules.zones import parse_zone

HOUR = 3_600_000_000
ZONES = [
    "UTC",
    "+05:30",
    "-03:00",
    "Asia/Kathmandu",
    "America/New_York",
    "America/Sao_Paulo",
    "America/Havana",
    "America/St_Johns",
    "Europe/London",
    "Africa/Casablanca",
    "Asia/Beirut",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kwajalein",
]


def us(text):
    return micros(datetime.fromisoformat(text))


def daily(zone):
    return open_window("daily", parse_zone(zone, "zone"), "windows")


def bounds(span):
    return instant(span.start_us).isoformat(), instant(span.end_us).isoformat()


def hours(zone, id):
    span = daily(zone).period(id)
    return (span.end_us - span.start_us) / HOUR


def test_a_day_in_india_ends_at_half_past_six_utc():
    window = daily("+05:30")
    span = window.period("2026-10-04")
    assert bounds(span) == ("2026-10-03T18:30:00+00:00", "2026-10-04T18:30:00+00:00")
    assert window.period_at(us("2026-10-04T18:29:59.999Z")).id == "2026-10-04"
    assert window.period_at(us("2026-10-04T18:30:00.000Z")).id == "2026-10-05"
    assert window.period_at(us("2026-10-04T18:29:59.900Z")).id == "2026-10-04"
    assert daily("Asia/Kolkata").period("2026-10-04") == span


@pytest.mark.parametrize(
    ("zone", "id", "length"),
    [
        ("America/New_York", "2026-11-01", 25),
        ("America/New_York", "2026-03-08", 23),
        ("America/New_York", "2026-03-09", 24),
        ("America/Sao_Paulo", "2018-11-04", 23),
        ("America/Sao_Paulo", "2018-02-17", 25),
        ("America/Havana", "2026-11-01", 25),
        ("Australia/Lord_Howe", "2026-04-05", 24.5),
        ("Pacific/Apia", "2011-12-31", 24),
    ],
)
def test_a_day_is_as_long_as_its_clock_says(zone, id, length):
    assert hours(zone, id) == length


def test_kathmandus_day_starts_at_a_quarter_past_six():
    assert bounds(daily("Asia/Kathmandu").period("2026-10-04"))[0] == "2026-10-03T18:15:00+00:00"


def test_a_day_without_midnight_starts_where_the_clock_jumps():
    window = daily("America/Sao_Paulo")
    assert bounds(window.period("2018-11-04"))[0] == "2018-11-04T03:00:00+00:00"
    assert window.period_at(us("2018-11-04T02:59:59.999999Z")).id == "2018-11-03"
    assert window.period_at(us("2018-11-04T03:00:00Z")).id == "2018-11-04"


def test_a_jump_over_midnight_starts_the_day_at_the_jump():
    # Toronto, 30 March 1919: 23:30 became 00:30 of the 31st.
    window = daily("America/Toronto")
    assert bounds(window.period("1919-03-31"))[0] == "1919-03-31T04:30:00+00:00"


def test_a_midnight_that_happens_twice_starts_one_day_the_first_time():
    window = daily("America/Havana")
    assert bounds(window.period("2026-11-01"))[0] == "2026-11-01T04:00:00+00:00"
    assert window.period_at(us("2026-11-01T05:30:00Z")).id == "2026-11-01"


def test_a_clock_set_back_over_midnight_does_not_bring_yesterday_back():
    # St John's, 7 November 2010: 00:01 became 23:01 of the 6th.
    window = daily("America/St_Johns")
    start = us("2010-11-07T02:30:00Z")
    assert window.period_at(start - 1).id == "2010-11-06"
    assert window.period_at(start + HOUR // 2).id == "2010-11-07"
    assert window.period_at(start + 2 * HOUR).id == "2010-11-07"


def test_a_day_that_never_was_is_not_found():
    window = daily("Pacific/Apia")
    with pytest.raises(NotFound, match="left out"):
        window.period("2011-12-30")
    last = window.period("2011-12-29")
    assert window.next(last).id == "2011-12-31"
    assert window.previous(window.period("2011-12-31")) == last


@given(st.sampled_from(ZONES), st.dates(date(1900, 1, 1), date(2100, 12, 31)))
@example("America/Toronto", date(1919, 3, 30))
@example("America/St_Johns", date(2010, 11, 6))
@example("America/Sao_Paulo", date(2018, 11, 3))
@example("America/Havana", date(2026, 10, 31))
@example("Pacific/Apia", date(2011, 12, 29))
def test_a_day_ends_where_the_next_begins(zone, day):
    window = daily(zone)
    try:
        span = window.period(day.isoformat())
    except NotFound:
        return
    following = window.next(span)
    assert following.start_us == span.end_us > span.start_us
    assert window.previous(following) == span
    assert window.period(following.id) == following


@given(st.sampled_from(ZONES), st.datetimes(datetime(1900, 1, 1), datetime(2100, 12, 31)))
def test_every_instant_is_in_exactly_one_day(zone, at):
    window = daily(zone)
    at_us = (at - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    span = window.period_at(at_us)
    assert span.start_us <= at_us < span.end_us
    assert window.period_at(span.start_us) == span == window.period_at(span.end_us - 1)
    assert window.period_at(span.end_us).id > span.id
    assert window.period_at(span.start_us - 1).id < span.id
    assert daily(zone).period_at(at_us) == span == window.period(span.id)


@pytest.mark.parametrize("zone", ZONES)
def test_the_ends_of_the_calendar_are_refused_never_an_overflow(zone):
    window = daily(zone)
    for at in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"):
        try:
            span = window.period_at(us(at))
        except Refused as error:
            assert error.field == "at"  # noqa: PT017 - some zones have a period there
        else:
            assert span.start_us <= us(at) < span.end_us
    for beyond in (10**18, -(10**18), 2**70):
        with pytest.raises(Refused):
            window.period_at(beyond)
    assert window.previous(window.period("0001-01-03")) is not None


def test_there_is_nothing_before_the_first_day_and_after_the_last():
    window = daily("UTC")
    assert window.previous(window.period("0001-01-01")) is None
    assert window.next(window.period("9999-12-30")) is None


@pytest.mark.parametrize(
    "id", ["", "2026-13-01", "2026-02-30", "20261130", "2026-W01-1", "all-time", "9999-12-31", "٢"]
)
def test_an_impossible_day_is_not_found_and_the_reason_shows_a_possible_one(id):
    with pytest.raises(NotFound, match="2026-11-30"):
        daily("UTC").period(id)


def test_all_time_is_one_period_without_bounds():
    window = open_window("all-time", parse_zone("UTC", "zone"), "windows")
    span = window.period_at(0)
    assert span == ("all-time", None, None) == window.period("all-time")
    assert window.previous(span) is None
    assert window.next(span) is None
    with pytest.raises(NotFound):
        window.period("2026-11-30")


@pytest.mark.parametrize(
    "zone",
    [
        "",
        "utc+5",
        "+5:30",
        "+05:60",
        "+15:00",
        "+24:00",
        "Mars/Base",
        "../etc/passwd",
        "/etc",
        "Asia",
        "localtime",
        "a\x00b",
        "UTC\n",
        "+05:30\n",
    ],
)
def test_a_bad_zone_is_refused_at_its_field(zone):
    with pytest.raises(SpecError) as caught:
        parse_zone(zone, "board[0].zone")
    assert caught.value.field == "board[0].zone"


def test_an_unknown_window_is_refused_and_the_known_are_listed():
    with pytest.raises(
        SpecError, match=r"windows\[1\]: 'hourly' is not known; there are: all-time"
    ):
        open_window("hourly", parse_zone("UTC", "zone"), "windows[1]")


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.timezones()))
def test_an_instant_survives_the_way_to_microseconds_and_back(at):
    assert instant(micros(at)) == at.astimezone(UTC)


def test_a_time_without_a_zone_is_refused():
    with pytest.raises(Refused, match="zone"):
        micros(datetime(2026, 11, 30))
    with pytest.raises(Refused, match="years"):
        micros(datetime.fromisoformat("0001-01-01T00:00:00+05:30"))
    with pytest.raises(Refused, match="years"):
        instant(10**18)
