"""Making a book."""

import re
import tomllib

import msgspec
import pytest

from rankbook import Board
from rankbook.cli.books import EXAMPLES, template
from rankbook.rules import load


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_is_a_sound_and_commented_specification(example):
    text = template(example)
    assert load(text).bundle("home").top == 10
    assert text.count("#") > 8


def test_the_typing_example_is_the_site_of_the_article():
    spec = load(template("typing"))
    board = spec.board("speed")
    assert (board.zone, board.splits) == ("+05:30", ((), ("mode",)))
    assert board.windows == ("all-time", "daily")
    home = [(each.window, dict(each.tags)) for each in spec.bundle("home").rankings]
    tags = [{}, {"mode": "time"}, {"mode": "words"}]
    assert home == [(window, each) for window in board.windows for each in tags]


COMPANIONS = {
    "best_of": {"keep": "total"},
    "latest_by": {"keep": "latest"},
    "week_start": {"windows": ["weekly"]},
    "seasons": {"windows": ["season"]},
}


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_key_in_the_comments_of_an_example_is_one_that_a_book_may_have(example):
    text = template(example)
    [board] = load(text).boards
    tables = dict.fromkeys(["board", "bundle"], ())
    kind = ""
    for line in text.splitlines():
        kind = line.strip("[] \n").split("]")[0] if line.startswith("[[") else kind
        if match := re.fullmatch(r"# (\w+ = .+?)(  +# .*|  the window .*)?", line):
            tables[kind] += (tomllib.loads(match[1]),)
    for said in tables["board"]:
        [key] = said
        given = msgspec.structs.asdict(board) | COMPANIONS.get(key, {}) | said
        assert getattr(Board(**given), key) is not None
    assert all(set(said) <= {"named_only", "max_age_seconds"} for said in tables["bundle"])
    later = {"seal", "grace_seconds", "keep_periods", "cooldown_seconds", "profiles"}
    assert later <= {key for said in tables["board"] for key in said}


def test_the_points_example_mentions_every_key_of_a_board():
    text = template("points")
    assert [f.name for f in msgspec.structs.fields(Board) if f"{f.name} = " not in text] == []


def test_a_new_book_is_ready_without_an_example(tmp_path, rankbook):
    directory = tmp_path / "deep" / "book"
    assert rankbook("init", directory).code == 0
    assert rankbook("submit", "asha", "points=7", "--book", directory).code == 0
    [entry] = rankbook("top", "points", "--json", "--book", directory).json["entries"]
    assert (entry["player"], entry["score"]) == ("asha", 7)


def test_the_directory_can_be_given_as_the_book(tmp_path, rankbook):
    for words in (("--book", tmp_path / "a", "init"), ("init", "--book", tmp_path / "b")):
        assert rankbook(*words).code == 0
    assert rankbook("init", RANKBOOK_BOOK=str(tmp_path / "c")).code == 0
    assert all((tmp_path / name / "rankbook.toml").is_file() for name in "abc")


def test_a_book_that_is_there_is_not_overwritten(tmp_path, rankbook):
    path = tmp_path / "rankbook.toml"
    path.write_text("mine")
    answer = rankbook("init", tmp_path)
    assert answer.code == 5
    assert answer.line == f"rankbook: {path} is there already; nothing was changed"
    assert path.read_text() == "mine"


def test_an_unknown_example_says_which_there_are(tmp_path, rankbook):
    answer = rankbook("init", tmp_path / "book", "--example", "chess")
    assert answer.code == 3
    assert answer.line == "rankbook: no example 'chess'; there are: points, typing"
    assert not (tmp_path / "book").exists()


def test_a_directory_that_is_a_file_is_one_line(tmp_path, rankbook):
    path = tmp_path / "file"
    path.write_text("")
    answer = rankbook("init", path)
    assert answer.code == 5
    assert answer.line == f"rankbook: {path}: File exists"


def test_a_book_whose_log_cannot_be_made_is_not_left_half_made(tmp_path, rankbook):
    (tmp_path / "log.sqlite").mkdir()
    answer = rankbook("init", tmp_path)
    assert answer.code == 5
    assert "log.sqlite" in answer.line
    assert not (tmp_path / "rankbook.toml").exists()


def test_the_version_is_told(rankbook):
    answer = rankbook("--version")
    assert (answer.code, answer.stdout.split()[0]) == (0, "rankbook")
