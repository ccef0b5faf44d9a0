"""Reading one ranking, and one player: defaults, limits, edges, and errors that say what exists."""

import pytest

from rankbook import Bundle, BundleRanking, NotFound
from tests.book.busy import Busy
from tests.book.home import board, listed, players, result
from tests.book.site import SPEC, typed

SHAPE = {"splits": ((), ("mode",), ("mode", "level")), "windows": ("daily", "all-time")}


def ten(home):
    book = home.open(board())
    book.submit_many([result(f"p{n}", 10 - n) for n in range(10)])
    return book.ranking("speed")


def test_by_default_the_first_window_is_read_in_its_current_period(home):
    book = home.open(board(**SHAPE, zone="+05:30"))
    book.submit(result("asha", 5, mode="x", level=1))
    standings = book.ranking("speed").top()
    assert (standings.board, standings.window, standings.tags) == ("speed", "daily", {})
    assert (standings.period.id, standings.period.zone) == ("2026-11-30", "+05:30")
    assert players(standings) == ["asha"]


def test_a_view_keeps_the_period_that_it_was_made_for(home):
    book = home.open(board(**SHAPE))
    book.submit(result("asha", 5, mode="x", level=1))
    view = book.ranking("speed")
    home.clock.set("2026-12-01T12:00:00Z")
    assert (view.top().period.id, view.count()) == ("2026-11-30", 1)
    assert book.ranking("speed").count() == 0


def test_tags_name_one_split_in_any_order_and_as_text_or_number(home):
    book = home.open(board(**SHAPE))
    book.submit(result("asha", 5, mode="x", level=1))
    for tags in ({"mode": "x", "level": 1}, {"level": "1", "mode": "x"}):
        standings = book.ranking("speed", tags=tags).top()
        assert standings.tags == {"mode": "x", "level": "1"}
        assert players(standings) == ["asha"]
    assert book.ranking("speed", tags={"mode": "y"}).count() == 0


@pytest.mark.parametrize(
    ("wanted", "there"),
    [
        ({"board": "sped"}, ["'sped'", "speed", "other"]),
        ({"window": "weekly"}, ["'weekly'", "'speed'", "daily", "all-time"]),
        ({"tags": {"level": "1"}}, ["[level]", "[]", "[mode]", "[mode, level]"]),
        ({"tags": {"mode": ""}}, ["tag", "mode"]),
        ({"period": "yesterday"}, ["'yesterday'", "daily", "2026-11-30"]),
        ({"period": "2026-02-30"}, ["'2026-02-30'", "daily"]),
        ({"period": "20261130"}, ["'20261130'", "2026-11-30"]),
        ({"window": "all-time", "period": "2026-11-30"}, ["'2026-11-30'", "all-time"]),
    ],
)
def test_what_does_not_exist_is_answered_with_what_does(home, wanted, there):
    book = home.open(board(**SHAPE), board("other"))
    with pytest.raises(NotFound) as caught:
        book.ranking(**{"board": "speed", **wanted})
    for word in there:
        assert word in str(caught.value)


def test_an_empty_ranking_reads_as_empty(home):
    view = home.open(board(**SHAPE)).ranking("speed")
    for standings in (view.top(), view.around("asha")):
        assert (standings.count, standings.entries) == (0, ())
        assert standings.period.id == "2026-11-30"
    assert (view.count(), view.rank("asha"), view.entry("asha")) == (0, None, None)


@pytest.mark.parametrize("limit", [0, -1, 1001, 10**9])
def test_a_limit_out_of_bounds_is_a_value_error_that_says_the_bounds(home, limit):
    view = ten(home)
    for read in (view.top, lambda limit: view.around("p5", limit)):
        with pytest.raises(ValueError, match="1 to 1000"):
            read(limit)


@pytest.mark.parametrize("limit", [1, 3, 10, 11, 1000])
def test_top_gives_as_many_as_asked_where_there_are_as_many(home, limit):
    view = ten(home)
    assert players(view.top(limit)) == [f"p{n}" for n in range(10)][:limit]
    assert view.top(limit).count == 10


@pytest.mark.parametrize(
    ("player", "limit", "expected"),
    [
        ("p5", 5, [3, 4, 5, 6, 7]),
        ("p5", 4, [4, 5, 6, 7]),
        ("p5", 1, [5]),
        ("p0", 5, [0, 1, 2, 3, 4]),
        ("p1", 5, [0, 1, 2, 3, 4]),
        ("p2", 5, [0, 1, 2, 3, 4]),
        ("p7", 5, [5, 6, 7, 8, 9]),
        ("p8", 5, [5, 6, 7, 8, 9]),
        ("p9", 5, [5, 6, 7, 8, 9]),
        ("p9", 4, [6, 7, 8, 9]),
        ("p9", 10, list(range(10))),
        ("p0", 1000, list(range(10))),
    ],
)
def test_around_is_centred_and_full_wherever_enough_players_exist(home, player, limit, expected):
    view = ten(home)
    assert listed(view.around(player, limit)) == [(n + 1, f"p{n}") for n in expected]


