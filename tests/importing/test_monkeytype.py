"""The export of the typing site: what it means, and what is wrong in it, by line and column."""

import io
from datetime import UTC, datetime

import pytest

from rankbook import Event
from rankbook.importing import FORMATS, Row, Source
from tests.importing.files import GOOD_1, GOOD_2, HEADER, counts, export, places


def test_a_line_becomes_an_event_with_the_sites_id_and_the_books_names():
    source = Source(io.StringIO(export(GOOD_1), newline=""), "file", "asha")
    assert list(FORMATS["monkeytype"].read(source)) == [
        Row(
            2,
            Event(
                id="monkeytype:a1",
                player="asha",
                at=datetime(2024, 11, 26, 23, 36, 16, tzinfo=UTC),
                values={"wpm": 100.5, "accuracy": 98, "mode": "time"},
            ),
        )
    ]


BAD = [
    ("a3,,fast,98,time,,1732664176000", "wpm", "is 'fast', not a number"),
    ("a3,,,98,time,,1732664176000", "wpm", "is empty; it is a number"),
    ("a3,,NaN,98,time,,1732664176000", "wpm", "is 'NaN', not a number"),
    ("a3,,Infinity,98,time,,1732664176000", "wpm", "is 'Infinity', not a number"),
    ("a3,,1e400,98,time,,1732664176000", "wpm", "is not a finite number"),
    ("a3,,-1,98,time,,1732664176000", "wpm", "is -1, less than 0"),
    (f"a3,,{'9' * 5000},98,time,,1732664176000", "wpm", "is not a finite number"),
    ("a3,,100,140,time,,1732664176000", "acc", "is 140, more than 100"),
    ("a3,,100,high,time,,1732664176000", "acc", "is 'high', not a number"),
    ("a3,,100,98,zen,,1732664176000", "mode", "is 'zen'; there are: time, words"),
    ("a3,,100,98,,,1732664176000", "mode", "is empty"),
    (",,100,98,time,,1732664176000", "_id", "is empty"),
    (f"{'a' * 300},,100,98,time,,1732664176000", "_id", "has 311 characters; there may be 128"),
    ("a3,,100,98,time,,3093527980800000", "timestamp", "is outside the years 1 to 9999"),
    ("a3,,100,98,time,,soon", "timestamp", "is 'soon', not a number"),
    ("a3,,100,98,time,,", "timestamp", "is empty; it is a number"),
    ("a3,,100,98,time,,1732664176000.5", "timestamp", "not a whole number of milliseconds"),
    ("a3,,100,98,time", "", "the line has 5 fields; the header has 7"),
    ("a3,,100,98,time,,1732664176000,9", "", "the line has 8 fields; the header has 7"),
    ('a3,,100,98,"ti\nme",,1732664176000', "mode", "has a control character in it"),
    ("a3,,100,98,time,x\0y,1732664176000", "tags", "has a NUL byte in it"),
    ('a3,,100,98,"time"s,,1732664176000', "", "the line is not CSV"),
]


@pytest.mark.parametrize(("line", "column", "reason"), BAD)
def test_a_bad_line_is_named_with_its_column_and_the_good_ones_are_recorded(
    imported, line, column, reason
):
    summary = imported(export(GOOD_1, line, GOOD_2), "monkeytype", "asha")
    assert counts(summary) == (2, 0, 1)
    [(number, where, why)] = places(summary)
    assert (number, where) == (3, column)
    assert reason in why


def test_a_missing_column_is_named_once_and_nothing_is_recorded(imported):
    summary = imported("_id,wpm,mode,timestamp\na1,1,time,1732664176000\n", "monkeytype", "asha")
    [(number, column, reason)] = places(summary)
    assert counts(summary) == (0, 0, 1)
    assert (number, column) == (1, "acc")
    assert reason == "is missing from the header, which is '_id,wpm,mode,timestamp'"


def test_a_byte_order_mark_windows_line_ends_and_blank_lines_do_not_matter(imported):
    text = "\ufeff" + export("", GOOD_1, "   ", GOOD_2, "", end="\r\n")
    assert counts(imported(text, "monkeytype", "asha")) == (2, 0, 0)


