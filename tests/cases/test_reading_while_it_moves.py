"""Reads: pages that part a ranking while it moves, windows that are full, ranges and shares."""

import random
import tempfile
from decimal import Decimal
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankbook import Refused
from tests.book.home import board, home_in, listed, players, result
from tests.cases.saying import agreed, ban, last_cursor, pages, unban, void
from tests.depth import scaled


def filled(home, count=20, **more):
    """Players p00 to p19, best first; scores 100 apart by ten."""
    book = home.open(board(**more))
    book.submit_many([result(f"p{n:02}", 1000 - n * 10, id=f"e{n:02}") for n in range(count)])
    return book


# --- pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 19, 20, 21])
def test_pages_forward_and_back_are_the_ranking_in_parts(home, limit):
    view = filled(home, tie_break="last").ranking("speed")
    everything = list(view.top(100).entries)
    assert pages(view, limit) == everything
    cursor, seen = None, []
    while True:
        page = view.page(limit, cursor)
        seen.append(page.entries)
        if seen[1:]:
            back = view.page(limit, page.previous)
            assert back.entries == seen[-2]
        else:
            assert page.previous is None
        cursor = page.next
        if cursor is None:
            break
    assert sum(map(len, seen)) == 20


def test_pages_of_an_empty_ranking_and_of_one_entry_have_no_neighbours(home):
    book = home.open(board())
    page = book.ranking("speed").page(5)
    assert (page.entries, page.next, page.previous) == ((), None, None)
    book.submit(result("asha", 1))
    page = book.ranking("speed").page(1)
    assert (players(page), page.next, page.previous) == (["asha"], None, None)


def walked(view, limit, move, back=False):
    """The players seen on the way, with something moving between pages."""
    seen, cursor = [], last_cursor(view, limit) if back else None
    if back:
        seen = players(view.page(limit, cursor))
        cursor = view.page(limit, cursor).previous
    while True:
        if back and cursor is None:
            return seen
        page = view.page(limit, cursor)
        seen = [*players(page), *seen] if back else [*seen, *players(page)]
        cursor = page.previous if back else page.next
        if cursor is None:
            return seen
        move()


@pytest.mark.parametrize("back", [False, True], ids=["forward", "back"])
@pytest.mark.parametrize("seed", range(4))
def test_who_does_not_move_is_seen_exactly_once_whatever_the_others_do(home, seed, back):
    chance = random.Random(seed)
    book = home.open(board(keep="latest", latest_by="at", numbering="dense"))
    still = [f"still{n:02}" for n in range(25)]
    moving = [f"moving{n}" for n in range(12)]
    book.submit_many([result(p, chance.randrange(30)) for p in (*still, *moving)])
    expected = [p for p in players(book.ranking("speed").top(100)) if p in still]
    minute = iter(range(10_000))

    def move():
        for _ in range(chance.randrange(4)):
            who, now = chance.choice(moving), next(minute)
            at = f"2026-12-01T{now // 60 % 24:02}:{now % 60:02}:00Z"
            event = [
                result(who, chance.randrange(30), at=at),
                ban(who),
                unban(who),
            ][chance.choice([0, 0, 0, 1, 2])]
            book.submit(event)

    for limit in (1, 2, 5):
        seen = walked(book.ranking("speed"), limit, move, back)
        assert [p for p in seen if p in still] == expected


moves_of = st.lists(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), max_size=3), max_size=12
)


@settings(max_examples=scaled(60), deadline=None)
@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=10),
    moves_of,
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from(["first", "last", "player"]),
)
def test_pages_partition_what_stays_for_any_scores_and_moves(scores, moves, limit, back, tie_break):
    with (
        tempfile.TemporaryDirectory(prefix="rankbook-cases-") as directory,
        home_in(Path(directory)) as home,
    ):
        book = home.open(board(keep="latest", tie_break=tie_break))
        still = [f"s{n}" for n in range(len(scores))]
        book.submit_many(
            [result(p, score) for p, score in zip(still, scores, strict=True)]
            + [result(f"m{n}", n) for n in range(5)]
        )
        expected = [p for p in players(book.ranking("speed").top(100)) if p in still]
        waiting, second = iter(moves), iter(range(1, 10_000))

        def move():
            for who, score in next(waiting, ()):
                home.clock.us += next(second)
                book.submit(result(f"m{who}", score))

        seen = walked(book.ranking("speed"), limit, move, back)
        assert [p for p in seen if p in still] == expected


