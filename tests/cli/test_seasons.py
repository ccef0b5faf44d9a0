"""The periods of a board, and a player's compared."""

import re
from datetime import datetime

import pytest

from rankbook import Event, Rankbook
from rankbook.rules import micros

SPEC = """
[book]
name = "cup"

[[board]]
name = "cup"
measures = { points = "points" }
order_by = ["points desc"]
windows = ["season", "all-time"]
splits = [[], ["class"]]
seal = true
seasons = [
  { name = "2001", start = 2001-03-01, end = 2001-11-01 },
  { name = "2002", start = 2002-03-01, end = 9999-01-01 },
]
"""
RESULTS = [
    *(("asha", 10, "2001-04-01"), ("bram", 20, "2001-04-02"), ("asha", 30, "2002-04-01")),
    ("chidi", 5, "2002-04-02"),
]


@pytest.fixture
def cup(tmp_path):
    """A book of two seasons, recorded as they went by; nobody has noticed yet that one is over."""
    (tmp_path / "rankbook.toml").write_text(SPEC)
    for player, points, day in RESULTS:
        at = datetime.fromisoformat(f"{day}T12:00:00Z")
        event = Event(player=player, values={"points": points, "class": "a"}, at=at)
        with Rankbook.open(tmp_path, catch_up=False, clock=lambda at=at: micros(at)) as book:
            book.submit(event)
    yield tmp_path
    with Rankbook.open(tmp_path) as book:
        found = book.verify()
        assert found.agrees, found


def test_the_periods_are_listed_newest_first_and_what_is_over_is_sealed(cup, rankbook):
    found = rankbook("seasons", "cup", "--json", "--book", cup).json
    assert found["board"] == "cup"
    listed = [
        (each["window"], each["period"]["id"], each["period"]["sealed"], each["entries"])
        for each in found["periods"]
    ]
    assert listed == [
        *(("season", "2002", False, 2), ("season", "2001", True, 2)),
        ("all-time", "all-time", False, 3),
    ]
    assert list(found["periods"][0]) == ["board", "window", "period", "rankings", "entries"]


def test_the_table_of_periods_has_their_bounds(cup, rankbook):
    shown = rankbook("seasons", "cup", "--window", "season", "--book", cup).stdout
    assert re.split(" {3,}", shown.splitlines()[-2].strip()) == [
        *("season · 2001", "2001-03-01 00:00:00", "2001-11-01 00:00:00", "yes", "2", "2"),
    ]
    assert shown.splitlines()[-1].strip() == "2 periods"


def test_reading_closes_what_has_ended_in_the_log(cup, rankbook):
    assert rankbook("top", "cup", "--book", cup).code == 0
    assert rankbook("verify", "--json", "--book", cup).json["position"] == len(RESULTS) + 1


def test_a_players_periods_are_compared_side_by_side(cup, rankbook):
    words = ("seasons", "cup", "--player", "asha")
    found = rankbook(*words, "--json", "--book", cup).json
    assert (found["board"], found["player"], found["tags"]) == ("cup", "asha", {})
    places = [
        [each[name] for name in ("window", "rank", "score", "count", "percentile")]
        for each in found["periods"]
    ]
    assert places == [
        *(["season", 1, 30, 2, 100], ["season", 2, 10, 2, 0]),
        ["all-time", 1, 30, 3, 100],
    ]
    shown = rankbook(*words, "--window", "season", "--book", cup).stdout.splitlines()
    assert [line.split()[2:] for line in shown[3:5]] == [
        ["2002", "1", "2", "30", "100", "no"],
        ["2001", "2", "2", "10", "0", "yes"],
    ]
    assert shown[-1].strip() == "2 of 2 periods"


def test_a_period_without_the_player_is_in_the_comparison(cup, rankbook):
    words = ("seasons", "cup", "--player", "chidi", "--window", "season", "--tag", "class=a")
    found = rankbook(*words, "--json", "--book", cup).json
    assert [(each["rank"], each["score"], each["count"]) for each in found["periods"]] == [
        *((2, 5, 2), (None, None, 2)),
    ]
    assert found["periods"][0]["tags"] == {"class": "a"}
    assert "1 of 2 periods" in rankbook(*words, "--book", cup).stdout


def test_tags_are_for_a_players_periods(cup, rankbook):
    answer = rankbook("seasons", "cup", "--tag", "class=a", "--book", cup)
    assert answer.code == 2
    assert "name the player with --player" in answer.line


def test_a_sealed_period_says_so_above_its_table(cup, rankbook):
    shown = rankbook("top", "cup", "--period", "2001", "--book", cup).stdout
    assert shown.startswith("cup · season · 2001 (UTC) · sealed · ")


def test_a_board_without_entries_has_no_periods(typing_book, rankbook):
    assert rankbook("seasons", "speed", "--json", "--book", typing_book).json["periods"] == []
    assert "0 periods" in rankbook("seasons", "speed", "--book", typing_book).stdout
