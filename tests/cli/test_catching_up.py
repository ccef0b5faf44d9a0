"""What is recorded and not ranked: opening, `fold`, `rebuild`, and the bar shown meanwhile."""

import json
import os
import subprocess

import pytest

from rankbook import Event, Rankbook, RebuildNeeded
from tests.cli.conftest import clean_environment, program
from tests.cli.test_import import read

VALUES = {"wpm": 120, "accuracy": 100, "mode": "time"}


@pytest.fixture
def behind(small_book):
    """A book with 1,500 results that are recorded and not ranked."""
    with Rankbook.open(small_book) as book:
        book.record([Event(player=f"p{i}", values=VALUES) for i in range(1500)])
    return small_book


def pending(directory):
    with Rankbook.open(directory, catch_up=False) as book:
        return book.pending()


@pytest.mark.parametrize("words", [("top", "speed"), ("boards",), ("verify",), ("ban", "p1")])
def test_opening_ranks_what_is_pending_first(behind, rankbook, words):
    answer = rankbook(*words, "--book", behind)
    assert (answer.code, answer.stderr) == (0, "")
    assert pending(behind) == 0


def test_a_bar_is_shown_on_a_terminal_while_the_book_catches_up(behind):
    terminal, its_end = os.openpty()
    child = subprocess.Popen(
        program("top", "speed", "--json", "--book", behind),
        env={**clean_environment(), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=its_end,
    )
    os.close(its_end)
    shown = b"".join(iter(lambda: read(terminal), b""))
    os.close(terminal)
    stdout, _ = child.communicate()
    assert (child.returncode, json.loads(stdout)["count"]) == (0, 1504)
    assert b"ranking what is pending" in shown
    assert b"1,500 / 1,500" in shown


def test_an_import_ranks_everything_once_at_its_end(behind, rankbook, tmp_path, monkeypatch):
    path = tmp_path / "one.csv"
    path.write_text("player,at,wpm,accuracy,mode\nemil,2024-11-27T00:00:00Z,90,100,time\n")

    def never(self, **_keywords):
        raise AssertionError("an import does not catch up first")

    with monkeypatch.context() as patch:
        patch.setattr(Rankbook, "catch_up", never)
        answer = rankbook("import", path, "--format", "csv", "--book", behind)
    assert (answer.code, answer.stdout) == (0, "1 recorded\n")
    assert pending(behind) == 0


def test_doctor_looks_and_ranks_nothing(behind, rankbook):
    found = rankbook("doctor", "--json", "--book", behind).json
    assert (found["pending"], found["faults"]) == (1500, [])
    assert pending(behind) == 1500


def test_fold_says_how_much_it_ranked(behind, rankbook):
    answer = rankbook("fold", "--book", behind)
    assert answer.stdout == "1,500 ranked; the rankings are at log position 1,504\n"
    again = rankbook("fold", "--book", behind)
    assert again.stdout == "nothing was pending; the rankings are at log position 1,504\n"
    assert rankbook("fold", "--json", "--book", behind).json == {"ranked": 0, "position": 1504}


@pytest.fixture
def changed(small_book):
    """A book whose days begin elsewhere than when its rankings were made."""
    path = small_book / "rankbook.toml"
    path.write_text(path.read_text().replace('zone = "+05:30"', 'zone = "UTC"'))
    with pytest.raises(RebuildNeeded):
        Rankbook.open(small_book)
    return small_book


def test_rebuild_makes_the_rankings_anew_under_the_specification_of_now(changed, rankbook):
    answer = rankbook("rebuild", "--book", changed)
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout == "The rankings are made anew; they are at log position 4.\n"
    words = ("--window", "daily", "--period", "2024-11-26", "--json", "--book", changed)
    assert rankbook("top", "speed", *words).json["count"] == 4
    assert rankbook("rebuild", "--json", "--book", changed).json == {"position": 4}
    assert rankbook("verify", "--book", changed).code == 0


def test_a_rebuild_goes_on_while_the_book_is_open(small_book, rankbook, shell):
    with Rankbook.open(small_book) as book:
        answer = shell("rebuild", "--json", "--book", small_book)
        assert (answer.code, answer.json) == (0, {"position": 4})
        assert book.ranking("speed").count() == 4
        assert book.verify().agrees
    assert rankbook("repair", "--book", small_book).code == 0


def test_rebuild_fills_another_store_while_the_one_there_is_goes_on(
    small_book, rankbook, redis_uri
):
    for uri in (redis_uri, "embedded:moved"):
        with Rankbook.open(small_book) as book:
            answer = rankbook("rebuild", "--store", uri, "--json", "--book", small_book)
            assert (answer.code, answer.json) == (0, {"position": 4})
            assert book.ranking("speed").count() == 4
            path = small_book / "rankbook.toml"
            before = path.read_text()
        path.write_text(before.replace('store = "embedded:"', f'store = "{uri}"'))
        assert rankbook("verify", "--book", small_book).code == 0
        assert rankbook("doctor", "--json", "--book", small_book).json["store_position"] == 4
        path.write_text(before)
    answer = rankbook("rebuild", "--store", redis_uri, "--board", "speed", "--book", small_book)
    assert (answer.code, "without --board" in answer.stderr) == (2, True)


def test_a_rebuild_without_a_book_is_one_line_and_makes_none(tmp_path, rankbook):
    for place in (tmp_path, tmp_path / "nowhere"):
        answer = rankbook("rebuild", "--book", place)
        assert answer.code == 5
        assert answer.line == f"rankbook: {place} is no book: it has no rankbook.toml"
    (tmp_path / "rankbook.toml").write_bytes(b"\xff")
    assert "cannot be read" in rankbook("rebuild", "--book", tmp_path).line
    (tmp_path / "rankbook.toml").unlink()
    assert list(tmp_path.iterdir()) == []


def test_a_bar_is_shown_on_a_terminal_while_rankings_are_made_anew(behind):
    terminal, its_end = os.openpty()
    child = subprocess.Popen(
        program("rebuild", "--book", behind),
        env={**clean_environment(), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=its_end,
    )
    os.close(its_end)
    shown = b"".join(iter(lambda: read(terminal), b""))
    os.close(terminal)
    child.communicate()
    assert child.returncode == 0
    assert b"rebuilding" in shown
    assert b"1,504 / 1,504" in shown
