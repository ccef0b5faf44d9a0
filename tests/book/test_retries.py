"""Retries, conflicts, and a store that fails: nothing lost, and nothing counted twice."""

import pytest

from rankbook import EventConflict, LogError, StoreError
from rankbook.errors import PositionMoved
from tests.book.home import Wrapped, assert_agrees, board, result
from tests.book.site import SPEC, typed


def test_a_lost_reply_and_a_retry_give_the_same_stored_receipt(home):
    book = home.open(spec=SPEC)
    event = typed("asha", 100, id="run-1")
    first = book.submit(event)
    home.clock.set("2026-12-05T00:00:00Z")
    book.submit(typed("bram", 120, id="other"))
    assert book.submit(event) == first
    assert home.open().submit(event) == first
    assert book.log.head() == 2


def test_a_retry_within_one_batch_is_one_event(home):
    book = home.open(spec=SPEC)
    event = typed("asha", 100, id="run-1")
    receipts = book.submit_many([event, event, typed("bram", 90, id="run-2"), event])
    assert receipts[0] == receipts[1] == receipts[3]
    assert (book.log.head(), book.ranking("speed").count()) == (2, 2)


def test_known_and_new_events_in_one_batch_each_get_their_own_receipt(home):
    book = home.open(spec=SPEC)
    first = book.submit(typed("asha", 100, id="run-1"))
    again, new = book.submit_many([typed("asha", 100, id="run-1"), typed("asha", 110, id="run-2")])
    assert again == first
    assert [p.why for p in new.rankings] == ["better"] * 4


@pytest.mark.parametrize(
    "other",
    [
        typed("asha", 101, id="run-1"),
        typed("bram", 100, id="run-1"),
        typed("asha", 100.5, id="run-1"),
        typed("asha", 100, id="run-1", avatar="fox"),
        typed("asha", 100, id="run-1", mode="words"),
        typed("asha", 100, id="run-1", at="2026-11-30T12:00:00Z"),
    ],
)
def test_the_same_id_with_other_content_is_a_conflict_and_changes_nothing(home, other):
    book = home.open(spec=SPEC)
    receipt = book.submit(typed("asha", 100, id="run-1"))
    before = book.bundle("home")
    with pytest.raises(EventConflict) as caught:
        book.submit_many([typed("chidi", 150, id="new"), other])
    assert caught.value.event_id == "run-1"
    assert book.bundle("home") == before
    assert book.log.head() == 1
    assert book.submit(typed("asha", 100, id="run-1")) == receipt


def test_events_without_an_id_are_each_their_own(home):
    book = home.open(spec=SPEC)
    receipts = []
    for minute in range(3):
        home.clock.set(f"2026-11-30T12:0{minute}:00Z")
        receipts.append(book.submit(typed("asha", 100)))
    assert len({receipt.event_id for receipt in receipts}) == 3
    assert [receipt.rankings[0].why for receipt in receipts] == ["new", "not-better", "not-better"]


# --- the store fails -----------------------------------------------------------------------------


def test_a_store_that_fails_in_the_middle_of_a_step_leaves_all_four_as_they_were(memory_home):
    book = memory_home.open(spec=SPEC)
    book.submit(typed("asha", 100, id="run-1"))
    before = book.bundle("home")
    memory_home.store.fail_next_publish("before")
    receipt = book.submit(typed("asha", 120, id="run-2"))
    assert (receipt.status, receipt.rankings) == ("pending", ())
    assert (receipt.event_id, receipt.player) == ("run-2", "asha")
    assert book.bundle("home") == before
    assert book.log.find(["run-2"])[0] is not None
    assert book.pending() == 1
    book.fold()
    assert book.pending() == 0
    assert [s.entries[0].score for s in book.bundle("home").rankings if s.count] == [120] * 4
    assert_agrees(book)


@pytest.mark.parametrize("healer", ["submit", "fold", "retry", "another book"])
def test_a_pending_event_is_applied_once_by_whatever_comes_next(memory_home, healer):
    book = memory_home.open(spec=SPEC)
    memory_home.store.fail_next_publish("before")
    event = typed("asha", 120, id="run-2")
    assert book.submit(event).status == "pending"
    if healer == "submit":
        book.submit(typed("bram", 90))
    elif healer == "fold":
        book.fold()
    elif healer == "another book":
        memory_home.open().submit(typed("bram", 90))
    receipt = book.submit(event)
    assert receipt.status == "ranked"
    assert [p.why for p in receipt.rankings] == ["new"] * 4
    assert book.submit(event) == receipt
    assert (book.pending(), book.ranking("speed").entry("asha").score) == (0, 120)


def test_a_publish_whose_reply_was_lost_does_not_count_twice(memory_home):
    book = memory_home.open(spec=SPEC)
    memory_home.store.fail_next_publish("after")
    event = typed("asha", 120, id="run-1")
    receipt = book.submit(event)
    assert receipt.status == "ranked"
    assert [p.why for p in receipt.rankings] == ["new"] * 4
    assert book.submit(event) == receipt
    told = []
    book.fold(progress=told.append)
    assert told == []
    assert [s.count for s in book.player("asha")] == [1] * 4


def test_a_fold_asked_for_says_that_the_store_failed_and_goes_on_next_time(memory_home):
    book = memory_home.open(spec=SPEC)
    book.record([typed("asha", 100, id="run-1")])
    for when, pending in [("before", 1), ("after", 0)]:
        memory_home.store.fail_next_publish(when)
        with pytest.raises(StoreError):
            book.fold()
        assert book.pending() == pending
    assert book.submit(typed("asha", 100, id="run-1")).status == "ranked"


class Down(Wrapped):
    """A store that answers nothing while it is down."""

    down = False

    def __getattribute__(self, name):
        if name in ("position", "entries", "publish", "read", "receipts") and self.down:
            raise StoreError("down")
        return super().__getattribute__(name)


def test_while_the_store_is_down_events_are_recorded_and_ranked_later(home):
    book = home.open(spec=SPEC, wrap=Down)
    first = book.submit(typed("asha", 100, id="run-0"))
    book.store.down = True
    receipts = book.submit_many([typed("asha", 110 + n, id=f"run-{n}") for n in range(1, 4)])
    assert [receipt.status for receipt in receipts] == ["pending"] * 3
    assert book.submit(typed("asha", 100, id="run-0")).status == "pending"
    with pytest.raises(StoreError):
        book.ranking("speed").top()
    book.store.down = False
    assert book.pending() == 3
    assert book.submit(typed("asha", 100, id="run-0")) == first
    assert book.submit(typed("bram", 90)).status == "ranked"
    assert book.ranking("speed").entry("asha").score == 113


def test_a_fold_that_always_loses_the_race_leaves_the_event_pending(home):
    class Loses(Wrapped):
        def publish(self, changes, receipts, *, expect, then, drops=()):
            raise PositionMoved("somebody else was first")

    book = home.open(board(), wrap=Loses)
    assert book.submit(result("asha", 1, id="a")).status == "pending"
    winner = home.open()
    assert winner.submit(result("asha", 1, id="a")).status == "ranked"


def test_an_event_that_cannot_be_recorded_is_an_error_of_the_log(home):
    book = home.open(board())
    book.log.close()
    with pytest.raises(LogError):
        book.submit(result("asha", 1))
    assert home.open().ranking("speed").count() == 0
