"""Equal scores: the numbers that tied players show, and the order in which they are listed."""

import pytest

from tests.book.home import board, listed, players, result

SEVEN = {"asha": 50, "bram": 50, "chidi": 30, "dora": 30, "emil": 10, "femi": 0, "gita": -5}
RANKS = {
    "competition": [1, 1, 3, 3, 5, 6, 7],
    "dense": [1, 1, 2, 2, 3, 4, 5],
    "ordinal": [1, 2, 3, 4, 5, 6, 7],
}
GITA_WITHOUT_FEMI = {"competition": 6, "dense": 4, "ordinal": 6}

numberings = pytest.mark.parametrize("numbering", RANKS)


def seven(home, *, left_out=(), **changes):
    """A book with the seven, reached in the order of their names, a minute apart."""
    book = home.open(board(**changes))
    book.submit_many(
        [
            result(player, score, id=player, at=f"2026-11-30T10:{minute:02}:00Z")
            for minute, (player, score) in enumerate(SEVEN.items())
            if player not in left_out
        ]
    )
    return book


@numberings
def test_the_list_the_single_read_the_rank_and_around_all_say_the_same_number(home, numbering):
    ranking = seven(home, numbering=numbering).ranking("speed")
    expected = dict(zip(SEVEN, RANKS[numbering], strict=True))
    assert {player: rank for rank, player in listed(ranking.top())} == expected
    assert players(ranking.top()) == list(SEVEN)
    for player, rank in expected.items():
        assert ranking.rank(player) == rank
        assert ranking.entry(player).rank == rank
        for limit in range(1, 9):
            around = listed(ranking.around(player, limit))
            assert len(around) == min(limit, 7)
            assert (rank, player) in around
            assert all(expected[other] == number for number, other in around)


@numberings
def test_every_part_of_the_list_shows_the_numbers_of_the_whole(home, numbering):
    ranking = seven(home, numbering=numbering).ranking("speed")
    whole = listed(ranking.top())
    assert [number for number, _ in whole] == RANKS[numbering]
    for limit in range(1, 8):
        assert listed(ranking.top(limit)) == whole[:limit]


@numberings
def test_without_one_player_those_below_close_the_gap(home, numbering):
    ranking = seven(home, numbering=numbering, left_out=("femi",)).ranking("speed")
    assert ranking.rank("gita") == GITA_WITHOUT_FEMI[numbering]


@numberings
def test_zero_and_negative_scores_are_scores(home, numbering):
    ranking = seven(home, numbering=numbering).ranking("speed")
    assert ranking.entry("femi").score == 0
    assert ranking.entry("gita").score == -5
    assert ranking.count() == 7


def test_a_player_without_an_entry_has_no_rank_and_it_is_no_error(home):
    ranking = seven(home).ranking("speed")
    assert ranking.rank("hugo") is None
    assert ranking.entry("hugo") is None
    assert ranking.around("hugo").entries == ()
    assert ranking.around("hugo").count == 7


def test_the_first_to_reach_a_score_stands_higher_and_repeating_it_moves_nobody(home):
    book = seven(home)
    before = book.ranking("speed").top()
    receipt = book.submit(result("asha", 50, at="2026-11-30T11:00:00Z", id="again"))
    assert [placement.changed for placement in receipt.rankings] == [False]
    assert book.ranking("speed").top() == before


def test_a_late_delivery_of_an_earlier_equal_result_is_who_reached_it_first(home):
    book = seven(home)
    receipt = book.submit(result("bram", 50, at="2026-11-30T09:00:00Z", id="late"))
    assert receipt.rankings[0].why == "earlier"
    top = book.ranking("speed").top(2)
    assert [(e.rank, e.player, e.event_id) for e in top.entries] == [
        (1, "bram", "late"),
        (1, "asha", "asha"),
    ]


@pytest.mark.parametrize(
    ("tie_break", "order"),
    [
        ("first", ["zoe", "mia", "abe"]),
        ("last", ["abe", "mia", "zoe"]),
        ("player", ["abe", "mia", "zoe"]),
    ],
)
@numberings
def test_tied_players_are_listed_as_the_tie_break_says(home, tie_break, order, numbering):
    book = home.open(board(tie_break=tie_break, numbering=numbering))
    for minute, player in enumerate(["zoe", "mia", "abe"]):
        book.submit(result(player, 7, at=f"2026-11-30T10:0{minute}:00Z"))
    ranking = book.ranking("speed")
    assert players(ranking.top()) == order
    shown = [1, 2, 3] if numbering == "ordinal" else [1, 1, 1]
    assert [ranking.rank(player) for player in order] == shown


def test_ties_by_player_do_not_ask_who_was_first(home):
    book = home.open(board(tie_break="player"))
    for minute, player in enumerate(["mia", "zoe", "abe"]):
        book.submit(result(player, 7, at=f"2026-11-30T10:0{minute}:00Z"))
    assert players(book.ranking("speed").top()) == ["abe", "mia", "zoe"]


@numberings
def test_players_reaching_a_score_at_the_same_instant_stand_by_their_names(home, numbering):
    book = home.open(board(numbering=numbering))
    names = ["Zoe", "abe", "mia", "érik", "李"]
    book.submit_many([result(name, 7, at="2026-11-30T10:00:00Z") for name in reversed(names)])
    assert players(book.ranking("speed").top()) == names


@numberings
def test_a_whole_order_of_two_measures_must_be_equal_for_a_tie(home, numbering):
    book = home.open(
        board(
            measures={"score": "score", "accuracy": "accuracy"},
            order_by=("score desc", "accuracy desc"),
            numbering=numbering,
        )
    )
    rows = [("asha", 90, 97), ("bram", 90, 98), ("chidi", 90, 97), ("dora", 80, 99)]
    for minute, (player, score, accuracy) in enumerate(rows):
        at = f"2026-11-30T10:0{minute}:00Z"
        book.submit(result(player, score, accuracy=accuracy, at=at))
    numbers = {"competition": [1, 2, 2, 4], "dense": [1, 2, 2, 3], "ordinal": [1, 2, 3, 4]}
    order = ["bram", "asha", "chidi", "dora"]
    assert listed(book.ranking("speed").top()) == list(zip(numbers[numbering], order, strict=True))


@numberings
def test_ranks_inside_a_long_tie_are_the_same_wherever_they_are_read(home, numbering):
    book = home.open(board(numbering=numbering))
    tied = [f"p{index:03}" for index in range(300)]
    book.submit_many([result("ace", 9, at="2026-11-30T10:00:00Z")])
    book.submit_many([result(player, 5, at="2026-11-30T10:01:00Z") for player in tied])
    book.submit_many([result("last", 1, at="2026-11-30T10:02:00Z")])
    ranking = book.ranking("speed")
    below = {"ordinal": 302, "competition": 302, "dense": 3}
    assert ranking.rank("last") == below[numbering]
    for index in (0, 1, 7, 150, 298, 299):
        expected = index + 2 if numbering == "ordinal" else 2
        assert ranking.rank(tied[index]) == expected
        assert (expected, tied[index]) in listed(ranking.around(tied[index], 7))
    assert len(ranking.top(1000).entries) == 302
