"""Summit Circuit: each step of the story, and what it promises."""

import pytest

from examples.summit_circuit import story


@pytest.fixture
def game(tmp_path):
    game = story.Game(tmp_path)
    with game.book:
        yield game
        assert game.book.verify().agrees


def placed(standings):
    return [(entry.rank, entry.player, entry.score) for entry in standings.entries]


def test_equal_scores_share_a_place_and_who_was_there_first_is_listed_first(game):
    assert placed(story.spring(game)) == [
        (1, "player-09", 180),
        (2, "player-42", 150),
        (2, "player-17", 150),
        (4, "player-05", 90),
        (5, "player-63", 60),
    ]


def test_points_sent_again_count_once(game):
    story.spring(game)
    known = game.book.log.head()
    first, again = [game.race("spring-2/player-17", "player-17", 30) for _ in range(2)]
    assert first == again
    assert game.book.log.head() == known
    assert game.book.ranking("circuit").entry("player-17").score == 150


def test_the_personal_view_has_the_same_entry_as_the_leaders_view(game):
    leaders = story.spring(game)
    around = game.personal("player-17")
    assert around.entries == leaders.entries[1:4]
    assert game.book.ranking("circuit").entry("player-17") == leaders.entries[2]


def test_a_season_takes_results_within_its_grace_and_none_after(game):
    story.spring(game)
    within, late = story.end_of_spring(game)
    assert [(p.period, p.why) for p in within.rankings] == [
        ("spring-2026", "added"),
        ("all-time", "added"),
    ]
    assert [(p.period, p.why) for p in late.rankings] == [
        ("spring-2026", "period_closed"),
        ("all-time", "added"),
    ]


def test_each_season_closes_once_and_says_so(game):
    story.spring(game)
    story.end_of_spring(game)
    story.summer(game)
    game.book.close_due()
    assert [(c.window, c.period.id, c.period.sealed) for c in game.closings] == [
        ("season", "spring-2026", True),
        ("season", "summer-2026", True),
    ]


def test_past_seasons_stand_side_by_side(game):
    story.spring(game)
    story.end_of_spring(game)
    seasons = story.summer(game)
    assert [(s.period.id, s.rank, s.count, s.score, s.percentile) for s in seasons] == [
        ("summer-2026", 1, 3, 200, 100),
        ("spring-2026", 2, 5, 150, 75),
    ]
    assert all(each.period.sealed for each in seasons)
    spring = game.book.ranking("circuit", period="spring-2026").top(10)
    assert [entry.player for entry in spring.entries][-1] == "player-05"


def test_the_program_says_that_log_and_rankings_agree(capsys):
    story.main()
    said = capsys.readouterr().out
    assert "The log and the rankings agree: True" in said
    assert said.count("on_close: ") == 2
