"""Receipts of a book in parts, on a screen."""

import pytest

from rankbook import Receipt
from rankbook.cli import tables
from tests.book.home import when


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
