"""`rankbook fold --follow` and `rankbook outcome`, and what doctor and verify say of lag."""

import json
import signal
import sqlite3
import subprocess

import pytest

from rankbook import Event, Rankbook
from tests.cli.conftest import clean_environment, program

VALUES = {"wpm": 120, "accuracy": 100, "mode": "time"}


def follower(directory, *words):
    return subprocess.Popen(
        program("fold", "--follow", "--json", *words, "--book", directory),
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_a_follower_ranks_what_others_record_and_ends_cleanly_on_a_signal(small_book, ending):
    child = follower(small_book)
    first = json.loads(child.stdout.readline())
    assert first == {"ranked": 0, "position": 4, "pending": 0, "lag_seconds": 0.0}
    with Rankbook.open(small_book) as book:
        book.record([Event(player="emil", values=VALUES, id="e1")])
        assert json.loads(child.stdout.readline())["ranked"] == 1
        assert book.outcome("e1").status == "ranked"
    child.send_signal(ending)
    rest, errors = child.communicate()
    assert (child.returncode, rest, errors) == (0, b"", b"")


def test_following_for_some_seconds_prints_the_lag_and_ends(small_book, rankbook):
    with Rankbook.open(small_book) as book:
        book.record([Event(player=f"p{n}", values=VALUES) for n in range(3)])
    answer = rankbook("fold", "--follow", "--seconds", "0.01", "--book", small_book)
    assert (answer.code, answer.stderr) == (0, "")
    shown = "3 ranked; 0 pending, lag 0.0 s; the rankings are at log position 7"
    assert answer.stdout.splitlines()[-1] == shown


def test_seconds_are_for_following(small_book, rankbook):
    answer = rankbook("fold", "--seconds", 3, "--book", small_book)
    assert (answer.code, answer.line) == (2, "rankbook: --seconds: is for --follow")


def test_signals_do_what_they_did_before_when_following_is_over(small_book, rankbook):
    before = [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)]
    rankbook("fold", "--follow", "--seconds", 0, "--book", small_book)
    assert [signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)] == before


def test_outcome_says_what_has_become_of_an_event_and_ranks_nothing(small_book, rankbook):
    def ask(id, *words):
        return rankbook("outcome", id, *words, "--book", small_book)

    with Rankbook.open(small_book) as book:
        book.record([Event(player="emil", values=VALUES, id="e1")])
    assert ask("nobody").stdout == "nobody: unknown\n"
    assert ask("nobody", "--json").json == {"status": "unknown", "receipt": None, "reason": ""}
    assert ask("e1").stdout == "e1: recorded\n"
    assert ask("e1").stdout == "e1: recorded\n"
    ranked = ask("a1")
    assert ranked.stdout.startswith("a1: ranked\nasha · ranked · a1 ")
    found = ask("a1", "--json").json
    assert (found["status"], found["receipt"]["event_id"]) == ("ranked", "a1")
    assert len(found["receipt"]["rankings"]) == 4


def test_doctor_and_verify_count_what_was_set_aside(small_book, rankbook):
    with Rankbook.open(small_book) as book:
        book.record([Event(player="emil", values=VALUES, id="e1")])
        with sqlite3.connect(small_book / "log.sqlite") as connection:
            connection.execute("UPDATE rankbook_event SET body = x'00' WHERE id = 'e1'")
        connection.close()
    assert rankbook("doctor", "--json", "--book", small_book).json["pending"] == 1
    verified = rankbook("verify", "--book", small_book)
    assert verified.code == 0
    assert "Set aside, as they cannot be read: 1; rankbook doctor lists them." in verified.stdout
    examined = rankbook("doctor", "--book", small_book)
    assert examined.code == 0
    assert "set aside: e1 at log position 5, its checksum does not match" in examined.stdout
    found = rankbook("doctor", "--json", "--book", small_book).json
    assert (found["pending"], found["lag_seconds"], found["set_aside"]) == (0, 0.0, 1)
    shown = rankbook("outcome", "e1", "--book", small_book).stdout
    assert shown == "e1: set aside, its checksum does not match\n"
