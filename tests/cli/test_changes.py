"""Voids, corrections, bans, profiles and forgetting: receipts, retries and refusals."""

import os
import subprocess

import pytest

from rankbook import Rankbook
from tests.cli.conftest import clean_environment, program
from tests.cli.test_reads import players

BETTER = ("wpm=100", "accuracy=100", "mode=words")


@pytest.fixture
def do(small_book, rankbook):
    """The document of a subcommand at the small book."""
    return lambda *words: rankbook(*words, "--json", "--book", small_book).json


def changes(receipt):
    """Each changed ranking's window, tags, why, scores and ranks."""
    return [
        (
            each["window"],
            each["tags"].get("mode", ""),
            each["why"],
            (each["previous_score"], each["score"]),
            (each["previous_rank"], each["rank"]),
        )
        for each in receipt["rankings"]
        if each["changed"]
    ]


def test_a_void_takes_a_result_back_and_the_next_best_counts(do):
    do("submit", "bram", *BETTER, "--id", "b2", "--at", "2024-11-28T12:00:00Z")
    receipt = do("void", "b2")
    assert (receipt["player"], receipt["status"]) == ("bram", "ranked")
    assert changes(receipt) == [
        ("all-time", "", "replaced", (100, 90), (1, 2)),
        ("all-time", "words", "replaced", (100, 90), (1, 1)),
        ("daily", "", "removed", (100, None), (1, None)),
        ("daily", "words", "removed", (100, None), (1, None)),
    ]
    assert changes(do("void", "b2")) == []


def test_an_unvoid_lets_a_result_count_again(do):
    before = do("top", "speed")["entries"]
    do("void", "b1")
    receipt = do("unvoid", "b1")
    assert {why for _, _, why, _, _ in changes(receipt)} == {"restored"}
    assert do("top", "speed")["entries"] == before
    assert changes(do("unvoid", "b1")) == []


def test_a_correction_replaces_the_values_of_a_result(do):
    receipt = do("correct", "d1", "wpm=99", "accuracy=100", "mode=words", "--profile", "name=Dora")
    assert changes(receipt)[0] == ("all-time", "", "replaced", (57, 99), (4, 1))
    [entry] = do("top", "speed", "--limit", 1)["entries"]
    assert (entry["profile"], entry["details"]["wpm"]) == ({"name": "Dora"}, 99)
    assert entry["reached_at"] == "2024-11-26T23:42:00Z"


def test_a_banned_player_is_in_no_ranking_and_an_unbanned_one_is_again(do):
    before = do("top", "speed")["entries"]
    receipt = do("ban", "bram")
    assert {why for _, _, why, _, _ in changes(receipt)} == {"removed"}
    assert [name for _, name, _ in players(do("top", "speed"))] == ["asha", "chidi", "dora"]
    during = do("submit", "bram", *BETTER)
    assert {each["why"] for each in during["rankings"]} == {"banned"}
    assert {why for _, _, why, _, _ in changes(do("unban", "bram"))} == {"restored"}
    assert do("top", "speed")["entries"] == before


def test_a_profile_shows_where_a_board_has_the_players_current_one(tmp_path, rankbook):
    assert rankbook("init", tmp_path).code == 0
    path = tmp_path / "rankbook.toml"
    path.write_text(path.read_text().replace("# profiles =", "profiles ="))
    book = ("--book", tmp_path)
    assert rankbook("submit", "asha", "points=7", *book).code == 0
    answer = rankbook("profile", "asha", "name=Asha Rao", "avatar=🦊", *book)
    assert (answer.code, answer.stderr) == (0, "")
    [entry] = rankbook("top", "points", "--json", *book).json["entries"]
    assert entry["profile"] == {"name": "Asha Rao", "avatar": "🦊"}


def test_a_profile_that_no_board_shows_is_recorded_and_that_is_said(small_book, rankbook):
    answer = rankbook("profile", "asha", "name=A.", "--book", small_book)
    assert answer.code == 0
    assert answer.line.startswith('no board of this book has profiles = "player"')


