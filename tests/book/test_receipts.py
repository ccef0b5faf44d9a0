"""Receipts: every ranking that an event touched, changed or not, as it was and as it became."""

import pytest

from rankbook import BookSpec, Placement, Rankbook
from tests.book.home import board, result
from tests.book.site import SPEC, typed


def numbers(placement):
    return (
        placement.why,
        placement.changed,
        placement.previous_score,
        placement.score,
        placement.previous_rank,
        placement.rank,
    )


def test_every_ranking_touched_is_listed_whether_it_changed_or_not(home):
    book = home.open(spec=SPEC)
    book.submit(typed("bram", 110, mode="words", at="2026-11-29T12:00:00Z"))
    book.submit(typed("asha", 120, mode="time", at="2026-11-29T12:00:00Z"))
    receipt = book.submit(typed("asha", 100, mode="words", id="run", at="2026-11-30T12:00:00Z"))
    assert [(p.board, p.window, p.period, p.tags) for p in receipt.rankings] == [
        ("speed", "all-time", "all-time", {}),
        ("speed", "all-time", "all-time", {"mode": "words"}),
        ("speed", "daily", "2026-11-30", {}),
        ("speed", "daily", "2026-11-30", {"mode": "words"}),
    ]
    assert [numbers(p) for p in receipt.rankings] == [
        ("not-better", False, 120, 120, 1, 1),
        ("new", True, None, 100, None, 2),
        ("new", True, None, 100, None, 1),
        ("new", True, None, 100, None, 1),
    ]


def test_a_better_result_says_from_where_to_where_it_moved(home):
    book = home.open(board())
    book.submit_many([result(player, score) for player, score in (("a", 30), ("b", 20), ("c", 10))])
    receipt = book.submit(result("c", 25))
    assert [numbers(p) for p in receipt.rankings] == [("better", True, 10, 25, 3, 2)]


def test_an_earlier_equal_result_is_a_change_that_leaves_the_score(home):
    book = home.open(board(numbering="ordinal"))
    book.submit(result("a", 30, at="2026-11-30T10:00:00Z"))
    book.submit(result("b", 30, at="2026-11-30T11:00:00Z"))
    receipt = book.submit(result("b", 30, at="2026-11-30T09:00:00Z"))
    assert [numbers(p) for p in receipt.rankings] == [("earlier", True, 30, 30, 2, 1)]


def test_a_batch_is_one_step_and_its_receipts_show_the_ranks_around_the_step(home):
    book = home.open(board())
    book.submit_many([result("a", 30), result("b", 20)])
    receipts = book.submit_many([result("b", 40), result("c", 35), result("b", 10)])
    assert [numbers(receipt.rankings[0]) for receipt in receipts] == [
        ("better", True, 20, 40, 2, 1),
        ("new", True, None, 35, None, 2),
        ("not-better", False, 40, 40, 2, 1),
    ]


def test_every_board_that_an_event_touches_is_in_its_receipt(home):
    book = home.open(board("high"), board("low", order_by=("score asc",)))
    book.submit(result("a", 5))
    receipt = book.submit(result("b", 7))
    assert [(p.board, p.rank) for p in receipt.rankings] == [("high", 1), ("low", 2)]


def test_without_ranks_a_receipt_has_scores_and_no_ranks_also_later(home):
    book = home.open(board())
    event = result("a", 30, id="x")
    [receipt] = book.submit_many([event], ranks=False)
    assert [numbers(p) for p in receipt.rankings] == [("new", True, None, 30, None, None)]
    assert book.submit(event) == receipt
    assert book.ranking("speed").rank("a") == 1


def test_an_event_folded_by_another_submission_has_its_receipt(home):
    book = home.open(board())
    recording = book.record([result("a", 30, id="x")])
    assert recording.new == 1
    other = book.submit(result("b", 20, id="y"))
    assert other.rankings[0].rank == 2
    receipt = book.submit(result("a", 30, id="x"))
    assert (receipt.status, receipt.event_id) == ("ranked", "x")
    assert receipt.rankings[0].score == 30


def test_a_receipt_names_the_event_and_its_two_times(home):
    book = home.open(board())
    receipt = book.submit(result("asha", 1, id="x", at="2026-11-30T11:59:00+05:30"))
    assert (receipt.event_id, receipt.player, receipt.status) == ("x", "asha", "ranked")
    assert receipt.at.isoformat() == "2026-11-30T06:29:00+00:00"
    assert receipt.recorded_at.isoformat() == "2026-11-30T12:00:00+00:00"


@pytest.mark.parametrize("embedded", ["embedded:", "embedded:elsewhere/rankings"])
def test_receipts_survive_closing_and_opening_a_directory(place, clock, embedded):
    spec = BookSpec(name="book", boards=SPEC.boards, bundles=SPEC.bundles, store=embedded)
    events = [typed(f"p{n % 7}", 50 + n % 11, id=f"e{n}") for n in range(50)]
    with Rankbook.open(place, spec=spec, clock=clock) as book:
        receipts = [book.submit(event) for event in events]
    clock.set("2027-01-01T00:00:00Z")
    with Rankbook.open(place, spec=spec, clock=clock) as book:
        assert book.submit_many(events) == receipts
        assert book.submit(events[17]) == receipts[17]


@pytest.mark.parametrize(
    "changes",
    [
        {"windows": ("daily", "all-time")},
        {"splits": (("mode",), ("level", "mode"), ())},
        {"splits": ((), ("level", "mode"), ("mode",))},
    ],
)
def test_the_same_book_written_in_another_order_keeps_the_receipts_as_they_were(home, changes):
    shape = {"windows": ("all-time", "daily"), "splits": ((), ("mode",), ("mode", "level"))}
    book = home.open(board(**shape), board("other"))
    book.submit(result("b", 30, mode="y", level=1))
    book.submit(result("a", 90, mode="x", level=2, at="2026-11-29T12:00:00Z"))
    event = result("a", 20, mode="y", level=2, id="x")
    receipt = book.submit(event)
    assert len({numbers(placement) for placement in receipt.rankings}) > 2
    rewritten = home.open(board("other"), board(**{**shape, **changes}))
    assert by_ranking(rewritten.submit(event)) == by_ranking(receipt)


def by_ranking(receipt):
    def key(placement: Placement):
        tags = tuple(sorted(placement.tags.items()))
        return placement.board, placement.window, placement.period, tags

    return {key(placement): placement for placement in receipt.rankings}
