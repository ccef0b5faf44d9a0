"""The ranks in receipts are those that are read from the rankings before and after each step.

A receipt's ranks are predicted before its step is published. Here they are held against what the
rankings show, for every numbering and tie-break, and its scores against a plain model of best.
"""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.book.home import board, home_in, result
from tests.depth import scaled

PLAYERS = [f"p{number}" for number in range(6)]
MODES = ["x", "y"]
TIMES = [f"2026-11-{day}T{hour}:00:00Z" for day in (29, 30) for hour in ("08", "20")]
CROWD = 40

events = st.tuples(
    st.sampled_from(PLAYERS), st.integers(0, 3), st.sampled_from(TIMES), st.sampled_from(MODES)
)
steps = st.lists(st.one_of(events.map(lambda e: [e]), st.lists(events, max_size=8)), max_size=6)


def views(book):
    """Every ranking that an event here can touch, by what a placement calls it."""
    return {
        (window, period, mode): book.ranking(
            "speed", window=window, period=period, tags={} if mode is None else {"mode": mode}
        )
        for window, period in [
            ("all-time", "all-time"),
            ("daily", "2026-11-29"),
            ("daily", "2026-11-30"),
        ]
        for mode in (None, *MODES)
    }


def ranks(book):
    """(ranking, player) -> rank, read one by one and, where it is short, from the list too."""
    found = {}
    for name, view in views(book).items():
        top = {entry.player: entry.rank for entry in view.top(1000).entries}
        for player in PLAYERS:
            rank = view.rank(player)
            assert top.get(player) == rank
            if rank is not None:
                found[name, player] = rank
    return found


class Best:
    """What best keeps, the slow way: (ranking, player) -> the event kept."""

    def __init__(self):
        self.kept = {}

    def fold(self, name, player, score, at, id):
        key, now = (name, player), (-score, at, id)
        was = self.kept.get(key)
        if was is None:
            why = "new"
        elif now[0] < was[0]:
            why = "better"
        else:
            why = "earlier" if now < was else "not-better"
        if why != "not-better":
            self.kept[key] = now
        return why, None if was is None else -was[0], -self.kept[key][0]


@pytest.mark.parametrize("kind", ["memory", "embedded", "trees"])
@pytest.mark.parametrize("numbering", ["ordinal", "competition", "dense"])
@given(
    steps=steps,
    tie_break=st.sampled_from(["first", "last", "player"]),
    crowd=st.sampled_from([0, CROWD]),
)
@settings(max_examples=scaled(15))
def test_ranks_in_receipts_are_those_read_before_and_after_the_step(
    kind, numbering, steps, tie_break, crowd
):
    with tempfile.TemporaryDirectory() as place, home_in(Path(place), kind) as home:
        book = home.open(
            board(
                splits=((), ("mode",)),
                windows=("all-time", "daily"),
                numbering=numbering,
                tie_break=tie_break,
            )
        )
        hold(book, steps, crowd)


def hold(book, steps, crowd):
    best, number = Best(), 0
    book.submit_many(
        [
            result(f"q{n}", n % 3, at=TIMES[n % 4], mode=MODES[n % 2], id=f"crowd{n}")
            for n in range(crowd)
        ]
    )
    before = ranks(book)
    for step in steps:
        batch = []
        for player, score, at, mode in step:
            batch.append(result(player, score, at=at, mode=mode, id=f"e{number:03}"))
            number += 1
        receipts = book.submit_many(batch)
        after = ranks(book)
        for event, receipt in zip(batch, receipts, strict=True):
            assert len(receipt.rankings) == 4
            for placement in receipt.rankings:
                name = (placement.window, placement.period, placement.tags.get("mode"))
                key = (name, event.player)
                assert (placement.previous_rank, placement.rank) == (before.get(key), after[key])
                why = best.fold(name, event.player, event.values["score"], event.at, event.id)
                assert (placement.why, placement.previous_score, placement.score) == why
                assert placement.changed is (placement.why != "not-better")
        assert book.submit_many(batch) == receipts
        before = after


@pytest.mark.parametrize("numbering", ["ordinal", "competition", "dense"])
def test_moving_within_out_of_and_into_a_long_tie_is_predicted_exactly(home, numbering):
    book = home.open(
        board(numbering=numbering, splits=((), ("mode",)), windows=("all-time", "daily"))
    )
    steps = [
        [(player, 1, TIMES[3], "x") for player in PLAYERS],
        [("p0", 2, TIMES[3], "x"), ("p1", 1, TIMES[0], "x")],
        [("p1", 2, TIMES[2], "y"), ("p2", 3, TIMES[2], "y"), ("p0", 3, TIMES[3], "x")],
        [(player, 3, TIMES[3], "x") for player in PLAYERS],
        [(player, 3, TIMES[0], "y") for player in PLAYERS],
    ]
    hold(book, steps, crowd=200)


@pytest.mark.parametrize("numbering", ["ordinal", "competition", "dense"])
def test_scores_that_a_step_leaves_empty_and_scores_that_it_begins_are_predicted(home, numbering):
    book = home.open(
        board(numbering=numbering, splits=((), ("mode",)), windows=("all-time", "daily"))
    )
    steps = [
        [(player, score, TIMES[3], "x") for score, player in enumerate(PLAYERS)],
        [("p3", 9, TIMES[3], "x"), ("p0", 0, TIMES[3], "x"), ("p2", 2, TIMES[3], "x")],
        [("p4", 9, TIMES[3], "x"), ("p5", 8, TIMES[3], "x"), ("p0", 0, TIMES[3], "x")],
        [("p1", 2, TIMES[3], "x"), ("p0", 0, TIMES[3], "x")],
        [("p1", 7, TIMES[3], "x"), ("p2", 7, TIMES[3], "x"), ("p0", 0, TIMES[3], "x")],
        [("p0", 9, TIMES[3], "x"), ("p3", 9, TIMES[2], "x")],
    ]
    hold(book, steps, crowd=0)


@pytest.mark.parametrize("numbering", ["ordinal", "competition", "dense"])
def test_a_batch_that_takes_several_steps_has_the_ranks_of_each_event_s_own_step(home, numbering):
    book = home.open(board(numbering=numbering))
    first = [result(f"p{n:04}", 5, at=TIMES[0]) for n in range(1000)]
    second = [result("ace", 9, at=TIMES[0]), result("p0500", 9, at=TIMES[1])]
    receipts = book.submit_many([*first, *second])
    tied = {"ordinal": 501, "competition": 1, "dense": 1}[numbering]
    assert receipts[500].rankings[0].rank == tied
    assert receipts[500].rankings[0].previous_rank is None
    ace, moved = receipts[1000].rankings[0], receipts[1001].rankings[0]
    assert (ace.previous_rank, ace.rank) == (None, 1)
    assert (moved.previous_rank, moved.rank) == (tied, 2 if numbering == "ordinal" else 1)
