"""Pages, friends, ranges of scores, histograms, a player's rank, and who is at a place."""

import pytest

from tests.cli.test_reads import RANKING, players

SPEED = ("speed", "--json", "--book")


@pytest.fixture
def ask(small_book, rankbook):
    """The document of a subcommand about the board of the small book."""
    return lambda name, *words: rankbook(name, *SPEED, small_book, *words).json


def test_pages_lead_from_one_to_the_next_and_back(ask):
    first = ask("page", "--limit", 3)
    assert list(first) == [*RANKING, "next"]
    second = ask("page", "--limit", 3, "--cursor", first["next"])
    assert players(first) + players(second) == players(ask("top"))
    assert (list(second), second["count"]) == ([*RANKING, "previous"], 4)
    back = ask("page", "--limit", 3, "--cursor", second["previous"])
    assert players(back) == players(first)


def test_a_page_prints_its_cursors_whole_however_narrow_the_terminal(small_book, rankbook, ask):
    cursor = ask("page", "--limit", 1)["next"]
    words = ("page", "speed", "--limit", 1, "--book", small_book)
    lines = rankbook(*words, COLUMNS="40").stdout.splitlines()
    assert lines[-1] == f"next: --cursor {cursor}"
    lines = rankbook(*words, "--cursor", cursor).stdout.splitlines()
    assert [line.split(" ")[0] for line in lines[-2:]] == ["next:", "previous:"]


def test_a_cursor_of_another_ranking_and_one_that_is_none_are_refused(small_book, rankbook, ask):
    cursor = ask("page", "--limit", 1)["next"]
    words = ("page", "speed", "--tag", "mode=time", "--book", small_book)
    other = rankbook(*words, "--cursor", cursor)
    assert (other.code, other.stdout) == (2, "")
    assert "is of speed/all-time/all-time, not of" in other.line
    assert rankbook(*words, "--cursor", "zzz").line == "rankbook: cursor: is no cursor"


def test_friends_have_a_rank_among_them_and_one_among_all(small_book, rankbook, ask):
    words = ("dora", "hugo", "chidi", "bram", "dora")
    found = ask("among", *words)
    assert list(found) == [*RANKING[:-1], "friends", "missing"]
    assert [
        (each["rank_among"], *players({"entries": [each["entry"]]})) for each in found["friends"]
    ] == [
        (1, (2, "bram", 90)),
        (1, (2, "chidi", 90)),
        (3, (4, "dora", 57)),
    ]
    answer = rankbook("among", "speed", *words, "--book", small_book)
    assert (answer.code, answer.line) == (0, "hugo has no entry in this ranking")
    lines = answer.stdout.splitlines()
    assert lines[1].split()[:3] == ["#", "player", "rank"]
    assert lines[-2].split()[:4] == ["3", "dora", "4", "57"]
    assert lines[-1].strip() == "3 of 4"


def test_friends_without_any_entry_are_an_empty_table(small_book, rankbook, ask):
    assert ask("among", "hugo")["friends"] == []
    assert ask("among", "hugo", "asha", "gita", "hugo")["missing"] == ["hugo", "gita"]
    answer = rankbook("among", "speed", "hugo", "--book", small_book)
    assert (answer.code, "0 of 4" in answer.stdout) == (0, True)


def test_more_players_than_can_be_read_at_once_are_one_line(small_book, rankbook):
    names = [f"p{number}" for number in range(1001)]
    answer = rankbook("among", "speed", *names, "--book", small_book)
    assert answer.code == 2
    assert answer.line == "rankbook: PLAYER: is given 1,001 times; there may be 1,000"


def test_scores_are_bounded_on_both_sides_themselves_included(ask):
    assert players(ask("scores", "--min", 57, "--max", 90)) == players(ask("top"))[1:]
    assert players(ask("scores", "--min", 91)) == [(1, "asha", 98)]
    assert players(ask("scores", "--max", "57.0")) == [(4, "dora", 57)]
    assert players(ask("scores", "--min", -5, "--limit", 1)) == [(1, "asha", 98)]
    assert players(ask("scores", "--tag", "mode=words", "--max", 60)) == [(2, "dora", 57)]
    assert ask("scores", "--max", 3)["count"] == 4


WRONG_SCORES = [
    (("--min", "x"), "--min: is 'x', not a number"),
    (("--max", "NaN"), "--max: is 'NaN', not a number"),
    (("--min", "60.5"), "--min: has a fraction"),
    (("--max", "9" * 30), "--max: is an integer past 64 bits"),
    (("--max", "1e999"), "--max: is "),
    (("--min", "5", "--max", "4"), "--min: is 5, more than --max, which is 4"),
]