def test_a_fault_after_blank_lines_and_windows_line_ends_has_the_files_line(imported):
    text = export("", GOOD_1, "", "a3,,x,98,time,,1732664176000", end="\r\n")
    assert places(imported(text, "monkeytype", "asha"))[0][:2] == (5, "wpm")


def test_a_line_with_invalid_utf_8_is_a_fault_of_its_column_only(imported):
    bad = b"a3,,100,98,t\xffme,,1732664176000\n"
    summary = imported(export(GOOD_1).encode() + bad + GOOD_2.encode(), "monkeytype", "asha")
    assert counts(summary) == (2, 0, 1)
    assert places(summary) == [(3, "mode", "is not valid UTF-8")]


@pytest.mark.parametrize("left", range(1, len(GOOD_2)))
def test_a_last_line_that_was_cut_off_anywhere_is_never_taken_for_a_result(imported, left):
    summary = imported(export(GOOD_1) + GOOD_2[:left], "monkeytype", "asha")
    assert counts(summary) == (1, 0, 1)
    assert places(summary)[0][0] == 3


def test_a_last_line_without_its_end_is_a_line(imported):
    text = export(GOOD_1, GOOD_2).removesuffix("\n")
    assert counts(imported(text, "monkeytype", "asha")) == (2, 0, 0)


def test_a_quote_that_is_never_closed_loses_its_own_line_only(imported):
    text = export(GOOD_1, 'a3,,100,98,time,"x,1732664176000', GOOD_2)
    summary = imported(text, "monkeytype", "asha")
    assert counts(summary) == (2, 0, 1)
    assert places(summary) == [(3, "", "a quote is opened and not closed")]


def test_two_stray_quotes_do_not_take_the_good_lines_between_them_along(imported):
    stray = 'a{},,100,98,time,"x,1732664176000'
    text = export(stray.format(3), GOOD_1, GOOD_2, stray.format(4))
    summary = imported(text, "monkeytype", "asha")
    assert counts(summary) == (2, 0, 2)
    assert [line for line, _, _ in places(summary)] == [2, 5]


def test_a_quoted_line_end_in_a_column_nobody_needs_is_harmless(imported):
    text = export('a1,,100.5,98,time,"two\nlines",1732664176000', "a2,,x,98,time,,1732664177000")
    summary = imported(text, "monkeytype", "asha")
    assert counts(summary) == (1, 0, 1)
    assert places(summary)[0][:2] == (4, "wpm")


def test_an_empty_file_and_one_of_blank_lines_have_no_header(imported):
    for text in ("", "\n\n", "\ufeff"):
        assert places(imported(text, "monkeytype", "asha")) == [
            (1, "", "the file is empty; it begins with a header")
        ]


def test_a_header_alone_is_an_import_of_nothing(imported):
    assert counts(imported(HEADER + "\n", "monkeytype", "asha")) == (0, 0, 0)


def test_a_text_in_another_encoding_is_one_fault(imported):
    summary = imported(export(GOOD_1).encode("utf-16"), "monkeytype", "asha")
    assert counts(summary) == (0, 0, 1)
    assert places(summary)[0][0] == 1


def test_a_line_of_a_hundred_thousand_characters_is_a_fault_and_is_passed_over(imported):
    for length in (99_990, 100_000, 250_000):
        text = export(f"a3,,100,98,time,{'x' * length},1732664176000", f"b{length}" + GOOD_2[2:])
        summary = imported(text, "monkeytype", "asha")
        assert counts(summary) == (1, 0, 1)
        assert places(summary) == [(2, "", "the line has 100,000 characters or more")]


@pytest.mark.parametrize("player", ["", "x" * 10_000, "a\nb", "a\0b"])
def test_a_player_that_no_book_accepts_is_a_fault_of_every_line(imported, player):
    summary = imported(export(GOOD_1, GOOD_2), "monkeytype", player)
    assert counts(summary) == (0, 0, 2)
    assert {column for _, column, _ in places(summary)} == {"--player"}
