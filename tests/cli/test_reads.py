"""Reading: documents in the shapes that are promised, and the options that choose a ranking."""

import json
import re

import pytest

ENTRY = ["rank", "player", "score", "measures", "details", "profile", "event_id", "reached_at"]
RANKING = ["board", "window", "period", "tags", "count", "entries"]
DAY = ("--window", "daily", "--period", "2024-11-27")


def players(document):
    return [(entry["rank"], entry["player"], entry["score"]) for entry in document["entries"]]


def test_top_has_the_keys_of_a_ranking_and_of_an_entry_in_their_order(small_book, rankbook):
    found = rankbook("top", "speed", "--json", "--book", small_book).json
    assert list(found) == RANKING
    assert list(found["period"]) == ["id", "start", "end", "zone", "sealed"]
    assert list(found["entries"][0]) == ENTRY
    assert found["count"] == 4
    assert players(found) == [(1, "asha", 98), (2, "bram", 90), (2, "chidi", 90), (4, "dora", 57)]


def test_the_words_of_an_entry_are_those_of_one_result(small_book, rankbook):
    found = rankbook("top", "speed", "--json", "--limit", 1, "--book", small_book).json
    assert found["entries"] == [
        {
            "rank": 1,
            "player": "asha",
            "score": 98,
            "measures": {"score": 98},
            "details": {"wpm": 100, "accuracy": 98, "mode": "time"},
            "profile": {"name": "Asha Rao"},
            "event_id": "a1",
            "reached_at": "2024-11-26T23:36:16Z",
        }
    ]


@pytest.mark.parametrize("before", [True, False])
def test_the_book_may_be_given_before_or_after_the_subcommand(small_book, rankbook, before):
    book, words = ("--book", small_book), ("top", "speed", "--json")
    answer = rankbook(*book, *words) if before else rankbook(*words, *book)
    assert answer.json["count"] == 4


def test_the_book_may_come_from_the_environment_and_a_given_one_goes_before_it(
    small_book, rankbook, tmp_path
):
    assert rankbook("top", "speed", "--json", RANKBOOK_BOOK=str(small_book)).json["count"] == 4
    elsewhere = str(tmp_path / "nowhere")
    words = ("top", "speed", "--json", "--book", small_book)
    assert rankbook(*words, RANKBOOK_BOOK=elsewhere).json["count"] == 4
    assert rankbook("--book", elsewhere, *words).json["count"] == 4


def test_the_book_is_the_current_directory_when_nothing_says_otherwise(small_book, shell):
    assert shell("top", "speed", "--json", cwd=small_book).json["count"] == 4


def test_tags_windows_and_periods_choose_a_ranking(small_book, rankbook):
    def top(*options):
        return rankbook("top", "speed", *options, "--json", "--book", small_book).json

    assert players(top("--tag", "mode=words")) == [(1, "bram", 90), (2, "dora", 57)]
    assert players(top(*DAY, "--tag", "mode=time")) == [(1, "asha", 98), (2, "chidi", 90)]
    assert players(top("--window", "daily", "--period", "2024-11-26")) == []
    assert players(top("--window", "daily")) == []
    assert players(top("--limit", "2")) == [(1, "asha", 98), (2, "bram", 90)]


def test_around_is_a_full_window_with_the_player_in_it(small_book, rankbook):
    words = ("around", "speed", "chidi", "--limit", 3, "--json", "--book", small_book)
    found = rankbook(*words).json
    assert players(found) == [(2, "bram", 90), (2, "chidi", 90), (4, "dora", 57)]


def test_a_player_without_an_entry_is_no_error(small_book, rankbook):
    around = rankbook("around", "speed", "hugo", "--json", "--book", small_book)
    assert (around.code, around.json["count"], around.json["entries"]) == (0, 4, [])
    player = rankbook("player", "hugo", "--json", "--book", small_book)
    assert player.json == {"player": "hugo", "rankings": []}
    said = rankbook("player", "hugo", "--book", small_book)
    assert (said.code, said.line) == (0, "hugo has no entry in a current ranking")
    said = rankbook("around", "speed", "hugo", "--book", small_book)
    assert (said.code, said.line) == (0, "hugo has no entry in this ranking")


