"""What people are shown: names that cannot act, numbers with every digit, instants on a clock."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from rankbook.rules.display import (
    MARK,
    clean,
    iso,
    minute,
    name_of,
    number,
    percent,
    second,
    short,
    visible_text,
)

WOMAN_IN_SPACE = "\N{WOMAN}\u200d\N{ROCKET}"


def test_characters_that_act_are_marked_and_emoji_of_several_parts_stay():
    assert clean("a\x1b[2Jb\u2028c\x9bd\ud800", MARK) == "a\ufffd[2Jb\ufffdc\ufffdd\ufffd"
    assert clean(f"{WOMAN_IN_SPACE} Zo\xeb", MARK) == f"{WOMAN_IN_SPACE} Zo\xeb"


def test_what_acts_or_hides_is_removed_and_half_a_pair_stays_visible():
    assert visible_text("a\u200bb\u202ec\x00d") == "abcd"
    assert visible_text("\ud800") == MARK
    assert visible_text(WOMAN_IN_SPACE) == WOMAN_IN_SPACE
    assert visible_text(" \u200dx\xa0\u200d ") == "x"


def test_a_joiner_stays_between_two_characters_only():
    assert clean("\u200da\u200d\u200db") == "a\u200db"


def test_a_tower_of_accents_is_cut():
    assert clean("e" + "\u0301" * 50 + "f") == "e" + "\u0301" * 3 + "f"


def test_a_long_name_is_cut():
    assert name_of({"name": "x" * 10_000}, "id") == "x" * 1200
    assert short("x" * 10_000) == "x" * 79 + "\N{HORIZONTAL ELLIPSIS}"
    assert short("x" * 80) == "x" * 80


@pytest.mark.parametrize("name", ["", " ", "\u200b\u200d", " \u0301"])
def test_a_name_of_which_nothing_is_visible_gives_way_to_the_id(name):
    assert name_of({"name": name}, "id") == "id"
    assert name_of({"name": name}, "\u202e") == "(no name)"


def test_numbers_keep_every_digit():
    assert [number(each) for each in (1234567, 0.1, None, "x\x1b", 1e300, -5)] == [
        *("1,234,567", "0.1", "-", "x\ufffd", "1e+300", "-5"),
    ]
    assert number(Decimal("1234567.10")) == "1,234,567.10"
    assert number(2**64) == "18,446,744,073,709,551,616"


def test_a_percentile_has_no_zeros_at_its_end():
    assert [percent(each, 2) for each in (100.0, 200 / 3, 50.5, 0.0, None)] == [
        *("100", "66.67", "50.5", "0", "-"),
    ]


def test_an_instant_is_shown_on_the_clock_of_a_zone():
    at = datetime(2026, 11, 30, 18, 30, 59, tzinfo=UTC)
    assert [minute(at), second(at), iso(at)] == [
        *("2026-11-30 18:30", "2026-11-30 18:30:59", "2026-11-30T18:30:59Z"),
    ]
    assert second(at, "+05:30") == "2026-12-01 00:00:59"
    assert second(at, "-03:30") == "2026-11-30 15:00:59"
    assert minute(at, "America/New_York") == "2026-11-30 13:30"


def test_an_instant_at_the_end_of_the_calendar_is_shown_in_utc():
    last = datetime(9999, 12, 31, 23, 0, tzinfo=UTC) + timedelta(minutes=30)
    assert minute(last, "+05:30") == "9999-12-31 23:30"
