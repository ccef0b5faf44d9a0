"""Weeks and months: ISO weeks, weeks from another day, leap years, and changes of the clock."""

from datetime import date, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankbook.errors import NotFound, Refused
from rankbook.rules.calendars import WEEKDAYS
from rankbook.rules.instants import instant, micros
from rankbook.rules.windows import open_window
from rankbook.rules.zones import parse_zone
from tests.unit.test_windows import HOUR, ZONES, bounds, us

KINDS = ["daily", "weekly", "monthly", *WEEKDAYS[1:]]


def window(kind, zone="UTC"):
    parsed = parse_zone(zone, "zone")
    if kind in WEEKDAYS:
        return open_window("weekly", parsed, "windows", week_start=kind)
    return open_window(kind, parsed, "windows")


@pytest.mark.parametrize(
    ("at", "id"),
    [
        ("2027-01-01T00:00:00Z", "2026-W53"),
        ("2023-01-01T00:00:00Z", "2022-W52"),
        ("2024-12-30T00:00:00Z", "2025-W01"),
        ("2026-12-27T23:59:59.999999Z", "2026-W52"),
        ("2026-12-28T00:00:00Z", "2026-W53"),
        ("2027-01-03T23:59:59.999999Z", "2026-W53"),
        ("2027-01-04T00:00:00Z", "2027-W01"),
    ],
)
def test_an_iso_week_belongs_to_the_year_of_its_thursday(at, id):
    assert window("weekly").period_at(us(at)).id == id


def test_the_week_53_is_followed_by_the_week_1():
    weekly = window("weekly", "+05:30")
    last = weekly.period("2026-W53")
    assert bounds(last) == ("2026-12-27T18:30:00+00:00", "2027-01-03T18:30:00+00:00")
    assert weekly.next(last) == weekly.period("2027-W01")
    assert weekly.previous(weekly.period("2027-W01")) == last


def test_a_week_from_another_day_is_named_by_its_first_day():
    sunday = window("sunday")
    assert sunday.period_at(us("2026-11-30T12:00:00Z")).id == "2026-11-29"
    assert sunday.period_at(us("2026-11-28T23:59:59Z")).id == "2026-11-22"
    assert bounds(sunday.period("2026-11-29"))[1] == "2026-12-06T00:00:00+00:00"
    with pytest.raises(NotFound, match=r"ids look like 2026-11-29, a Sunday"):
        sunday.period("2026-11-30")


@pytest.mark.parametrize("weekday", WEEKDAYS)
def test_a_week_starts_on_its_weekday(weekday):
    span = window(weekday).period_at(us("2026-11-25T12:00:00Z"))
    assert instant(span.start_us).strftime("%A").lower() == weekday
    assert (span.end_us - span.start_us) / HOUR == 7 * 24


@pytest.mark.parametrize(
    ("zone", "id", "hours"),
    [
        ("America/New_York", "2026-W10", 7 * 24 - 1),
        ("America/New_York", "2026-W44", 7 * 24 + 1),
        ("Pacific/Apia", "2011-W52", 6 * 24),
        ("Australia/Lord_Howe", "2026-W14", 7 * 24 + 0.5),
    ],
)
def test_a_week_is_as_long_as_its_clock_says(zone, id, hours):
    span = window("weekly", zone).period(id)
    assert (span.end_us - span.start_us) / HOUR == hours


def test_a_week_that_would_start_on_a_day_left_out_starts_on_the_next():
    # Apia had no Friday, 30 December 2011.
    span = window("friday", "Pacific/Apia").period("2011-12-30")
    assert bounds(span)[0] == "2011-12-30T10:00:00+00:00"
    assert (span.end_us - span.start_us) / HOUR == 6 * 24


@pytest.mark.parametrize(
    ("id", "days"), [("2024-02", 29), ("2026-02", 28), ("2100-02", 28), ("2000-02", 29)]
)
def test_a_month_has_its_days(id, days):
    span = window("monthly").period(id)
    assert (span.end_us - span.start_us) / HOUR == 24 * days


def test_the_29th_of_february_is_a_day_a_week_and_a_month():
    at = us("2024-02-29T23:30:00Z")
    ids = [window(kind).period_at(at).id for kind in ("daily", "weekly", "monthly")]
    assert ids == ["2024-02-29", "2024-W09", "2024-02"]
    assert window("daily").next(window("daily").period("2024-02-29")).id == "2024-03-01"


def test_a_month_in_new_york_gains_an_hour_in_november_and_loses_one_in_march():
    monthly = window("monthly", "America/New_York")
    for id, days, hour in (("2026-11", 30, 1), ("2026-03", 31, -1)):
        span = monthly.period(id)
        assert (span.end_us - span.start_us) / HOUR == 24 * days + hour


@pytest.mark.parametrize("kind", KINDS)
@given(st.sampled_from(ZONES), st.datetimes(datetime(1900, 1, 1), datetime(2100, 12, 31)))
@example("Pacific/Apia", datetime(2011, 12, 30, 12))
@example("America/St_Johns", datetime(2010, 11, 7, 3))
@example("America/Sao_Paulo", datetime(2018, 11, 4, 3))
def test_every_instant_is_in_exactly_one_period(kind, zone, at):
    asked = window(kind, zone)
    at_us = (at - datetime(1970, 1, 1)) // timedelta(microseconds=1)
    span = asked.period_at(at_us)
    assert span.start_us <= at_us < span.end_us
    assert asked.period_at(span.start_us) == span == asked.period_at(span.end_us - 1)
    assert window(kind, zone).span_at(at_us) == span == asked.period(span.id)
    following = asked.next(span)
    assert following.start_us == span.end_us
    assert asked.previous(following) == span == asked.previous(asked.next(span))
    assert following.id > span.id


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("zone", ZONES)
def test_the_ends_of_the_calendar_are_refused_never_an_overflow(kind, zone):
    for at in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"):
        try:
            span = window(kind, zone).period_at(us(at))
        except Refused as error:
            assert error.field == "at"  # noqa: PT017 - some zones have a period there
        else:
            assert span.start_us <= us(at) < span.end_us


@pytest.mark.parametrize(
    ("kind", "id"),
    [
        *[("weekly", id) for id in ("2026-W54", "2025-W53", "2026-W1", "2026W01", "2026-W53-1")],
        *[("weekly", id) for id in ("2026-11-30", "", "2026-W00", "9999-W52", "٢٠٢٦-W01")],
        *[("monthly", id) for id in ("2026-13", "2026-1", "2026-11-30", "", "2026", "9999-12")],
        *[("sunday", id) for id in ("2026-W48", "2026-11-30", "2026-02-29", "")],
    ],
)
def test_an_impossible_id_is_not_found(kind, id):
    with pytest.raises(NotFound, match="ids look like"):
        window(kind).period(id)


@given(st.dates(date(1, 1, 8), date(9999, 12, 20)))
def test_the_iso_week_of_a_date_is_pythons(day):
    year, week, _ = day.isocalendar()
    at_us = micros(datetime.fromisoformat(f"{day.isoformat()}T12:00:00Z"))
    assert window("weekly").period_at(at_us).id == f"{year:04}-W{week:02}"
