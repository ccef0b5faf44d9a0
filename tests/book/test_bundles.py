"""Bundles: several rankings in one reading, all from one snapshot and at one instant."""

from threading import Barrier

import pytest

from rankbook import BookSpec, Bundle, BundleRanking, NotFound, Rankbook
from rankbook.rules import micros
from rankbook.store.base import Change
from tests.book.home import Clock, board, players, result, when
from tests.book.site import SPEC, typed
from tests.book.test_together import in_threads
from tests.cases.saying import ban


def test_a_bundle_has_its_rankings_in_the_order_of_its_specification(home):
    book = home.open(spec=SPEC)
    book.submit(typed("asha", 100, mode="words"))
    bundle = book.bundle("home")
    assert (bundle.name, bundle.position) == ("home", 1)
    assert [(s.window, s.tags) for s in bundle.rankings] == [
        ("all-time", {}),
        ("all-time", {"mode": "time"}),
        ("all-time", {"mode": "words"}),
        ("daily", {}),
        ("daily", {"mode": "time"}),
        ("daily", {"mode": "words"}),
    ]
    assert [s.period.id for s in bundle.rankings] == ["all-time"] * 3 + ["2026-11-30"] * 3


def test_each_ranking_of_a_bundle_is_what_reading_it_alone_gives(home):
    book = home.open(spec=SPEC)
    book.submit_many([typed(f"p{n}", 50 + n % 5, mode=("time", "words")[n % 2]) for n in range(30)])
    for standings in book.bundle("home").rankings:
        alone = book.ranking("speed", window=standings.window, tags=standings.tags)
        assert alone.top(10) == standings


def test_a_bundle_shows_as_many_as_it_says(home):
    bundle = Bundle("small", (BundleRanking("speed", "all-time"),), top=3)
    book = home.open(spec=BookSpec(name="book", boards=(board(),), bundles=(bundle,)))
    book.submit_many([result(f"p{n}", n) for n in range(5)])
    [standings] = book.bundle("small").rankings
    assert (players(standings), standings.count) == (["p4", "p3", "p2"], 5)


def test_an_unknown_bundle_is_answered_with_those_there_are(home):
    with pytest.raises(NotFound, match="'hom'; there are: home"):
        home.open(spec=SPEC).bundle("hom")
    with pytest.raises(NotFound, match="there are: none"):
        home.open(board("other")).bundle("home")


def test_every_ranking_of_a_bundle_is_of_the_same_instant_at_midnight_too(home):
    book = home.open(spec=SPEC)
    book.submit(typed("asha", 100, at="2026-11-30T18:29:59Z"))
    midnight = micros(when("2026-11-30T18:30:00Z"))
    for early in range(8):
        ticks = iter(range(midnight - early, midnight + 100))
        book._clock = lambda ticks=ticks: next(ticks)
        days = {s.period.id for s in book.bundle("home").rankings if s.window == "daily"}
        assert len(days) == 1
        ticks = iter(range(midnight - early, midnight + 100))
        counts = [s.window for s in book.player("asha")].count("daily")
        assert counts in (0, 2)
    book._clock = home.clock


def test_a_bundle_never_shows_one_ranking_ahead_of_another(home):
    bundle = Bundle("both", (BundleRanking("up", "all-time"), BundleRanking("down", "all-time")))
    measures = {"score": "score"}
    boards = (
        board("up", measures=measures),
        board("down", measures=measures, order_by=("score desc",), tie_break="last"),
    )
    spec = BookSpec(name="book", boards=boards, bundles=(bundle,))
    book, other = home.open(spec=spec), home.open(spec=spec)
    rounds, together, torn = 150, Barrier(3), []

    def write():
        for score in range(1, rounds + 1):
            together.wait()
            book.submit_many([result("asha", score, id=f"e{score}")], ranks=False)

    def read():
        for _ in range(rounds):
            together.wait()
            for _ in range(4):
                reading = other.bundle("both")
                up, down = ([(e.score, e.event_id) for e in s.entries] for s in reading.rankings)
                expected = [(reading.position, f"e{reading.position}")] if up else []
                if not up == down == expected:
                    torn.append((reading.position, up, down))

    in_threads(write, read, read)
    assert torn == []
    assert other.bundle("both").position == rounds


def test_what_another_process_repaired_of_an_embedded_store_shows_at_once(tmp_path):
    clock = Clock()
    with (
        Rankbook.open(tmp_path, spec=SPEC, clock=clock) as book,
        Rankbook.open(tmp_path, spec=SPEC, clock=clock) as other,
    ):
        book.submit_many([typed("asha", 100, mode="words"), typed("bram", 90, mode="words")])
        for reader in (book, other):
            assert players(reader.bundle("home").rankings[0]) == ["asha", "bram"]
        id = book.ranking("speed").id
        other.store.publish([Change(id, b"asha", None)], [], expect=2, then=2)
        for reader in (book, other):
            assert players(reader.bundle("home").rankings[0]) == ["bram"]
        assert not other.repair().agrees
        book.submit(ban("none"))
        for reader in (book, other):
            assert players(reader.bundle("home").rankings[0]) == ["asha", "bram"]


@pytest.mark.parametrize("meanwhile", [0, 1])
def test_what_another_process_repaired_shows_within_a_second(tmp_path, meanwhile):
    clock = Clock()
    with (
        Rankbook.open(tmp_path, spec=SPEC, clock=clock) as book,
        Rankbook.open(tmp_path, spec=SPEC, clock=clock) as other,
    ):
        book.submit_many([typed("asha", 100, mode="words"), typed("bram", 90, mode="words")])
        good = other.bundle("home").rankings
        id = book.ranking("speed").id
        book.store.publish([Change(id, b"asha", None)], [], expect=2, then=2)
        clock.us += 1_000_000
        assert players(other.bundle("home").rankings[0]) == ["bram"]
        assert not book.repair().agrees
        for _ban in range(meanwhile):
            book.submit(ban("none"))
        clock.us += 1_000_000
        assert other.bundle("home").rankings[0].entries[:2] == good[0].entries