def test_around_shows_five_by_default_and_top_ten(home):
    view = ten(home)
    assert len(view.around("p5").entries) == 5
    assert len(view.top().entries) == 10


@pytest.mark.parametrize("player", ["", "nobody", "P5", "p5 ", "x" * 10_000, "\ud800", "p\x00"])
def test_a_player_that_cannot_be_there_is_just_not_there(home, player):
    view = ten(home)
    assert view.rank(player) is None
    assert view.entry(player) is None
    assert view.around(player).entries == ()


def test_names_of_players_are_kept_exactly(home):
    book = home.open(board(numbering="ordinal"))
    names = ["a", "a ", "A", "\u00e9", "e\u0301", "\U0001f600", "x" * 256, "\u674e" * 256]
    receipts = book.submit_many([result(name, 5) for name in names])
    view = book.ranking("speed")
    assert players(view.top()) == sorted(names, key=str.encode)
    for name, receipt in zip(names, receipts, strict=True):
        assert view.entry(name).player == name
        assert receipt.rankings[0].rank == view.rank(name)


# --- one player ----------------------------------------------------------------------------------


def test_a_player_is_shown_in_every_current_ranking_that_has_them(home):
    book = home.open(spec=SPEC)
    book.submit(typed("asha", 100, mode="time", at="2026-11-29T08:00:00Z"))
    book.submit(typed("bram", 120, mode="words"))
    book.submit(typed("asha", 90, mode="words"))
    shown = {(s.window, s.tags.get("mode")): listed(s) for s in book.player("asha")}
    assert shown == {
        ("all-time", None): [(2, "asha")],
        ("all-time", "time"): [(1, "asha")],
        ("all-time", "words"): [(2, "asha")],
        ("daily", None): [(2, "asha")],
        ("daily", "words"): [(2, "asha")],
    }
    assert all(standings.period.zone == "+05:30" for standings in book.player("asha"))
    assert book.player("nobody") == []


def test_a_player_is_found_under_every_tag_that_they_have_an_entry_in(home):
    book = home.open(board(**SHAPE), board("other"))
    book.submit(result("asha", 5, mode="x", level=1))
    book.submit(result("bram", 5, mode="y", level=1))
    shown = {(s.board, s.window, tuple(s.tags.items())) for s in book.player("asha")}
    splits = [(), (("mode", "x"),), (("level", "1"), ("mode", "x"))]
    expected = {("speed", window, split) for window in ("daily", "all-time") for split in splits}
    assert shown == expected | {("other", "all-time", ())}


def test_a_ranking_of_several_bundles_is_shown_once(home):
    def bundle(name, *tags):
        return Bundle(name, (BundleRanking("speed", "daily", tags),))

    bundles = (
        bundle("one", ("level", "1"), ("mode", "x")),
        bundle("two", ("mode", "x"), ("level", "1")),
    )
    book = home.open(board(**SHAPE), bundles=bundles)
    book.submit(result("asha", 5, mode="x", level=1))
    assert len(book.player("asha")) == 6


# --- one answer, one snapshot --------------------------------------------------------------------


def test_a_standing_is_entry_rank_percentile_and_count(home):
    view = ten(home)
    found = view.standing("p3")
    assert (found.board, found.window, found.tags) == ("speed", "all-time", {})
    assert (found.player, found.rank, found.count) == ("p3", 4, 10)
    assert found.entry == view.entry("p3")
    assert found.percentile == view.percentile("p3") == 100 * 6 / 9


def test_the_standing_of_a_player_without_an_entry_has_the_count_alone(home):
    found = ten(home).standing("nobody")
    assert (found.entry, found.rank, found.percentile, found.count) == (None, None, None, 10)


def test_a_standing_is_of_one_snapshot_though_others_publish_after_every_read(home):
    book = home.open(board())
    book.submit_many([result(f"p{n}", 10 - n) for n in range(3)])
    view = book.ranking("speed")
    with Busy(book, lambda: book.submit(result(f"new{busy.published}", 100))) as busy:
        found = [view.standing("p0") for _again in range(3)]
    # Each entry that came between is before p0: the share of those behind says how many there are.
    assert [(each.rank, each.count, each.percentile) for each in found] == [
        (1 + n, 3 + n, 100 * 2 / (2 + n)) for n in range(3)
    ]


@pytest.mark.parametrize("scores", [(10, 20, 30), (10, 10, 10)])
@pytest.mark.parametrize("late", [5, 15])
@pytest.mark.parametrize("when", range(6))
def test_a_histogram_is_of_one_snapshot_whenever_another_result_comes(home, scores, late, when):
    book = home.open(board())
    book.submit_many([result(f"p{n}", score) for n, score in enumerate(scores)])
    view = book.ranking("speed")
    asked = iter(range(100))

    def once():
        if next(asked) == when:
            book.submit(result("late", late))

    before = view.spread(4)
    with Busy(book, once):
        found = view.spread(4)
    after = book.ranking("speed").spread(4)
    assert found in (before, after)
