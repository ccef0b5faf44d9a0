"""Formula One since 1991, folded race by race, beside the official standings after every race."""

import pytest

from examples.motor_sport.official import EQUAL, OTHERS_FROM, compare, summary


@pytest.fixture(scope="module")
def seasons(shared_data, tmp_path_factory):
    folder = shared_data / "f1"
    if not folder.is_dir():
        pytest.skip("needs the Formula One data in ../shared/data/f1")
    return list(compare(folder, tmp_path_factory.mktemp("f1")))


def test_points_and_wins_equal_the_official_ones_after_every_race(seasons):
    assert sum(each.rows for each in seasons) == 14_826
    for each in seasons:
        assert (each.year, each.points_equal, each.wins_equal) == (each.year, each.rows, each.rows)


def test_every_position_of_the_twelve_seasons_equals_the_official_one(seasons):
    chosen = [each for each in seasons if each.year in EQUAL]
    assert [each.positions_equal for each in chosen] == [each.rows for each in chosen]
    assert (len(chosen), sum(each.rows for each in chosen)) == (12, 5_123)


def test_few_positions_of_the_other_seasons_differ_from_the_official_ones(seasons):
    """They differ where the official rule is another one; how many is a fact of the data."""
    others = [each for each in seasons if each.year >= OTHERS_FROM and each.year not in EQUAL]
    differing = {each.year: each.rows - each.positions_equal for each in others}
    print(f"positions that differ by season: {differing}")
    assert (sum(each.rows for each in others), sum(differing.values())) == (4_769, 68)


def test_the_summary_adds_the_seasons_up(seasons):
    assert summary(seasons) == {
        "points_rows": 14_826,
        "points_equal": 14_826,
        "wins_equal": 14_826,
        "positions_rows": 5_123,
        "positions_equal": 5_123,
        "other_positions_rows": 4_769,
        "other_positions_equal": 4_701,
    }
