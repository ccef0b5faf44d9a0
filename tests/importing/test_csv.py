"""Plain CSV: which columns mean what, and ids for lines that have none."""

import io
from datetime import UTC, datetime

import pytest

from rankbook.importing import FORMATS, Row, Source
from tests.importing.files import counts, places

AT = "2026-11-30T18:30:00Z"


def events(text, player=None, texts=()):
    source = Source(io.StringIO(text, newline=""), "file", player, frozenset(texts))
    return [item.event for item in FORMATS["csv"].read(source) if isinstance(item, Row)]


def test_own_columns_profile_columns_and_values_are_told_apart():
    header = "player,at,id,sequence,profile.name,wpm,mode,note"
    [event] = events(f"{header}\nasha,{AT},e1,7,Asha Rao,99.5,time,\n")
    assert (event.player, event.id, event.sequence) == ("asha", "e1", 7)
    assert event.at == datetime(2026, 11, 30, 18, 30, tzinfo=UTC)
    assert event.profile == {"name": "Asha Rao"}
    assert event.values == {"wpm": 99.5, "mode": "time"}


def test_a_cell_that_is_no_plain_number_stays_text_as_does_a_value_the_book_calls_text():
    [event] = events(f"player,at,a,b,c,d,e\nx,{AT},007,12,1e3,+5,0x1F\n", texts=["b"])
    assert event.values == {"a": "007", "b": "12", "c": 1000.0, "d": "+5", "e": "0x1F"}


def test_a_file_without_players_is_of_the_player_who_is_given():
    assert [event.player for event in events(f"at,wpm\n{AT},1\n", player="asha")] == ["asha"]


def test_the_player_of_a_line_goes_before_the_one_who_is_given():
    [event] = events(f"player,at,wpm\nbram,{AT},1\n", player="asha")
    assert event.player == "bram"


def test_the_columns_that_must_be_there_are_named_when_they_are_not(imported):
    assert [place[:2] for place in places(imported("wpm\n1\n", "csv"))] == [
        (1, "player"),
        (1, "at"),
    ]
    assert [place[:2] for place in places(imported("wpm\n1\n", "csv", "asha"))] == [(1, "at")]


@pytest.mark.parametrize(
    ("header", "column", "reason"),
    [
        ("player,at,wpm,wpm", "wpm", "is in the header twice"),
        ("player,at,,wpm", "column 3", "has no name in the header"),
    ],
)
def test_a_header_that_is_ambiguous_is_refused(imported, header, column, reason):
    assert places(imported(header + "\n", "csv")) == [(1, column, reason)]


HEADER = "player,at,sequence,wpm,accuracy,mode"
BAD = [
    (f",{AT},,1,2,time", "player", "is empty"),
    (f"{'x' * 10_000},{AT},,1,2,time", "player", "has 10000 characters; there may be 256"),
    (f'"a\nb",{AT},,1,2,time', "player", "has a control character in it"),
    ("x,99999-01-01T00:00:00Z,,1,2,time", "at", "is '99999-01-01T00:00:00Z', not a time such as"),
    ("x,2026-11-30,,1,2,time", "at", "is '2026-11-30', not a time such as"),
    ("x,2026-11-30T18:30:00,,1,2,time", "at", "has no zone"),
    ("x,,,1,2,time", "at", "is '', not a time"),
    (f"x,{AT},first,1,2,time", "sequence", "is 'first', not an integer"),
    (f"x,{AT},1.5,1,2,time", "sequence", "is '1.5', not an integer"),
    (f"x,{AT},,,2,time", "wpm", "is missing"),
    (f"x,{AT},,NaN,2,time", "wpm", "is 'NaN', not a number"),
    (f"x,{AT},,1e400,2,time", "wpm", "is not a finite number"),
    (f"x,{AT},,1,140,time", "accuracy", "is 140, more than 100"),
    (f"x,{AT},,1,2,zen", "mode", "is 'zen'; there are: time, words"),
    (f"x,{AT},,1,2,", "mode", "is missing"),
]


@pytest.mark.parametrize(("line", "column", "reason"), BAD)
def test_a_bad_line_is_named_with_its_column_and_the_good_one_is_recorded(
    imported, line, column, reason
):
    summary = imported(f"{HEADER}\n{line}\ny,{AT},,1,2,time\n", "csv")
    assert counts(summary) == (1, 0, 1)
    [(number, where, why)] = places(summary)
    assert (number, where) == (2, column)
    assert reason in why


def test_lines_without_an_id_are_known_again_and_equal_lines_are_counted(imported):
    line = f"x,{AT},,90,100,time\n"
    text = f"{HEADER}\n{line}{line}"
    assert counts(imported(text, "csv")) == (2, 0, 0)
    assert counts(imported(text, "csv")) == (0, 2, 0)
    assert counts(imported(text + line, "csv")) == (1, 2, 0)


def test_an_id_made_of_content_differs_with_each_part_of_it():
    header = "player,at,sequence,profile.name,wpm\n"
    lines = [
        f"x,{AT},,,1\n",
        f"y,{AT},,,1\n",
        "x,2026-11-30T18:30:01Z,,,1\n",
        f"x,{AT},1,,1\n",
        f"x,{AT},,X,1\n",
        f"x,{AT},,,2\n",
    ]
    ids = {event.id for event in events(header + "".join(lines))}
    assert len(ids) == len(lines)


def test_the_same_instant_in_another_zone_is_the_same_content():
    one, other = events(f"player,at,wpm\nx,{AT},1\nx,2026-12-01T00:00:00+05:30,1\n")
    assert other.id == one.id + "-2"