def test_a_cursor_stays_where_it_was_when_its_own_entry_is_gone(home):
    book = filled(home)
    first = book.ranking("speed").page(5)
    book.submit_many([void("e04"), void("e05")])
    second = book.ranking("speed").page(5, first.next)
    assert players(second) == [f"p{n:02}" for n in range(6, 11)]
    assert players(book.ranking("speed").page(5, second.previous)) == [f"p{n:02}" for n in range(4)]


def test_a_cursor_of_another_period_board_or_split_is_refused_and_so_is_any_other_text(home):
    shape = {"windows": ("daily",), "splits": ((), ("mode",))}
    book = home.open(board(**shape), board("other", **shape))
    book.submit_many([result(f"p{n}", n, mode="x") for n in range(5)])
    cursor = book.ranking("speed").page(2).next
    assert players(book.ranking("speed").page(2, cursor)) == ["p2", "p1"]
    for view in (
        book.ranking("speed", period="2026-11-29"),
        book.ranking("other"),
        book.ranking("speed", tags={"mode": "x"}),
    ):
        with pytest.raises(Refused, match="not of") as caught:
            view.page(2, cursor)
        assert caught.value.field == "cursor"
    home.clock.set("2026-12-01T00:00:00Z")
    with pytest.raises(Refused, match="2026-11-30"):
        book.ranking("speed").page(2, cursor)
    for text in ("", "x", "é", "AAAA", cursor[:-3], cursor + "A", "=" * 8, "\0", "\ud800"):
        with pytest.raises(Refused) as caught:
            book.ranking("speed").page(2, text)
        assert caught.value.field == "cursor"


def test_pages_of_a_capped_board_end_at_the_cap_in_both_directions(home):
    book = filled(home, size=7)
    view = book.ranking("speed")
    assert [e.player for e in pages(view, 3)] == [f"p{n:02}" for n in range(7)]
    last = view.page(3, last_cursor(view, 3))
    assert (players(last), last.next) == (["p06"], None)
    assert [e.player for e in pages(view, 3, last.previous, back=True)] == [
        f"p{n:02}" for n in range(6)
    ]


def test_reading_back_from_where_the_cap_has_passed_misses_nobody_within_it(home):
    book = filled(home, size=7)
    view = book.ranking("speed")
    back = view.page(3, last_cursor(view, 3)).previous
    book.submit_many([result(f"new{n}", 2000 + n) for n in range(5)])
    found = [e.player for e in pages(view, 3, back, back=True)]
    assert found == ["new4", "new3", "new2", "new1", "new0", "p00", "p01"]


# --- around --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [None, 3, 8, 12, 50])
def test_around_has_as_many_rows_as_there_are_wherever_the_player_stands(home, size):
    book = filled(home, 12, size=size)
    view = book.ranking("speed")
    within = min(12, size or 12)
    for limit, place in product((1, 2, 5, 6, 12, 30), range(12)):
        found = players(view.around(f"p{place:02}", limit))
        if place >= within:
            assert found == []
            continue
        assert len(found) == min(limit, within), limit
        start = int(found[0][1:])
        assert found == [f"p{n:02}" for n in range(start, start + len(found))]
        middle = place - (limit - 1) // 2
        assert start == max(0, min(middle, within - limit))


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_no_view_takes_a_number_of_rows_that_cannot_be(home, limit):
    view = filled(home, 3).ranking("speed")
    for read in (view.top, view.page, lambda n: view.around("p00", n)):
        with pytest.raises(ValueError, match="limit"):
            read(limit)


def test_the_entry_at_a_place_is_that_of_the_list_and_none_past_the_cap(home):
    book = filled(home, 6, size=4)
    view = book.ranking("speed")
    assert [view.at(n) and view.at(n).player for n in range(1, 8)] == [
        "p00",
        "p01",
        "p02",
        "p03",
        None,
        None,
        None,
    ]
    with pytest.raises(ValueError, match="place"):
        view.at(0)


# --- friends -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("numbering", "among", "ranks"),
    [
        ("competition", [1, 1, 3, 4], [1, 1, 5, 7]),
        ("dense", [1, 1, 2, 3], [1, 1, 3, 5]),
        ("ordinal", [1, 2, 3, 4], [1, 2, 5, 7]),
    ],
)
def test_friends_have_a_rank_among_themselves_and_one_among_all(home, numbering, among, ranks):
    book = home.open(board(numbering=numbering))
    sevens = {"Asha": 50, "Bram": 50, "Chidi": 30, "Dora": 30, "Emil": 10, "Femi": 0, "Gita": -5}
    for minute, (player, score) in enumerate(sevens.items()):
        book.submit(result(player, score, at=f"2026-11-30T10:{minute:02}:00Z"))
    asked = ["Gita", "Hugo", "Emil", "Bram", "Asha", "Asha", "\ud800"]
    found = book.ranking("speed").among(asked)
    assert [f.entry.player for f in found.friends] == ["Asha", "Bram", "Emil", "Gita"]
    assert [f.rank_among for f in found.friends] == among
    assert [f.entry.rank for f in found.friends] == ranks
    assert found.count == 7


