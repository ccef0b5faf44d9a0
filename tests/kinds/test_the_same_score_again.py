"""Repeating a score: what it does to the time that breaks ties, by keep rule."""

import re

import pytest

from rankbook import Entry
from tests.unit.facts import fact, fold, rules


@pytest.mark.parametrize(
    ("fields", "keeper"),
    [
        ({"keep": "best"}, "asha"),
        ({"keep": "first"}, "asha"),
        ({"keep": "total", "best_of": 1}, "asha"),
        ({"keep": "latest"}, "bram"),
        ({"keep": "latest", "latest_by": "at"}, "bram"),
    ],
    ids=str,
)
def test_who_repeats_a_score_keeps_its_time_except_where_the_latest_result_counts(fields, keeper):
    board = rules(tie_break="first", **fields)
    asha = [fact("a1", 1, x=70), fact("a2", 3, x=70)]
    bram = [fact("b1", 2, x=70)]
    for delivered in (asha, asha[::-1]):
        (key, _), _ = fold(board, delivered)
        first = "asha" if key < fold(board, bram)[0][0] else "bram"
        assert first == keeper


def test_a_latest_result_in_between_counts_whenever_it_is_delivered():
    board = rules("latest", latest_by="at")
    repeated = [fact("a1", 1, x=70), fact("a2", 3, x=70)]
    between = fact("a3", 2, x=40)
    in_order, _ = fold(board, [repeated[0], between, repeated[1]])
    late, _ = fold(board, [*repeated, between])
    assert in_order == late, "no memory of the first 70 could say that 40 came after it"


def test_the_entry_says_what_moves_its_time():
    said = re.sub(r"\s+", " ", Entry.__doc__)
    assert "Repeating the same score does not move it" in said
    assert '`keep = "latest"`' in said