def test_a_player_is_shown_in_every_current_ranking(small_book, rankbook):
    found = rankbook("player", "chidi", "--json", "--book", small_book).json
    assert found["player"] == "chidi"
    assert [(each["window"], each["tags"]) for each in found["rankings"]] == [
        ("all-time", {}),
        ("all-time", {"mode": "time"}),
    ]
    assert [list(each) for each in found["rankings"]] == [RANKING, RANKING]
    assert [players(each) for each in found["rankings"]] == [[(2, "chidi", 90)]] * 2


def test_a_bundle_holds_its_rankings_in_their_order(small_book, rankbook):
    found = rankbook("bundle", "home", "--json", "--book", small_book).json
    assert (found["name"], len(found["rankings"])) == ("home", 6)
    assert [each["count"] for each in found["rankings"]] == [4, 2, 2, 0, 0, 0]


def test_boards_says_what_is_ranked(small_book, rankbook):
    found = rankbook("boards", "--json", "--book", small_book).json
    [board] = found["boards"]
    assert board["measures"]["score"]["value"] == "round(wpm * (accuracy / 100))"
    assert board["splits"] == [[], ["mode"]]
    assert found["bundles"][0]["rankings"][1] == {
        "board": "speed",
        "window": "all-time",
        "tags": {"mode": "time"},
    }
    shown = rankbook("boards", "--book", small_book).stdout
    assert "score desc" in shown
    assert "home" in shown
    assert "more of the boards" not in shown


def test_boards_shows_the_other_keys_that_are_set(tmp_path, rankbook):
    (tmp_path / "rankbook.toml").write_text("""
        [book]
        name = "cup"
        [[board]]
        name = "drivers"
        measures = { points = "points" }
        order_by = ["points desc"]
        keep = "total"
        best_of = 5
        windows = ["season", "daily"]
        seasons = [{ name = "spring", start = 2026-03-01, end = 2026-06-01 }]
        seal = true
        keep_periods = { daily = 30 }
    """)
    shown = rankbook("boards", "--book", tmp_path).stdout
    rows = [line.split(maxsplit=2)[1:] for line in shown.splitlines() if "drivers " in line][1:]
    assert [(key, value.strip()) for key, value in rows] == [
        ("best_of", "5"),
        ("seasons", "spring (2026-03-01 to 2026-06-01)"),
        ("seal", "yes"),
        ("keep_periods", "daily 30"),
    ]
    [board] = rankbook("boards", "--json", "--book", tmp_path).json["boards"]
    assert board["seasons"] == [{"name": "spring", "start": "2026-03-01", "end": "2026-06-01"}]


def test_a_document_is_all_there_is_on_stdout(small_book, rankbook):
    for words in (("top", "speed"), ("bundle", "home"), ("player", "asha"), ("verify",)):
        answer = rankbook(*words, "--json", "--book", small_book)
        json.loads(answer.stdout)
        assert answer.stderr == ""


def test_numbers_in_documents_are_exact(tmp_path, rankbook):
    (tmp_path / "rankbook.toml").write_text("""
        [book]
        name = "exact"
        [[board]]
        name = "lap"
        measures = { seconds = { value = "seconds", type = "decimal(2)" }, points = "points" }
        order_by = ["seconds asc", "points desc"]
    """)
    values = ("seconds=64.10", "points=9007199254740993")
    rankbook("submit", "asha", *values, "--book", tmp_path)
    answer = rankbook("top", "lap", "--json", "--book", tmp_path)
    assert re.search(r'"score": 64\.10\b', answer.stdout)
    assert '"points": 9007199254740993' in answer.stdout
