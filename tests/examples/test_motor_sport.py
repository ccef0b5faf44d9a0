"""The made-up championship: points, countback, shared places, and a race sent twice."""

from decimal import Decimal

import pytest

from examples.clock import Clock
from examples.motor_sport import races as data
from examples.motor_sport import story
from examples.motor_sport.championship import BOARD, events, open_book, submit
from examples.motor_sport.races import made_up_races


@pytest.fixture
def races():
    return made_up_races()


def folded(path, races, order, **options):
    with open_book(path, races, Clock("2026-12-31T00:00:00Z"), **options) as book:
        for race in order:
            submit(book, race)
        assert book.verify().agrees
        return book.ranking(BOARD, period="2026").top(100)


def placed(standings):
    return [(entry.rank, entry.profile["name"], entry.score) for entry in standings.entries]


def test_points_rank_and_countback_parts_who_is_level(tmp_path, races):
    standings = story.season(tmp_path, races)
    assert placed(standings) == [
        (1, "Abara", Decimal(27)),
        (2, "Castro", Decimal(27)),
        (3, "Brandt", Decimal(24)),
        (4, "Holm", Decimal(20)),
        (5, "Grimaldi", Decimal(18)),
        (6, "Dubois", Decimal(14)),
        (6, "Egede", Decimal(14)),
        (8, "Farkas", Decimal(12)),
    ]
    first, second = standings.entries[:2]
    assert [(e.measures["p1"], e.measures["p2"]) for e in (first, second)] == [(2, 1), (2, 0)]


def test_a_race_sent_twice_counts_once(tmp_path, races):
    once = folded(tmp_path / "once", races, races)
    twice = folded(tmp_path / "twice", races, [*races, *races])
    assert placed(twice) == placed(once)


def test_races_in_any_order_give_the_same_standings(tmp_path, races):
    forward = folded(tmp_path / "forward", races, races, parted=True)
    backward = folded(tmp_path / "backward", races, races[::-1], parted=True)
    assert forward.entries == backward.entries


def test_a_parted_championship_has_no_shared_places(tmp_path, races):
    standings = folded(tmp_path, races, races, parted=True)
    assert [entry.rank for entry in standings.entries] == list(range(1, 9))


def test_a_sprint_gives_points_and_no_place(tmp_path, races):
    first, *_rest = races
    sprint = first._replace(finishes=tuple([f._replace(sprint=True) for f in first.finishes]))
    assert {event.values["position"] for event in events(sprint)} == {0}
    standings = folded(tmp_path, races, [sprint])
    assert standings.entries[0].score == 10
    assert standings.entries[0].measures["p1"] == 0


def test_the_program_shows_the_made_up_season_without_the_data(capsys):
    assert story.main([]) == 0
    said = capsys.readouterr().out
    assert "Abara and Castro are level on points; the number of p2 decides." in said
    assert "Dubois and Egede are level in everything: they share place 6." in said
    assert "The log and the rankings agree: True" in said


def test_a_year_without_the_data_is_a_plain_answer(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(story, "DATA", tmp_path / "absent")
    assert story.main(["2008"]) == 2
    assert "without a year the season is made up" in capsys.readouterr().err


def test_a_year_of_the_data_is_shown(shared_data, capsys):
    assert data.DATA.is_dir()
    assert story.main(["2008"]) == 0
    assert " 1  Lewis Hamilton             98.00  5 x 1st" in capsys.readouterr().out
    assert story.main(["1900"]) == 2
