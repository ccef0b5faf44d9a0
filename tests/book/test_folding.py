"""Folding: exactly once, whoever folds and however many do, and the same in any order."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankbook import Rankbook, StoreError
from rankbook.store.memory import MemoryStore
from tests.book.home import Wrapped, assert_agrees, board, home_in, players, result
from tests.book.test_together import in_threads
from tests.book.toml import write_book
from tests.book.worker import Worker, in_turn
from tests.cases.saying import forget
from tests.depth import scaled

SHAPE = {"splits": ((), ("mode",)), "windows": ("all-time", "daily"), "details": ("note",)}


def crowd(count):
    return [
        result(f"p{n % 17}", n * 37 % 101, id=f"e{n}", mode="xy"[n % 2], note=f"n{n}")
        for n in range(count)
    ]


def everything(book):
    """Every entry of every current ranking."""
    return [
        book.ranking("speed", window=window, tags=tags).top(1000)
        for window in book.boards()[0].windows
        for tags in ({}, {"mode": "x"}, {"mode": "y"})
    ]


# --- recorded, and folded later ------------------------------------------------------------------


@pytest.mark.parametrize("healer", ["fold", "submit", "fold of a reopened book"])
def test_recorded_events_are_applied_by_whatever_folds_next(home, healer):
    book = home.open(board(**SHAPE))
    recording = book.record(crowd(30))
    assert (recording.new, book.pending(), book.ranking("speed").count()) == (30, 30, 0)
    if healer == "fold of a reopened book":
        book.close()
        book = home.open()
        assert book.pending() == 30
    if healer == "submit":
        book.submit(result("last", 1, mode="x"))
    else:
        book.fold()
    assert book.pending() == 0
    assert book.ranking("speed").count() == (18 if healer == "submit" else 17)


def test_recording_known_events_again_records_nothing(home):
    book = home.open(board(**SHAPE))
    first = book.record(crowd(5))
    again = book.record([*crowd(5), result("new", 1, mode="x")])
    assert (first.new, again.new) == (5, 1)
    assert again.events[:5] == first.events


def test_a_fold_tells_how_many_events_it_applied(home):
    book = home.open(board(**SHAPE))
    book.record(crowd(2100))
    told = []
    book.fold(progress=told.append)
    assert told == [1000, 1000, 100]
    book.fold(progress=told.append)
    assert told == [1000, 1000, 100]


@pytest.mark.parametrize("step_events", [1, 7, 1000])
def test_the_size_of_a_step_does_not_show_in_the_rankings(home, step_events):
    book = home.open(board(**SHAPE))
    book.record(crowd(120))
    book._parts.fold(step_events=step_events)
    with tempfile.TemporaryDirectory() as place, home_in(Path(place), clock=home.clock) as other:
        there = other.open(board(**SHAPE))
        for event in crowd(120):
            there.submit(event)
        assert everything(book) == everything(there)


# --- races ---------------------------------------------------------------------------------------


class Overtaken(Wrapped):
    """Lets somebody else go first, once, just before one kind of call."""

    def __init__(self, store, call, somebody):
        super().__init__(store)
        self.call = call
        self.somebody = somebody

    def _overtake(self, call):
        if self.call == call:
            self.call = None
            self.somebody()

    def entries(self, wanted):
        self._overtake("entries")
        return super().entries(wanted)

    def read(self, queries):
        self._overtake("read")
        return super().read(queries)

    def publish(self, changes, receipts, *, expect, then, drops=()):
        self._overtake("publish")
        super().publish(changes, receipts, expect=expect, then=then, drops=drops)


@pytest.mark.parametrize("call", ["entries", "read", "publish"])
def test_a_fold_that_is_overtaken_reads_again_and_applies_nothing_twice(home, call):
    rival = home.open(board(**SHAPE))
    rival.submit(result("asha", 5, mode="x"))
    rivals = []

    def overtake():
        rivals.append(rival.submit(result("bram", 9, id="rival", mode="x")))

    book = home.open(wrap=lambda store: Overtaken(store, call, overtake))
    receipt = book.submit(result("chidi", 7, id="mine", mode="x"))
    assert receipt.status == "ranked"
    [first] = rivals
    assert [p.rank for p in first.rankings] == [1] * 4
    # the rival folded both, so both receipts show the ranks around that one step
    assert [(p.why, p.previous_rank, p.rank) for p in receipt.rankings] == [("new", None, 2)] * 4
    assert rival.submit(result("chidi", 7, id="mine", mode="x")) == receipt


@pytest.mark.parametrize("call", ["entries", "publish"])
def test_a_fold_that_is_overtaken_half_way_goes_on_with_the_rest(home, call):
    rival = home.open(board(**SHAPE))
    rival.record(crowd(100))
    rival_told, told = [], []

    def overtake():
        rival._parts.fold(until=40, step_events=20, progress=rival_told.append)

    book = home.open(wrap=lambda store: Overtaken(store, call, overtake))
    book._parts.fold(step_events=30, progress=told.append)
    assert (rival_told, told) == ([20, 20], [30, 30])
    assert book.pending() == 0


class Emptied(Wrapped):
    """A store that can be down, and can be emptied."""

    down = False

    def entries(self, wanted):
        if Emptied.down:
            raise StoreError("the store is down")
        return super().entries(wanted)


def test_what_was_left_over_by_a_fold_that_failed_is_read_again(home):
    one, two = home.open(board(), wrap=Emptied), home.open(wrap=Emptied)
    two.submit(result("bram", 1))
    Emptied.down = True
    assert one.submit(result("asha", 2)).status == "pending"
    Emptied.down = False
    two.submit(forget("asha"))
    assert [each.player for each in two.log.read(0, 9)] == ["bram", "", ""]
    home.store.close()
    home.store = one.store.inner = two.store.inner = MemoryStore()
    two._parts.fold(until=1)
    one.fold()
    assert players(two.ranking("speed").top()) == ["bram"]
    assert_agrees(two)


def test_threads_with_a_book_each_fold_one_log_without_applying_anything_twice(home):
    book = home.open(board(**SHAPE))
    book.record(crowd(600))
    told = []

    def folder():
        own = home.open()
        return lambda: own._parts.fold(step_events=7, progress=told.append)

    in_threads(*[folder() for _ in range(4)])
    assert sum(told) == 600
    assert book.pending() == 0


def test_threads_that_submit_and_threads_that_fold_do_not_disturb_each_other(home):
    book = home.open(board(**SHAPE))
    told = []

    def submitter(name):
        own = home.open()

        def work():
            for number in range(60):
                event = result(f"p{number % 9}", number, id=f"{name}{number}", mode="x")
                assert own.submit(event).status == "ranked"

        return work

    def folder():
        own = home.open()

        def work():
            for _ in range(60):
                own.fold(progress=told.append)

        return work

    in_threads(submitter("a"), submitter("b"), folder())
    assert (book.log.head(), book.pending()) == (120, 0)
    assert book.ranking("speed").entry("p0").score == 54


def test_processes_fold_one_log_without_applying_anything_twice(place):
    write_book(place)
    with Rankbook.open(place) as book:
        book.record([result(f"p{n % 50}", n, id=f"e{n}") for n in range(1500)])
        applied = in_turn([Worker("fold", place, 5) for _ in range(3)])
        assert sum(applied) == 1500
        assert book.pending() == 0
        assert book.ranking("speed").entry("p49").score == 1499
        assert_agrees(book)


# --- any order -----------------------------------------------------------------------------------

events = st.tuples(
    st.sampled_from(["asha", "bram", "chidi"]),
    st.integers(0, 2),
    st.sampled_from(["2026-11-30T08:00:00Z", "2026-11-30T09:00:00Z", "2026-11-29T09:00:00Z"]),
    st.sampled_from(["x", "y"]),
)


@pytest.mark.parametrize("tie_break", ["first", "last", "player"])
@pytest.mark.parametrize("kind", ["memory", "embedded"])
@given(data=st.data(), rows=st.lists(events, min_size=2, max_size=12))
@settings(max_examples=scaled(15))
def test_folding_the_same_events_in_any_order_gives_the_same_rankings(kind, tie_break, data, rows):
    given_events = [
        result(player, score, at=at, mode=mode, note=f"n{n}", id=f"e{n:02}")
        for n, (player, score, at, mode) in enumerate(rows)
    ]
    other_order = data.draw(st.permutations(given_events))
    sizes = data.draw(st.lists(st.integers(1, 5), min_size=12, max_size=12))
    readings = []
    for order in (given_events, other_order):
        with tempfile.TemporaryDirectory() as place, home_in(Path(place), kind) as home:
            book = home.open(board(**SHAPE, tie_break=tie_break))
            rest = list(order)
            for size in sizes if order is other_order else [1] * len(order):
                book.submit_many(rest[:size])
                del rest[:size]
            assert rest == []
            readings.append(everything(book))
    assert readings[0] == readings[1]