def test_friends_of_a_capped_board_are_those_within_it_and_no_friends_are_none(home):
    view = filled(home, 6, size=2).ranking("speed")
    found = view.among(["p05", "p01"])
    assert [(f.rank_among, f.entry.player) for f in found.friends] == [(1, "p01")]
    assert (found.count, view.among([]).friends, view.among([]).count) == (2, (), 2)
    with pytest.raises(ValueError, match="limit"):
        view.among([f"x{n}" for n in range(1001)])


# --- ranges of scores ----------------------------------------------------------------------------


RANGES = [
    (None, None, [-5, 0, 10, 30, 30, 50, 50]),
    (0, 30, [0, 10, 30, 30]),
    (None, 0, [-5, 0]),
    (30, None, [30, 30, 50, 50]),
    (11, 29, []),
    (30, 30, [30, 30]),
    (30, 10, []),
    (-(1 << 63), (1 << 63) - 1, [-5, 0, 10, 30, 30, 50, 50]),
]


@pytest.mark.parametrize("direction", ["desc", "asc"])
def test_a_range_of_scores_holds_both_ends_in_rank_order(home, direction):
    book = home.open(board(order_by=(f"score {direction}",)))
    for number, score in enumerate([50, 50, 30, 30, 10, 0, -5]):
        book.submit(result(f"p{number}", score))
    view = book.ranking("speed")
    everything = {entry.player: entry for entry in view.top(100).entries}
    for low, high, there in RANGES:
        found = view.scores(low, high, 100)
        assert sorted(e.score for e in found.entries) == there, (low, high)
        assert list(found.entries) == [e for e in everything.values() if e in found.entries]
        assert found.count == 7
        assert [e.player for e in view.scores(low, high, 2).entries] == players(found)[:2]


def test_a_range_of_decimals_is_exact(home):
    timed = {"measures": {"time": {"value": "score", "type": "decimal(2)"}}}
    book = home.open(board(**timed, order_by=("time asc",)))
    for number, time in enumerate([61.20, 61.21, 61.25, 64.09, 64.10]):
        book.submit(result(f"p{number}", time))
    view = book.ranking("speed")
    found = view.scores(Decimal("61.21"), Decimal("64.09"), 10)
    assert [e.score for e in found.entries] == [
        Decimal("61.21"),
        Decimal("61.25"),
        Decimal("64.09"),
    ]
    assert [e.score for e in view.scores(64.1, None, 10).entries] == [Decimal("64.10")]
    with pytest.raises(Refused):
        view.scores(61.201, None, 10)


def test_a_range_within_a_capped_board_ends_at_the_cap(home):
    view = filled(home, 6, size=3).ranking("speed")
    assert players(view.scores(0, 990, 10)) == ["p01", "p02"]
    assert players(view.scores(0, 960, 10)) == []


# --- percentiles and histograms ------------------------------------------------------------------


def test_a_player_alone_is_better_than_all_others(home):
    book = home.open(board())
    book.submit(result("asha", 5))
    assert book.ranking("speed").percentile("asha") == 100.0
    assert book.ranking("speed").percentile("bram") is None


def test_percentiles_of_a_capped_board_are_within_it(home):
    view = filled(home, 6, size=3).ranking("speed")
    assert [view.percentile(f"p{n:02}") for n in range(4)] == [100.0, 50.0, 0.0, None]


NUMBERS = [50, 50, 30, 30, 10, 0, -5]


@pytest.mark.parametrize("direction", ["desc", "asc"])
@pytest.mark.parametrize("size", [None, 4])
def test_a_histogram_counts_every_entry_once(home, direction, size):
    book = home.open(board(order_by=(f"score {direction}",), size=size))
    for number, score in enumerate(NUMBERS):
        book.submit(result(f"p{number}", score))
    view = book.ranking("speed")
    there = [entry.score for entry in view.top(100).entries]
    for edges in ([0], [-5, 0, 30, 50], [-100, 100], [30, 31], [-(1 << 63), (1 << 63) - 1]):
        bins = view.histogram(edges=edges)
        assert sum(each.count for each in bins) == view.count()
        for each in bins:
            inside = [
                score
                for score in there
                if (each.low is None or each.low <= score)
                and (each.high is None or score < each.high)
            ]
            assert each.count == len(inside)
        assert [bins[0].low, bins[-1].high] == [None, None]
        assert [each.low for each in bins[1:]] == edges


