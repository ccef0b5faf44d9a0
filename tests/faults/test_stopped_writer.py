"""A process that is stopped while it writes rankings: others record, and rank once it goes on."""

import os
import signal
from contextlib import contextmanager

import pytest

from rankbook import Rankbook, StoreDown
from rankbook.log import open_log
from rankbook.rules import BookSpec
from rankbook.store.embedded import opening
from rankbook.store.embedded.store import EmbeddedStore
from tests.book.home import Clock, board, result
from tests.engine.other import Other
from tests.faults.site import assert_sound

SPEC = BookSpec(name="book", boards=(board(keep="total"),))


@contextmanager
def book_in(path):
    """A book whose store waits for no other writer."""
    store = EmbeddedStore.open(path / "rankings", patience_seconds=0.05)
    book = Rankbook(SPEC, open_log("sqlite:", path), store, clock=Clock())
    try:
        yield book
    finally:
        book.close()


@pytest.fixture
def stopped(tmp_path):
    """Stop, in the middle of a write, a process that has the rankings open; afterwards it may go
    on, and end."""
    with book_in(tmp_path) as book:
        book.submit(result("asha", 1, id="first"))
    other = Other(tmp_path / "rankings")

    def stop():
        assert other.ask("update") == "inside"
        other.process.send_signal(signal.SIGSTOP)
        os.waitpid(other.process.pid, os.WUNTRACED)

    def go_on():
        other.process.send_signal(signal.SIGCONT)
        assert other.ask("leave") == "committed"

    stop.go_on = go_on
    yield stop
    other.kill()


def test_a_submission_behind_a_stopped_writer_is_recorded_and_pending(tmp_path, stopped):
    with book_in(tmp_path) as book:
        stopped()
        receipt = book.submit(result("asha", 2, id="second"))
        assert (receipt.status, book.pending()) == ("pending", 1)
        assert book.ranking("speed").entry("asha").score == 1
        with pytest.raises(StoreDown, match="has held the lock"):
            book.fold()
        stopped.go_on()
        assert book.submit(result("asha", 2, id="second")).status == "ranked"
        assert_sound(book, {"asha": 3})


def test_a_book_that_is_opened_behind_a_stopped_writer_records_and_ranks_later(
    tmp_path, stopped, monkeypatch
):
    monkeypatch.setattr(opening, "PAUSE_SECONDS", 0)
    stopped()
    with book_in(tmp_path) as book:
        assert book.submit(result("asha", 2, id="second")).status == "pending"
        with pytest.raises(StoreDown, match="has held the lock"):
            book.ranking("speed").count()
        stopped.go_on()
        assert book.submit(result("asha", 2, id="second")).status == "ranked"
        assert_sound(book, {"asha": 3})


def test_whoever_cannot_open_the_rankings_does_not_wait_again_for_the_same(
    tmp_path, stopped, monkeypatch
):
    stopped()
    tries = []
    share = opening.Environment.share

    def counted(*arguments, **more):
        tries.append(arguments)
        return share(*arguments, **more)

    monkeypatch.setattr(opening.Environment, "share", counted)
    with book_in(tmp_path) as book:
        for _again in range(3):
            assert book.submit(result("asha", 2, id="second")).status == "pending"
        assert len(tries) == 1
        stopped.go_on()
