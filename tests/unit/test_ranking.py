"""Names of rankings read back exactly, whatever text the tags hold."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbook.errors import NotFound, Refused
from rankbook.rules.ranking import Ranking, tag_text

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(texts, texts, texts, st.dictionaries(texts, texts, max_size=3))
def test_a_name_reads_back_exactly(board, window, period, tags):
    ranking = Ranking(board, window, period, tuple(tags.items()))
    assert Ranking.parse(ranking.name) == ranking
    assert ranking.tags == tuple(sorted(tags.items()))


@given(*[st.tuples(texts, texts, st.dictionaries(texts, texts, max_size=2))] * 2)
def test_different_rankings_have_different_names(left, right):
    names = [Ranking("b", one, two, tuple(tags.items())).name for one, two, tags in (left, right)]
    assert (names[0] == names[1]) == (left == right)


def test_a_name_is_readable():
    ranking = Ranking("speed", "daily", "2026-11-30", (("mode", "time"), ("lang", "en/GB")))
    assert ranking.name == "speed/daily/2026-11-30/lang=en%2FGB/mode=time"


@pytest.mark.parametrize(
    "name",
    ["", "a", "a/b", "a/b/c/", "a/b/c/d", "a/b/c/z=1/a=1", "a/b/%63", "a/b/c/m=%ff", "a/b/c/x=1=2"],
)
def test_text_that_is_no_name_is_not_found(name):
    with pytest.raises(NotFound):
        Ranking.parse(name)


@pytest.mark.parametrize(
    ("value", "text"), [("time", "time"), (5, "5"), (-1, "-1"), (True, "true"), (False, "false")]
)
def test_text_integers_and_booleans_are_tags(value, text):
    assert tag_text("mode", value) == text


@pytest.mark.parametrize("value", [None, 1.5, 1.0, "", "x" * 65, "a\nb", "\ud800", ["time"]])
def test_anything_else_is_refused_by_name(value):
    with pytest.raises(Refused) as caught:
        tag_text("mode", value)
    assert caught.value.field == "mode"