@pytest.mark.parametrize("kind", ["integer", "decimal(2)", "float"])
@pytest.mark.parametrize("direction", ["desc", "asc"])
def test_an_automatic_histogram_holds_all_and_no_more_bins_than_asked(home, kind, direction):
    scored = {"measures": {"score": {"value": "score", "type": kind}}}
    book = home.open(board(**scored, order_by=(f"score {direction}",)))
    view = book.ranking("speed")
    assert view.histogram(7) == []
    numbers = NUMBERS if kind == "integer" else [0.25, 0.5, 0.5, 17.75, 99.25, -3.5]
    for number, score in enumerate(numbers):
        book.submit(result(f"p{number}", score))
        shown = [entry.score for entry in view.top(100).entries]
        assert len(shown) == number + 1
        for bins in (1, 2, 3, 7, 60, 1000):
            assert_holds_all(view.histogram(bins), shown, bins)


def assert_holds_all(found, shown, bins):
    """These bins follow each other, are no more than asked, and count every score that is shown."""
    assert sum(each.count for each in found) == len(shown)
    assert 1 <= len(found) <= bins
    for left, right in pairwise(found):
        assert left.high == right.low
        assert left.low < left.high
    for each in found:
        last = each is found[-1]
        inside = [
            s for s in shown if each.low <= s and (s < each.high or (last and s == each.high))
        ]
        assert each.count == len(inside)


@pytest.mark.parametrize(
    "pair", [(1.0, 1.0000000000000002), (-1e308, 1e308), (0.0, 5e-324), (0.1, 0.30000000000000004)]
)
def test_an_automatic_histogram_of_any_two_floats_counts_both(home, pair):
    scored = {"measures": {"score": {"value": "score", "type": "float"}}}
    book = home.open(board(**scored))
    for number, score in enumerate(pair):
        book.submit(result(f"p{number}", score))
    for bins in (1, 2, 10, 1000):
        assert sum(each.count for each in book.ranking("speed").histogram(bins)) == 2


@pytest.mark.parametrize("edges", [[], [1, 1], [2, 1], list(range(1001)), [0.5], [float("nan")]])
def test_edges_that_cannot_be_are_refused(home, edges):
    view = filled(home, 3).ranking("speed")
    with pytest.raises(Refused):
        view.histogram(edges=edges)


@pytest.mark.parametrize("bins", [0, -1, 1001])
def test_a_number_of_bins_that_cannot_be_is_refused(home, bins):
    with pytest.raises(Refused):
        filled(home, 3).ranking("speed").histogram(bins)


def test_periods_of_a_player_and_of_a_board_agree_with_the_rankings_themselves(home):
    book = home.open(board(windows=("all-time", "daily", "weekly"), splits=((), ("mode",)), size=3))
    chance = random.Random(7)
    for day in range(1, 16):
        for player in ("asha", "bram", "chidi", "dora", "emil"):
            if chance.random() < 0.6:
                at = f"2026-11-{day:02}T12:00:00Z"
                book.submit(result(player, chance.randrange(5), at=at, mode=chance.choice("xy")))
    for window in ("daily", "weekly", "all-time"):
        for tags in ({}, {"mode": "x"}):
            for player in ("asha", "emil", "nobody"):
                for mine in book.player_periods(player, "speed", window, tags):
                    view = book.ranking("speed", window=window, period=mine.period.id, tags=tags)
                    entry = view.entry(player)
                    assert mine.period == view.period()
                    assert (mine.rank, mine.count) == (view.rank(player), view.count())
                    assert mine.score == (entry and entry.score)
                    assert mine.percentile == view.percentile(player)
        summaries = book.periods("speed", window)
        starts = [each.period.start for each in summaries]
        assert window == "all-time" or starts == sorted(starts, reverse=True)
        for each in summaries:
            overall = book.ranking("speed", window=window, period=each.period.id)
            assert each.entries == overall.count()
            split = [
                book.ranking("speed", window=window, period=each.period.id, tags=tags)
                for tags in ({"mode": "x"}, {"mode": "y"})
            ]
            assert each.rankings == 1 + sum(1 for view in split if view.count())
    assert listed(book.ranking("speed").top()) == [
        (e.rank, e.player) for e in agreed(book.ranking("speed"))
    ]
