"""A server that evicted receipts of a book: verify says so, and repair makes them anew."""

import pytest

from rankbook import BookSpec, Rankbook, RebuildNeeded
from rankbook.log import open_log
from rankbook.store import open_store
from tests.book.home import Clock, board, result


def opened(path, uri, **changes):
    spec = BookSpec(name="book", boards=(board(keep="total", **changes),))
    return Rankbook(spec, open_log("sqlite:", path), open_store(uri, path), clock=Clock())


def evict(book, bucket):
    """What a server does that is short of memory."""
    session = book.store.session
    assert session.transport._connect  # a single server
    connection = session.transport._taken()
    connection.send_command("DEL", session.keys.bucket(bucket))
    assert connection.read_response() == 1
    session.transport._give_back(connection)


def test_receipts_that_were_evicted_are_found_and_made_anew(redis_uri, tmp_path):
    book = opened(tmp_path, redis_uri)
    events = [result("asha", 1, id=f"e{n}") for n in range(100)]
    book.submit_many(events)
    evict(book, 1)
    found = book.verify()
    assert not found.agrees
    assert found.faults == ("the receipts of 37 events are lost",)
    book.repair()
    assert book.verify().agrees
    assert book.submit(events[80]).status == "ranked"
    assert book.ranking("speed").entry("asha").score == 100
    book.close()


def test_a_lost_note_does_not_let_a_changed_specification_in(redis_uri, tmp_path):
    book = opened(tmp_path, redis_uri)
    book.submit(result("asha", 1, id="a"))
    evict(book, 0)
    book.close()
    with pytest.raises(RebuildNeeded, match="is lost"):
        opened(tmp_path, redis_uri, details=("score",))