@pytest.mark.parametrize(("words", "reason"), WRONG_SCORES)
def test_a_bound_that_is_no_score_is_one_line(small_book, rankbook, words, reason):
    answer = rankbook("scores", "speed", *words, "--book", small_book)
    assert (answer.code, answer.stdout) == (2, "")
    assert answer.line.startswith(f"rankbook: {reason}")


def test_bounds_of_decimals_are_exact_and_lower_may_be_better(tmp_path, rankbook):
    (tmp_path / "rankbook.toml").write_text("""
        [book]
        name = "laps"
        [[board]]
        name = "lap"
        measures = { seconds = { value = "seconds", type = "decimal(2)" } }
        order_by = ["seconds asc"]
    """)
    book = ("--book", tmp_path)
    for player, seconds in (("asha", "64.10"), ("bram", "64.11"), ("chidi", "64.12")):
        assert rankbook("submit", player, f"seconds={seconds}", *book).code == 0
    found = rankbook("scores", "lap", "--min", "64.11", "--max", "64.11", "--json", *book).json
    assert players(found) == [(2, "bram", 64.11)]
    found = rankbook("scores", "lap", "--max", "64.11", "--json", *book).json
    assert [name for _, name, _ in players(found)] == ["asha", "bram"]


def test_a_histogram_counts_every_entry_once(ask):
    found = ask("histogram", "--bins", 3)
    assert list(found) == [*RANKING[:-1], "bins"]
    assert found["bins"] == [
        {"low": 57, "high": 71, "count": 1},
        {"low": 71, "high": 85, "count": 0},
        {"low": 85, "high": 99, "count": 3},
    ]
    assert (found["count"], len(ask("histogram")["bins"])) == (4, 9)
    assert ask("histogram", "--window", "daily")["bins"] == []


def test_a_histogram_is_drawn_with_bars(small_book, rankbook, shell):
    words = ("histogram", "speed", "--bins", 3, "--book", small_book)
    lines = [line.split() for line in rankbook(*words).stdout.splitlines()]
    assert lines[3:6] == [
        ["57", "71", "1", "█" * 13],
        ["71", "85", "0"],
        ["85", "99", "3", "█" * 40],
    ]
    ascii = shell(*words, env={"PYTHONIOENCODING": "ascii"})
    assert (ascii.code, "#" * 40 in ascii.stdout) == (0, True)
    empty = rankbook("histogram", "speed", "--window", "daily", "--book", small_book)
    assert (empty.code, "0 entries" in empty.stdout) == (0, True)


def test_a_players_rank_comes_with_score_count_and_percentile(small_book, rankbook, ask):
    found = ask("rank", "chidi")
    assert list(found) == [*RANKING[:-1], "player", "rank", "percentile", "entry", "score"]
    assert [found[name] for name in ("count", "player", "rank", "score")] == [4, "chidi", 2, 90]
    assert found["percentile"] == pytest.approx(200 / 3)
    shown = rankbook("rank", "speed", "chidi", "--book", small_book).stdout.splitlines()
    assert shown[-1].split()[-4:] == ["2", "4", "90", "66.67"]


def test_a_rank_without_an_entry_is_no_error(small_book, rankbook, ask):
    found = ask("rank", "hugo")
    assert [found[name] for name in ("count", "rank", "score", "percentile")] == [4, *[None] * 3]
    answer = rankbook("rank", "speed", "hugo", "--book", small_book)
    assert (answer.code, answer.line) == (0, "hugo has no entry in this ranking")
    assert answer.stdout.splitlines()[-1].split()[-4:] == ["-", "4", "-", "-"]


def test_a_place_is_that_in_the_order_whoever_shares_a_rank(small_book, rankbook, ask):
    assert [players(ask("at", place)) for place in (1, 2, 3, 4)] == [
        [each] for each in players(ask("top"))
    ]
    assert ask("at", 5)["entries"] == []
    answer = rankbook("at", "speed", 1_000_000, "--book", small_book)
    assert answer.code == 0
    assert answer.line == "there is no place 1,000,000: the ranking has 4 entries"


def test_markup_in_a_name_is_text_in_every_view(small_book, rankbook):
    values = ("wpm=150", "accuracy=100", "mode=time")
    assert rankbook("submit", "[red]eve[/]", *values, "--book", small_book).code == 0
    for words in (
        *(("page", "speed"), ("among", "speed", "[red]eve[/]"), ("scores", "speed")),
        *(("rank", "speed", "[red]eve[/]"), ("at", "speed", 1)),
        ("seasons", "speed", "--player", "[red]eve[/]"),
    ):
        assert "[red]eve[/]" in rankbook(*words, "--book", small_book).stdout
