"""Whatever happens: a book in parts comes to what the same log gives as a whole."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from rankbook import EventConflict, Refused, StoreError
from tests.book.home import Clock, Home, assert_agrees
from tests.book.parted import PARTITIONS, PartedHome
from tests.cases.saying import content, refolds_alike
from tests.cases.test_any_sequence_of_events import BOARDS, START, Life, batches, quietly
from tests.depth import scaled


def by_ranking(receipt):
    """A receipt with its rankings in the order of their names."""
    places = sorted(
        receipt.rankings, key=lambda each: (each.board, each.window, each.period, str(each.tags))
    )
    return structs.replace(receipt, rankings=tuple(places))


@pytest.mark.parametrize("partition", PARTITIONS)
@settings(quietly, max_examples=scaled(60))
@given(batches=batches)
def test_entries_and_receipts_are_those_of_a_book_that_is_not_in_parts(partition, batches):
    with (
        tempfile.TemporaryDirectory(prefix="rankbook-cases-") as one,
        tempfile.TemporaryDirectory(prefix="rankbook-cases-") as other,
    ):
        homes = [
            Home("memory", Path(one), Clock(START.isoformat())),
            PartedHome(partition, Path(other), Clock(START.isoformat())),
        ]
        lives = [Life(home, *BOARDS) for home in homes]
        try:
            for batch in batches:
                for life in lives:
                    life.live(batch)
            whole, parted = lives
            assert content(homes[1].store) == content(homes[0].store)
            assert parted.closed == whole.closed
            assert {id: by_ranking(each) for id, each in parted.receipts.items()} == {
                id: by_ranking(each) for id, each in whole.receipts.items()
            }
            for id, each in whole.receipts.items():
                if id in {event.id for event in whole.sent if event.kind == "result"}:
                    assert parted.receipts[id] == each
            assert_agrees(parted.book)
        finally:
            for home in homes:
                home.agrees = False
                home.end()


class Troubled(Life):
    """A life in which some parts of the book are down now and then."""

    def trouble(self, down):
        for number, part in enumerate(self.book.store.parts):
            part.down = number in down

    def live(self, batch):
        try:
            super().live(batch)
        except StoreError:
            # Closing what is due says that a part is down; the events of the batch come next time.
            self.made += len(batch)

    def submit(self, events):
        try:
            receipts = self.book.submit_many(events) if events else []
        except (EventConflict, Refused):
            return
        for event, receipt in zip(events, receipts, strict=True):
            assert (receipt.status == "pending") == bool(receipt.pending_parts)
            self.sent.append(event)


@pytest.mark.parametrize("partition", PARTITIONS)
@settings(quietly, max_examples=scaled(60))
@given(
    batches=batches,
    troubles=st.lists(st.sets(st.integers(0, 6), max_size=4), min_size=12, max_size=12),
)
def test_parts_that_are_down_now_and_then_come_to_the_same(partition, batches, troubles):
    with tempfile.TemporaryDirectory(prefix="rankbook-cases-") as directory:
        home = PartedHome(partition, Path(directory), Clock(START.isoformat()))
        ended = False
        try:
            life = Troubled(home, *BOARDS)
            for batch, down in zip(batches, troubles, strict=False):
                life.trouble(down)
                life.live(batch)
            life.trouble(())
            refolds_alike(life.book, home)
            assert life.book.pending() == 0
            assert len(life.closed) == len(set(life.closed))
            for event in life.sent:
                found = life.book.outcome(event.id)
                assert (found.status, found.receipt.pending_parts) == ("ranked", ())
            ended = True
        finally:
            home.agrees = ended
            home.end()
