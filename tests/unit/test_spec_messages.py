"""A slip in a rankbook.toml is answered with its place, and with what was probably meant."""

import re

import pytest

from rankbook import Board, BookSpec, Refused, SpecError
from rankbook.importing import parse_event
from rankbook.rules import load

BOOK = """\
[book]
name = "typing"

[values]
wpm = { type = "number", min = 0 }
mode = { type = "text", one_of = ["time", "words"] }

[[board]]
name = "speed"
measures = { score = "round(wpm)" }
order_by = ["score desc"]
splits = [[], ["mode"]]
windows = ["all-time", "daily"]

[[bundle]]
name = "home"
rankings = [{ board = "speed", window = "daily" }]
"""

SLIPS = [
    ("[book]", "[bok]", "bok: is not known; did you mean 'book'?"),
    ('name = "typing"', 'nmae = "typing"', "book.nmae: is not known; did you mean 'name'?"),
    ("min = 0", "mni = 0", "values.wpm.mni: is not known; did you mean 'min'?"),
    ("splits =", "split =", "board[0].split: is not known; did you mean 'splits'?"),
    ('"round(wpm)"', '{ valu = "wpm" }', "board[0].measures.score.valu: is not known; "),
    ("rankings =", "ranking =", "bundle[0].ranking: is not known; did you mean 'rankings'?"),
    ("windows =", "zzz =", "board[0].zzz: is not known; there are: name, measures, order_by, "),
    (
        '"daily" }',
        '"daly" }',
        "bundle[0].rankings[0].window: no window 'daly' on board 'speed'; there are: ",
    ),
    (
        'type = "number"',
        'type = "nubmer"',
        "values.wpm.type: 'nubmer' is not known; did you mean 'number'? "
        "There are: number, integer, text",
    ),
    (
        '"all-time", "daily"]',
        '"all-time", "dialy"]',
        "board[0].windows[1]: 'dialy' is not known; did you mean 'daily'? There are: all-time, ",
    ),
    (
        "[[board]]",
        "[board]",
        "board: is written [board]; it is a list, so write [[board]]",
    ),
    ("[[bundle]]", "[bundle]", "bundle: is written [bundle]; it is a list, so write [[bundle]]"),
    ("[values]", "[[values]]", "values: is written [[values]]; there is one, so write [values]"),
    ("[book]", "[[book]]", "book: is written [[book]]; there is one, so write [book]"),
]


def test_the_book_without_a_slip_is_sound():
    assert load(BOOK).board("speed").windows == ("all-time", "daily")


@pytest.mark.parametrize(("right", "wrong", "said"), SLIPS, ids=[slip[1] for slip in SLIPS])
def test_a_slip_is_named_with_what_was_probably_meant(right, wrong, said):
    assert right in BOOK
    with pytest.raises(SpecError, match=re.escape(said)):
        load(BOOK.replace(right, wrong, 1))


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        (
            "round(wpm)",
            "round(wmp)",
            "board[0].measures.score: reads 'wmp', which [values] lacks; did you mean 'wpm'?",
        ),
        (
            "windows =",
            'where = "acc > 90"\nwindows =',
            "board[0].where: reads 'acc', which [values] lacks; there are: wpm, mode",
        ),
    ],
)
def test_a_measure_reads_only_values_that_the_book_declares(right, wrong, said):
    with pytest.raises(SpecError, match=re.escape(said)):
        load(BOOK.replace(right, wrong, 1))


def test_a_book_that_declares_no_values_takes_any():
    values = BOOK[BOOK.index("[values]") : BOOK.index("[[board]]")]
    assert load(BOOK.replace(values, "").replace("round(wpm)", "wmp")).values == {}


def test_what_python_gives_is_answered_in_the_same_way():
    with pytest.raises(SpecError, match=re.escape("did you mean 'best'?")):
        Board("speed", {"score": "x"}, ("score desc",), keep="bets")
    board = Board("speed", {"score": "x"}, ("score desc",))
    with pytest.raises(SpecError, match=re.escape("did you mean 'period'?")):
        BookSpec(name="b", boards=(board,), partition="periods")


def test_an_event_of_an_unknown_kind_is_told_the_kinds():
    with pytest.raises(Refused, match=re.escape("kind: 'viod' is not known; did you mean 'void'?")):
        parse_event('{"kind": "viod", "player": "asha"}')
