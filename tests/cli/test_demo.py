"""The demonstration, and the sample that it is made of."""

from datetime import UTC, datetime, timedelta

import pytest

from rankbook import Rankbook
from rankbook.cli.demo import sample

END = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DAY_START = datetime(2026, 11, 29, 18, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def events():
    return list(sample.results(1, END))


def test_the_sample_is_200_players_and_20_000_results_over_30_days(events):
    assert len(events) == len({event.id for event in events}) == 20_000
    assert len({event.player for event in events}) == 200
    days = {(event.at + sample.OFFSET).date() for event in events}
    assert (len(days), max(days)) == (30, (END + sample.OFFSET).date())


def test_the_sample_comes_in_order_and_never_from_the_future(events):
    times = [event.at for event in events]
    assert times == sorted(times)
    assert times[-1] <= END
    assert times[0] >= DAY_START - timedelta(days=29)


def test_the_sample_looks_like_typing(events):
    assert all(40 <= event.values["wpm"] <= 150 for event in events)
    assert all(80 <= event.values["accuracy"] <= 100 for event in events)
    assert {event.values["mode"] for event in events} == {"time", "words"}
    assert all(event.profile["name"] and event.profile["avatar"] for event in events)


def test_the_sample_is_the_same_each_time_and_another_with_another_seed(events):
    assert list(sample.results(1, END)) == events
    assert next(sample.results(2, END)) != events[0]


def test_an_hour_later_only_the_times_of_the_day_itself_differ(events):
    later = list(sample.results(1, END + timedelta(hours=1)))
    assert [event.values for event in later] == [event.values for event in events]
    earlier_days = [event for event in events if event.at < DAY_START]
    assert later[: len(earlier_days)] == earlier_days


def test_a_day_that_has_just_begun_has_results_already():
    today = [event for event in sample.results(1, DAY_START) if event.at >= DAY_START]
    assert len(today) > 600


def test_the_demo_is_a_tour_and_leaves_the_book_that_was_asked_for(shell, tmp_path):
    answer = shell("demo", "--book", "made")
    assert (answer.code, answer.stderr) == (0, "")
    for said in ("six rankings", "One player's view", "this touches", "agree with the log"):
        assert said in answer.stdout
    assert answer.stdout.count("10 of ") == 6
    assert "yes, better" in answer.stdout
    with Rankbook.open(tmp_path / "made") as book:
        found = book.verify()
        assert (found.agrees, found.position) == (True, 20_001)
    again = shell("demo", "--book", "made")
    assert again.code == 5
    assert "is there already" in again.line
