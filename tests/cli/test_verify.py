"""`rankbook verify`: agreement, disagreement, and its exit code."""

import sqlite3

import msgspec
import pytest

from rankbook import Disagreement, Rankbook, Verification


def test_agreement_is_a_line_and_exit_0(small_book, rankbook):
    answer = rankbook("verify", "--book", small_book)
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.stdout == (
        "The rankings agree with the log: 6 rankings, 16 entries, log position 4.\n"
    )


def test_the_report_is_a_document(small_book, rankbook):
    assert rankbook("verify", "--json", "--book", small_book).json == {
        "agrees": True,
        "position": 4,
        "pending": 0,
        "rankings": 6,
        "entries": 16,
        "disagreements": [],
        "faults": [],
        "set_aside": 0,
    }


def test_what_is_pending_is_said(small_book, rankbook, monkeypatch):
    with Rankbook.open(small_book) as book:
        found = book.verify()
    behind = msgspec.structs.replace(found, pending=1234)
    with monkeypatch.context() as patch:
        patch.setattr(Rankbook, "verify", lambda self, **_keywords: behind)
        answer = rankbook("verify", "--book", small_book)
    assert answer.code == 0
    assert answer.stdout.splitlines()[1:] == [
        "Recorded and not ranked yet: 1,234; rankbook fold ranks them."
    ]


@pytest.fixture
def disagreeing(monkeypatch):
    """A verification that finds something, whatever the book."""
    wrong = Disagreement(
        ranking="speed", player="[b]eve\x1b", index="order", kind="extra", expected=None, found=98
    )
    found = Verification(
        agrees=False,
        position=4,
        pending=0,
        rankings=6,
        entries=16,
        disagreements=(wrong,) * 60,
        faults=("a page is torn",),
    )
    with monkeypatch.context() as patch:
        patch.setattr(Rankbook, "verify", lambda self, **_keywords: found)
        yield


@pytest.mark.usefixtures("disagreeing")
def test_disagreement_is_a_table_and_exit_1(tmp_path, rankbook):
    rankbook("init", tmp_path)
    answer = rankbook("verify", "--book", tmp_path)
    assert answer.code == 1
    assert "DISAGREE" in answer.stdout
    assert "50 of 60" in answer.stdout
    assert "fault: a page is torn" in answer.stdout
    assert "[b]eve\ufffd" in answer.stdout


@pytest.mark.usefixtures("disagreeing")
def test_disagreement_as_a_document_exits_1_too(tmp_path, rankbook):
    rankbook("init", tmp_path)
    answer = rankbook("verify", "--json", "--book", tmp_path)
    assert answer.code == 1
    assert len(answer.json["disagreements"]) == 60


def test_the_log_alone_is_verified_and_damage_in_it_is_listed(small_book, rankbook):
    verified = rankbook("verify", "--log", "--book", small_book)
    assert verified.code == 0
    assert verified.stdout == "The log is sound: 4 events, log position 4.\n"
    with sqlite3.connect(small_book / "log.sqlite") as connection:
        connection.execute("UPDATE rankbook_event SET player = 'nobody' WHERE seq = 2")
        connection.execute("DELETE FROM rankbook_event WHERE seq = 3")
    connection.close()
    damaged = rankbook("verify", "--log", "--book", small_book)
    assert damaged.code == 1
    assert damaged.stdout.splitlines() == [
        "The log is DAMAGED: 3 events, log position 4.",
        "fault: the log: position 3 is missing",
        "set aside: b1 at log position 2, its checksum does not match",
    ]
    said = rankbook("verify", "--log", "--json", "--book", small_book).json
    assert (said["sound"], said["events"], said["set_aside"]) == (False, 3, 1)
    assert rankbook("repair", "--book", small_book).code == 0
