"""Tables: names are data, numbers stand under each other, and narrow terminals are served."""

import json

import pytest

from rankbook.cli.screen.cells import aligned

HOSTILE = [
    "[bold red]x[/]",
    "[link=http://example.com]x[/link]",
    ":smile: 1_000",
    "[/closing]",
    "x" * 256,
    "雪のなかの人",
]


def add(rankbook, book, name, player="eve"):
    event = {
        "player": player,
        "values": {"wpm": 150, "accuracy": 100, "mode": "time"},
        "profile": {"name": name},
    }
    answer = rankbook("submit", "-", "--book", book, input=json.dumps(event))
    assert answer.code == 0
    return answer


@pytest.mark.parametrize("name", HOSTILE)
def test_markup_in_a_name_is_text(small_book, rankbook, name):
    for words in (("top", "speed"), ("player", "eve"), ("bundle", "home")):
        add(rankbook, small_book, name)
        shown = rankbook(*words, "--book", small_book).stdout
        assert name[:20] in shown


def test_markup_in_a_players_id_is_text(small_book, rankbook):
    receipt = add(rankbook, small_book, "", player="[red]eve[/]")
    assert "[red]eve[/]" in receipt.stdout
    assert "[red]eve[/]" in rankbook("around", "speed", "[red]eve[/]", "--book", small_book).stdout


def test_a_name_that_turns_the_direction_of_text_is_disarmed(small_book, rankbook):
    add(rankbook, small_book, "x\u202egnp.exe")
    shown = rankbook("top", "speed", "--book", small_book).stdout
    assert "\u202e" not in shown
    assert "x\ufffdgnp.exe" in shown


def test_an_argument_echoed_in_an_error_is_disarmed(small_book, rankbook):
    answer = rankbook("top", "x\x1b[2J\nspeed", "--book", small_book)
    assert answer.code == 3
    assert "\x1b" not in answer.line


def test_the_name_stands_beside_the_id_only_where_they_differ(small_book, rankbook):
    shown = rankbook("top", "speed", "--book", small_book).stdout
    assert "Asha Rao (asha)" in shown
    assert "bram (bram)" not in shown


def test_a_table_has_a_title_aligned_numbers_and_a_count(small_book, rankbook):
    shown = rankbook("top", "speed", *DAY, "--book", small_book).stdout
    lines = [line.rstrip() for line in shown.splitlines()]
    assert lines[0] == "speed · daily · 2024-11-27 (+05:30) · overall"
    assert lines[3:] == [
        "1   Asha Rao (asha)      98   100         98      time    2024-11-26 23:36:16",
        "2   bram                 90    90        100      words   2024-11-26 23:40:00",
        "2   chidi                90    91.25      98.63   time    2024-11-26 23:41:00",
        "4   dora                 57    60.5       95      words   2024-11-26 23:42:00",
        "4 of 4",
    ]


DAY = ("--window", "daily", "--period", "2024-11-27")


def test_a_narrow_terminal_gets_ranks_players_and_scores(small_book, rankbook):
    add(rankbook, small_book, "a name that is much too long for this")
    shown = rankbook("top", "speed", "--book", small_book, COLUMNS="30").stdout
    assert max(len(line) for line in shown.splitlines()) <= 30
    assert "…" in shown
    assert "150" in shown
    assert "reached" not in shown


def test_details_are_left_out_from_the_right_where_there_is_no_room(small_book, rankbook):
    for columns, last in ((120, "reached (UTC)"), (60, "mode"), (45, "wpm"), (35, "score")):
        shown = rankbook("top", "speed", "--book", small_book, COLUMNS=str(columns)).stdout
        assert shown.splitlines()[1].rstrip().endswith(last)
        assert max(len(line) for line in shown.splitlines()) <= columns


def test_an_empty_ranking_says_so(typing_book, rankbook):
    assert "0 of 0" in rankbook("top", "speed", "--book", typing_book).stdout


def test_output_is_plain_without_a_terminal(small_book, shell):
    for words in (("top", "speed"), ("bundle", "home"), ("verify",)):
        answer = shell(*words, "--book", small_book)
        assert (answer.code, answer.stderr) == (0, "")
        assert "\x1b" not in answer.stdout


def test_a_narrow_encoding_shows_names_escaped(small_book, rankbook, shell):
    add(rankbook, small_book, "Zoë 雪")
    answer = shell("top", "speed", "--book", small_book, env={"PYTHONIOENCODING": "ascii"})
    assert answer.code == 0
    assert "Zo\\xeb \\u96ea" in answer.stdout
    found = shell("top", "speed", "--json", "--book", small_book, env={"PYTHONIOENCODING": "ascii"})
    assert found.json["entries"][0]["profile"] == {"name": "Zoë 雪"}


def test_numbers_stand_point_under_point():
    assert aligned(["1", "22.25", "3.5"]) == [" 1   ", "22.25", " 3.5 "]