def test_a_forgotten_player_is_gone_from_rankings_and_log(small_book, do):
    receipt = do("forget", "asha", "--yes")
    assert {why for _, _, why, _, _ in changes(receipt)} == {"removed"}
    assert do("player", "asha")["rankings"] == []
    assert b"Asha Rao" not in b"".join(path.read_bytes() for path in small_book.glob("log.sqlite*"))


def test_forgetting_needs_a_yes_where_nobody_can_be_asked(small_book, rankbook, do):
    answer = rankbook("forget", "asha", "--book", small_book)
    assert (answer.code, answer.stdout) == (2, "")
    assert answer.line.startswith("rankbook: --yes: is needed")
    assert do("top", "speed")["count"] == 4


@pytest.mark.parametrize(("typed", "code", "left"), [("yes\n", 0, 3), ("n\n", 2, 4), ("\n", 2, 4)])
def test_forgetting_asks_on_a_terminal(small_book, do, typed, code, left):
    terminal, its_end = os.openpty()
    child = subprocess.Popen(
        program("forget", "asha", "--book", small_book),
        env=clean_environment(),
        stdin=its_end,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    os.close(its_end)
    os.write(terminal, typed.encode())
    _stdout, stderr = child.communicate()
    os.close(terminal)
    assert stderr.startswith("Forget asha? ")
    assert (child.returncode, do("top", "speed")["count"]) == (code, left)
    assert ("nothing was changed" in stderr) == (code == 2)


CHANGES = [
    ("void", "d1"),
    ("unvoid", "d1"),
    ("correct", "d1", "wpm=70", "accuracy=100", "mode=time"),
    *(("ban", "dora"), ("unban", "dora"), ("profile", "dora", "name=D.")),
]


@pytest.mark.parametrize("words", CHANGES)
def test_a_retry_with_the_same_id_gets_the_same_receipt(small_book, do, words):
    first = do(*words, "--id", "once")
    assert do(*words, "--id", "once") == first
    with Rankbook.open(small_book) as book:
        assert book.verify().position == 5


def test_an_id_of_another_event_is_a_conflict(small_book, rankbook):
    for words in (*CHANGES, ("forget", "dora", "--yes")):
        answer = rankbook(*words, "--id", "a1", "--book", small_book)
        assert (answer.code, answer.stdout) == (4, "")
        assert answer.line == "rankbook: event 'a1' is already recorded with other content"


@pytest.mark.parametrize("words", [*CHANGES, ("forget", "dora", "--yes")])
def test_a_receipt_is_a_table_of_what_changed(small_book, rankbook, words):
    answer = rankbook(*words, "--id", "e1", "--book", small_book)
    assert answer.code == 0
    lines = answer.stdout.splitlines()
    assert lines[0].strip().startswith("dora · ranked · e1")
    assert lines[1].split() == ["ranking", "changed", "score", "rank"]
    assert lines[-1].strip().endswith("rankings changed")
    assert "no, " not in answer.stdout


REFUSED = [
    (("void", "nothing"), "target: is 'nothing', which is no recorded result"),
    (("unvoid", "nothing"), "target: is 'nothing', which is no recorded result"),
    (("correct", "nothing", "wpm=1"), "target: is 'nothing', which is no recorded result"),
    (("correct", "d1", "wpm=1"), "mode: is missing"),
    (("correct", "d1", "wpm=fast", "accuracy=1", "mode=time"), "wpm: is 'fast', not a number"),
    (("correct", "d1", "wpm"), "values: 'wpm' is not NAME=VALUE"),
    (("ban", ""), "player: is empty"),
    (("unban", "x" * 257), "player: has 257 characters"),
    (("profile", "dora", "name"), "profile: 'name' is not NAME=VALUE"),
    (("profile", "dora", "name=" + "x" * 257), "profile.name: has 257 characters"),
    (("forget", "", "--yes"), "player: is empty"),
]


@pytest.mark.parametrize(("words", "line"), REFUSED)
def test_a_refusal_is_one_line_and_changes_nothing(small_book, rankbook, do, words, line):
    answer = rankbook(*words, "--book", small_book)
    assert (answer.code, answer.stdout) == (2, "")
    assert answer.line.startswith(f"rankbook: {line}")
    assert do("verify")["position"] == 4
