"""The numbers that tied players show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbook.rules.numbering import NUMBERINGS, ranks

SCORES = [50, 50, 30, 30, 10, 0, -5]  # Asha, Bram, Chidi, Dora, Emil, Femi, Gita


def window(numbering, scores, start, end):
    """The numbers of rows start..end, with what a store says about the first of them."""
    rows = scores[start:end]
    first = scores.index(rows[0]) if rows else 0
    groups = len(set(scores[:first]))
    return ranks(numbering, start, first, groups, [str(score).encode() for score in rows])


@pytest.mark.parametrize(
    ("numbering", "numbers", "without_femi"),
    [
        ("competition", [1, 1, 3, 3, 5, 6, 7], 6),
        ("dense", [1, 1, 2, 2, 3, 4, 5], 4),
        ("ordinal", [1, 2, 3, 4, 5, 6, 7], 6),
    ],
)
def test_ties_show_the_numbers_of_the_rule(numbering, numbers, without_femi):
    assert window(numbering, SCORES, 0, 7) == numbers
    assert window(numbering, [s for s in SCORES if s != 0], 0, 6)[-1] == without_femi


def test_no_rows_have_no_numbers():
    assert [ranks(numbering, 0, 0, 0, []) for numbering in NUMBERINGS] == [[], [], []]


@given(
    st.lists(st.integers(0, 5), max_size=20).map(sorted),
    st.sampled_from(NUMBERINGS),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_a_page_shows_the_numbers_that_the_whole_list_shows(scores, numbering, start, end):
    whole = window(numbering, scores, 0, len(scores))
    assert window(numbering, scores, start, end) == whole[start:end]
