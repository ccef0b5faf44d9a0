"""A book in parts on the command line."""

import pytest

from rankbook import Receipt
from rankbook.cli.call import rank_pending
from rankbook.cli.screen import tables
from tests.book.home import Clock, players, result, when
from tests.book.parted import TWO, PartedHome, part


@pytest.mark.parametrize(
    ("parts", "caption"),
    [
        ((), "recorded; the next fold ranks it"),
        (("speed", "total"), "recorded; the next fold ranks it in speed, total"),
    ],
)
def test_a_pending_receipt_says_in_which_parts(parts, caption):
    now = when("2026-11-30T12:00:00Z")
    receipt = Receipt(
        event_id="a",
        player="asha",
        at=now,
        recorded_at=now,
        status="pending",
        pending_parts=parts,
    )
    assert str(tables.receipt(receipt).caption) == caption


def test_opening_catches_up_with_the_parts_that_are_up(tmp_path):
    home = PartedHome("by board", tmp_path, Clock())
    book = home.open(*TWO)
    book.record(result("asha", 20))
    part(book, "high").down = True
    rank_pending(book)
    assert players(book.ranking("fast").top()) == ["asha"]
    part(book, "high").down = False
    home.end()
