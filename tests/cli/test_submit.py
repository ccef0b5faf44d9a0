"""Submitting one result: what it touched, retries, and refusals."""

import json

import pytest

AT = ("--at", "2024-11-27T01:00:00Z")


def submit(rankbook, book, *words, **more):
    return rankbook("submit", *words, "--json", "--book", book, **more)


def test_a_receipt_lists_every_ranking_with_scores_and_ranks_before_and_after(small_book, rankbook):
    values = ("wpm=95", "accuracy=100", "mode=words")
    receipt = submit(rankbook, small_book, "bram", *values, *AT, "--id", "b2").json
    assert (receipt["event_id"], receipt["status"]) == ("b2", "ranked")
    assert receipt["at"] == "2024-11-27T01:00:00Z"
    assert len(receipt["rankings"]) == 4
    assert receipt["rankings"][0] == {
        "board": "speed",
        "window": "all-time",
        "period": "all-time",
        "tags": {},
        "changed": True,
        "why": "better",
        "previous_score": 90,
        "score": 95,
        "previous_rank": 2,
        "rank": 2,
    }


def test_a_retry_gets_the_same_receipt_and_other_content_is_a_conflict(small_book, rankbook):
    values = ("wpm=95", "accuracy=100", "mode=words")
    words = ("bram", *values, *AT, "--id", "b2")
    first = submit(rankbook, small_book, *words)
    assert submit(rankbook, small_book, *words).stdout == first.stdout
    other = submit(rankbook, small_book, "bram", "wpm=96", *values[1:], *AT, "--id", "b2")
    assert (other.code, other.stdout) == (4, "")
    assert other.line == "rankbook: event 'b2' is already recorded with other content"


def test_a_table_says_what_changed_and_why(small_book, rankbook):
    values = ("wpm=99", "accuracy=98", "mode=time")
    answer = rankbook("submit", "chidi", *values, *AT, "--book", small_book)
    assert answer.code == 0
    assert "yes, better" in answer.stdout
    assert "90 → 97" in answer.stdout
    slower = rankbook("submit", "chidi", "wpm=9", *values[1:], *AT, "--book", small_book)
    assert "no, not-better" in slower.stdout


def test_a_profile_is_shown_beside_the_score_it_came_with(small_book, rankbook):
    values = ("wpm=120", "accuracy=100", "mode=time")
    submit(rankbook, small_book, "dora", *values, "--profile", "name=Dora D.")
    [entry] = rankbook("top", "speed", "--limit", 1, "--json", "--book", small_book).json["entries"]
    assert (entry["player"], entry["profile"]) == ("dora", {"name": "Dora D."})


def test_an_event_may_come_as_json_on_stdin(small_book, rankbook):
    values = {"wpm": 120, "accuracy": 100, "mode": "time"}
    event = {"id": "e9", "player": "emil", "at": "2024-11-27T01:00:00Z", "values": values}
    receipt = submit(rankbook, small_book, "-", input=json.dumps(event)).json
    assert (receipt["event_id"], receipt["player"]) == ("e9", "emil")


REFUSED = [
    (("x", "wpm=fast", "accuracy=1", "mode=time"), "wpm: is 'fast', not a number"),
    (("x", "wpm=NaN", "accuracy=1", "mode=time"), "wpm: is 'NaN', not a number"),
    (("x", "wpm=1e400", "accuracy=1", "mode=time"), "wpm: is not a finite number"),
    (("x", "accuracy=1", "mode=time"), "wpm: is missing"),
    (("", "wpm=1", "accuracy=1", "mode=time"), "player: is empty"),
    (("x", "wpm"), "values: 'wpm' is not NAME=VALUE"),
    (("x", "wpm=1", "wpm=2"), "values: 'wpm' is given twice"),
    (("x", "wpm=1", "--at", "now"), "--at: is 'now', not a time such as 2026-11-30T18:30:00Z"),
    (("x", "wpm=1", "--profile", "Asha"), "--profile: 'Asha' is not NAME=VALUE"),
    (("-", "wpm=1"), "-: the event is read from stdin; nothing else can be given"),
]


@pytest.mark.parametrize(("words", "line"), REFUSED)
def test_a_refusal_is_one_line_and_changes_nothing(small_book, rankbook, words, line):
    answer = submit(rankbook, small_book, *words)
    assert (answer.code, answer.stdout, answer.line) == (2, "", f"rankbook: {line}")
    assert rankbook("verify", "--json", "--book", small_book).json["position"] == 4


def test_bad_json_on_stdin_is_one_line(small_book, rankbook):
    for text in ('{"player":', b"\xff", '["asha"]', ""):
        answer = submit(rankbook, small_book, "-", input=text)
        assert (answer.code, answer.stdout) == (2, "")
        assert answer.line.startswith("rankbook: ")
