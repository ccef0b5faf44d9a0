"""Named seasons, and when periods close."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbook.errors import NotFound, SpecError
from rankbook.rules import Board, BoardRules, PeriodSpan, Season, closes_at, current, is_closed
from rankbook.rules.windows import open_window
from rankbook.rules.zones import parse_zone
from tests.unit.facts import fact
from tests.unit.test_windows import bounds, us

SPRING = {"name": "spring", "start": "2026-03-01", "end": "2026-06-01"}
AUTUMN = {"name": "autumn", "start": "2026-09-01T12:00:00Z", "end": "2026-12-01T12:00:00+02:00"}
FIELDS = {"measures": {"x": "x"}, "order_by": ["x desc"], "zone": "+05:30"}


def board(*seasons, windows=("season",), **fields):
    return Board("b", **{**FIELDS, "windows": windows, "seasons": seasons, **fields})


RULES = BoardRules(board(AUTUMN, SPRING, windows=["all-time", "season"]))
SEASON = RULES.window("season")


def test_a_date_is_the_beginning_of_that_day_in_the_boards_zone():
    assert bounds(SEASON.period("spring")) == (
        "2026-02-28T18:30:00+00:00",
        "2026-05-31T18:30:00+00:00",
    )
    assert bounds(SEASON.period("autumn")) == (
        "2026-09-01T12:00:00+00:00",
        "2026-12-01T10:00:00+00:00",
    )


def test_a_season_begins_at_its_start_and_is_over_at_its_end():
    spring = SEASON.period("spring")
    assert SEASON.period_at(spring.start_us) == spring == SEASON.period_at(spring.end_us - 1)
    assert SEASON.span_at(spring.start_us - 1) is None
    assert SEASON.span_at(spring.end_us) is None
    with pytest.raises(NotFound, match=r"no season at 2026-05-31T18:30.*: spring, autumn"):
        SEASON.period_at(spring.end_us)


def test_an_event_between_seasons_touches_the_other_windows_only():
    summer = us("2026-07-01T00:00:00Z")
    assert [each.name for each in RULES.rankings({}, summer)] == ["b/all-time/all-time"]
    assert [each.name for each in RULES.rankings({}, us("2026-04-01T00:00:00Z"))] == [
        "b/all-time/all-time",
        "b/season/spring",
    ]
    assert BoardRules(board(SPRING)).rankings({}, summer) == ()
    BoardRules(board(SPRING)).admit(fact("a", summer, x=1))


def test_seasons_follow_each_other_in_time_whatever_the_order_they_are_written_in():
    spring, autumn = SEASON.period("spring"), SEASON.period("autumn")
    assert (SEASON.next(spring), SEASON.previous(autumn)) == (autumn, spring)
    assert (SEASON.previous(spring), SEASON.next(autumn)) == (None, None)
    assert SEASON.spans == (spring, autumn)


@pytest.mark.parametrize(
    ("now", "shown"),
    [
        ("2026-01-01T00:00:00Z", "spring"),
        ("2026-04-01T00:00:00Z", "spring"),
        ("2026-07-01T00:00:00Z", "spring"),
        ("2026-10-01T00:00:00Z", "autumn"),
        ("2027-10-01T00:00:00Z", "autumn"),
    ],
)
def test_between_seasons_the_one_that_ended_last_is_the_current_one(now, shown):
    assert current(SEASON, us(now)).id == shown
    assert current(RULES.window("all-time"), us(now)).id == "all-time"


def test_an_unknown_season_is_answered_with_those_there_are():
    with pytest.raises(NotFound, match="no season 'winter'; there are: spring, autumn"):
        RULES.ranking("season", "winter", {})


def test_texts_dates_and_datetimes_are_the_same_season():
    given = {"name": "s", "start": date(2026, 3, 1), "end": datetime(2026, 6, 1, tzinfo=UTC)}
    season = Season("s", "2026-03-01", "2026-06-01T00:00:00Z")
    assert board(given) == board(season)
    assert board(given).fingerprint() == board(season).fingerprint()


@pytest.mark.parametrize(
    ("seasons", "field"),
    [
        ([{**SPRING, "end": "2026-03-01"}], "seasons[0].end"),
        ([AUTUMN, {**SPRING, "end": "2026-02-01"}], "seasons[1].end"),
        ([{**SPRING, "end": "2026-02-28T18:30:00Z"}], "seasons[0].end"),
        ([SPRING, {**AUTUMN, "start": "2026-05-31T18:29:59Z"}], "seasons[1].start"),
        ([AUTUMN, {**SPRING, "end": "2027-01-01"}], "seasons[0].start"),
        ([SPRING, {**SPRING, "name": "again"}], "seasons[1].start"),
        ([SPRING, {**AUTUMN, "name": "spring"}], "seasons[1].name"),
        ([{**SPRING, "name": ""}], "seasons[0].name"),
        ([{**SPRING, "name": "a b"}], "seasons[0].name"),
        ([{**SPRING, "name": "a/b"}], "seasons[0].name"),
        ([{**SPRING, "name": 2026}], "seasons[0].name"),
        ([SPRING, {**AUTUMN, "start": "2026-02-30"}], "seasons[1].start"),
        ([{**SPRING, "start": "March 1"}], "seasons[0].start"),
        ([{**SPRING, "start": "20260301"}], "seasons[0].start"),
        ([{**SPRING, "start": "2026-03-01T00:00:00"}], "seasons[0].start"),
        ([{**SPRING, "start": datetime(2026, 3, 1)}], "seasons[0].start"),
        ([{**SPRING, "end": 5}], "seasons[0].end"),
        ([{**SPRING, "start": "0001-01-01"}], "seasons[0].start"),
        ([{**SPRING, "end": "9999-12-31T23:59:59-12:00"}], "seasons[0].end"),
        ([{**SPRING, "stop": "2026-06-01"}], "seasons[0].stop"),
        ([{"name": "spring", "start": "2026-03-01"}], "seasons[0]"),
        (["spring"], "seasons[0]"),
        ("spring", "seasons"),
        ([], "seasons"),
        ([{**SPRING, "name": f"s{i}"} for i in range(1001)], "seasons"),
    ],
)
def test_a_wrong_season_is_refused_at_its_field(seasons, field):
    with pytest.raises(SpecError) as caught:
        Board("b", **FIELDS, windows=["season"], seasons=seasons)
    assert caught.value.field == field


def test_seasons_without_their_window_are_refused():
    with pytest.raises(SpecError, match=r'^seasons: is for the window "season"'):
        board(SPRING, windows=["daily"])


def test_seasons_may_touch():
    board(SPRING, {"name": "summer", "start": "2026-06-01", "end": "2026-09-01"})


@given(
    st.lists(st.integers(0, 60), min_size=2, max_size=8, unique=True).map(sorted),
    st.integers(-5, 65),
)
def test_every_instant_is_in_at_most_one_season_and_neighbours_agree(edges, at):
    spans = [PeriodSpan(f"s{a}", a, b) for a, b in zip(edges[::2], edges[1::2], strict=False)]
    window = open_window("season", parse_zone("UTC", "zone"), "windows", seasons=spans)
    holding = [span for span in spans if span.start_us <= at < span.end_us]
    assert window.span_at(at) == (holding[0] if holding else None)
    moment = PeriodSpan("", at, at)
    assert window.next(moment) == next((s for s in spans if s.start_us >= at), None)
    assert window.previous(moment) == next((s for s in spans[::-1] if s.end_us <= at), None)


SECOND = 1_000_000
DAILY = BoardRules(Board("b", **FIELDS, windows=["all-time", "daily"], grace_seconds=5, seal=True))


def test_a_period_closes_when_its_grace_is_over():
    end = us("2026-10-04T18:30:00Z")
    at = us("2026-10-04T18:29:59.900Z")
    span = DAILY.window("daily").period_at(at)
    assert DAILY.closes_at(span) == closes_at(span, 5 * SECOND) == end + 5 * SECOND
    assert not DAILY.is_sealed(span, us("2026-10-04T18:30:02Z"))
    assert not DAILY.is_sealed(span, end + 5 * SECOND - 1)
    assert DAILY.is_sealed(span, end + 5 * SECOND)


def test_all_time_never_closes():
    span = DAILY.window("all-time").period("all-time")
    assert closes_at(span, 0) is None
    assert not is_closed(span, 2**62, 0)
    assert not DAILY.is_sealed(span, 2**62)


def test_without_a_seal_no_period_is_closed_to_a_late_event():
    open_board = BoardRules(Board("b", **FIELDS, windows=["daily"], grace_seconds=5))
    assert not open_board.is_sealed(PeriodSpan("d", 0, 1), 2**62)
    assert is_closed(PeriodSpan("d", 0, 1), 2**62, 0)
