"""Ties: seven players under three numberings, and the same number wherever it is asked for."""

import pytest

from tests.book.home import board, listed, players, result
from tests.cases.saying import agreed, ban, unban, void

SEVEN = {"Asha": 50, "Bram": 50, "Chidi": 30, "Dora": 30, "Emil": 10, "Femi": 0, "Gita": -5}
NUMBERS = {
    "competition": [1, 1, 3, 3, 5, 6, 7],
    "dense": [1, 1, 2, 2, 3, 4, 5],
    "ordinal": [1, 2, 3, 4, 5, 6, 7],
}
numberings = pytest.mark.parametrize("numbering", NUMBERS)


def seven(home, numbering, **more):
    book = home.open(board(numbering=numbering, **more))
    minutes = enumerate(SEVEN.items())
    book.submit_many(
        [
            result(player, score, id=f"e-{player}", at=f"2026-11-30T10:{minute:02}:00Z")
            for minute, (player, score) in minutes
        ]
    )
    return book


def listed_as(numbers):
    return list(zip(numbers, SEVEN, strict=True))


@numberings
def test_every_view_says_the_declared_number(home, numbering):
    view = seven(home, numbering).ranking("speed")
    assert [(e.rank, e.player) for e in agreed(view)] == listed_as(NUMBERS[numbering])


@numberings
@pytest.mark.parametrize(
    "removal", [lambda: void("e-Femi"), lambda: ban("Femi")], ids=["void", "ban"]
)
def test_without_femi_gita_moves_up_by_one(home, numbering, removal):
    book = seven(home, numbering)
    receipt = book.submit(removal())
    [placement] = receipt.rankings
    femi = NUMBERS[numbering][5]
    assert (placement.why, placement.changed) == ("removed", True)
    assert (placement.previous_rank, placement.rank) == (femi, None)
    assert (placement.previous_score, placement.score) == (0, None)
    view = book.ranking("speed")
    assert {"competition": 6, "dense": 4, "ordinal": 6}[numbering] == view.rank("Gita")
    assert view.rank("Femi") is None
    assert len(agreed(view)) == 6


@numberings
def test_unbanning_femi_puts_gita_back(home, numbering):
    book = seven(home, numbering)
    book.submit(ban("Femi"))
    receipt = book.submit(unban("Femi"))
    assert (receipt.rankings[0].why, receipt.rankings[0].rank) == (
        "restored",
        NUMBERS[numbering][5],
    )
    assert listed(book.ranking("speed").top()) == listed_as(NUMBERS[numbering])


@numberings
def test_adding_nothing_to_asha_changes_nothing(home, numbering):
    book = seven(home, numbering, keep="total")
    before = agreed(book.ranking("speed"))
    [placement] = book.submit(result("Asha", 0, at="2026-11-30T11:00:00Z")).rankings
    assert (placement.changed, placement.why) == (False, "no-change")
    assert (placement.previous_rank, placement.rank) == (1, 1)
    assert agreed(book.ranking("speed")) == before


def test_a_player_without_an_entry_has_no_rank_and_no_error(home):
    view = seven(home, "competition").ranking("speed")
    assert view.rank("Hugo") is None
    assert view.entry("Hugo") is None
    assert view.around("Hugo").entries == ()
    assert view.among(["Hugo"]).friends == ()


@pytest.mark.parametrize(
    ("tie_break", "order"),
    [
        ("first", ["Asha", "Bram", "Chidi", "Dora", "Emil", "Femi", "Gita"]),
        ("last", ["Bram", "Asha", "Dora", "Chidi", "Emil", "Femi", "Gita"]),
        ("player", ["Asha", "Bram", "Chidi", "Dora", "Emil", "Femi", "Gita"]),
    ],
)
def test_equals_are_listed_as_the_tie_break_says_and_share_their_number(home, tie_break, order):
    view = seven(home, "competition", tie_break=tie_break).ranking("speed")
    entries = agreed(view)
    assert [entry.player for entry in entries] == order
    assert [entry.rank for entry in entries] == NUMBERS["competition"]


def test_among_equals_by_player_the_smaller_id_stands_first_whoever_came_first(home):
    book = home.open(board(tie_break="player"))
    for player in ("zoe", "ann", "Bob", "éva"):
        book.submit(result(player, 5))
    assert players(book.ranking("speed").top()) == ["Bob", "ann", "zoe", "éva"]
    assert {entry.rank for entry in agreed(book.ranking("speed"))} == {1}


@numberings
def test_percentiles_share_what_ranks_share(home, numbering):
    book = seven(home, numbering)
    view = book.ranking("speed")
    found = {player: view.percentile(player) for player in SEVEN}
    assert found["Gita"] == 0
    assert found["Asha"] == 100
    assert found["Emil"] == pytest.approx(100 * 2 / 6)
    if numbering == "ordinal":
        assert found["Bram"] == pytest.approx(100 * 5 / 6)
        assert found["Dora"] == pytest.approx(100 * 3 / 6)
    else:
        assert found["Bram"] == 100
        assert found["Chidi"] == found["Dora"] == pytest.approx(100 * 4 / 6)
    assert view.percentile("Hugo") is None
    assert view.count() == 7
