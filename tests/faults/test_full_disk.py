"""The disk is full, in the log or in the rankings: an error, and nothing is lost or torn."""

import os
import random
import shutil
import signal
from collections import Counter
from contextlib import ExitStack

import psycopg
import pytest

from rankbook import LogError
from tests.book.home import result
from tests.faults.site import assert_sound, open_book
from tests.servers import Missing, postgres_server, skip_or_fail, small_disk

DISK_MB = 160
ROOM = 2_000_000
MANY = 500

REFUSE = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
END
$$;
CREATE TRIGGER refuse AFTER INSERT ON rankbook_event FOR EACH ROW EXECUTE FUNCTION refuse();
"""
ENDS = {"room again": 0, "killed": -signal.SIGKILL}


def said(heard, word):
    return [each[word] for each in heard if word in each]


def acknowledged(heard):
    return {id for ids in said(heard, "ids") for id in ids}


@pytest.mark.parametrize("then", ENDS)
def test_a_sqlite_log_that_is_full_refuses_and_keeps_what_it_has(place, nursery, then):
    heard, ended = nursery.run("log_full", place, "sqlite:", then=then)
    assert ended == ENDS[then], heard
    [full], [number] = said(heard, "full"), said(heard, "number")
    assert "cannot be used" in full
    assert number > 3
    assert len(said(heard, "refused")) == 3
    with open_book(place, "sqlite:") as book:
        count = book.log.head()
        ids = {f"h{n}" for n in range(count)}
        assert acknowledged(heard) <= ids
        assert count == (number if then == "killed" else number + 2)
        assert None not in book.log.find(sorted(ids))
        assert_sound(book, Counter(f"p{n % 3}" for n in range(count)))


def large(number):
    """A result that takes some 30 KB in a log, however it is compressed."""
    source = random.Random(number)
    notes = {f"note{each}": source.randbytes(480).hex() for each in range(30)}
    return result("asha", 1, id=f"large-{number}", **notes)


@pytest.fixture
def small_server():
    """A PostgreSQL server on a small disk of its own, and the disk."""
    with ExitStack() as stack:
        try:
            disk = stack.enter_context(small_disk(DISK_MB))
        except Missing as missing:
            pytest.skip(str(missing))
        try:
            server = stack.enter_context(postgres_server(fsync=False, within=disk))
        except Missing as missing:
            skip_or_fail(missing)
        yield server, disk


def test_a_postgresql_server_whose_disk_is_full_keeps_what_it_acknowledged(place, small_server):
    """Room is left in its write-ahead log, which is allocated before."""
    server, disk = small_server
    with server.database() as uri, open_book(place, uri) as book:
        book.submit(large(1))
        ballast = disk / "ballast"
        with ballast.open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, shutil.disk_usage(disk).free - ROOM)
        full = ""
        number = 1
        while not full:
            number += 1
            assert number < MANY
            try:
                assert book.submit(large(number)).status == "ranked"
            except LogError as error:
                full = str(error)
        assert "53100" in full
        assert number > 2
        assert book.log.head() == number - 1
        assert book.outcome(f"large-{number}").status == "unknown"
        ballast.unlink()
        assert book.submit(large(number)).status == "ranked"
        assert_sound(book, {"asha": number})


def test_a_postgresql_log_that_is_full_refuses_and_records_nothing(place, postgres_uri):
    """PostgreSQL's own error, at a moment that is known."""
    with open_book(place, postgres_uri) as book:
        book.submit(result("asha", 1, id="a"))
        with psycopg.connect(postgres_uri, autocommit=True) as connection:
            connection.execute(REFUSE)
            for _again in range(3):
                with pytest.raises(LogError, match="53100"):
                    book.submit_many([result("asha", 2, id="b"), result("bram", 3, id="c")])
            assert book.outcome("b").status == "unknown"
            assert book.submit(result("asha", 1, id="a")).status == "ranked"
            assert_sound(book, {"asha": 1})
            connection.execute("DROP TRIGGER refuse ON rankbook_event")
        book.submit_many([result("asha", 2, id="b"), result("bram", 3, id="c")])
        assert_sound(book, {"asha": 3, "bram": 3})


@pytest.mark.parametrize("then", ENDS)
def test_rankings_that_are_full_leave_events_pending_and_rank_them_later(place, log, nursery, then):
    heard, ended = nursery.run("rankings_full", place, log, then=then)
    assert ended == ENDS[then], heard
    status = said(heard, "status")
    full = status.index("pending")
    assert full > 2
    assert status[:full] == ["ranked"] * full
    assert status[full : full + 4] == ["pending"] * 4
    assert (said(heard, "pending")[0], said(heard, "ranked")[0]) == (4, full + 1)
    if then == "room again":
        assert status[-1] == "ranked"
        assert said(heard, "pending")[-1] == 0
        assert said(heard, "ranked")[-1] == full + 6
    with open_book(place, log, boards=20, details=("note",)) as book:
        ids = acknowledged(heard)
        assert len(ids) == book.log.head() == said(heard, "number")[-1] + 1
        assert_sound(book, {f"p{id[1:]}": 1 for id in ids})
