"""Faults of neither disk nor server: held locks, clocks, races, bodies that cannot be read."""

import sqlite3
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest

from rankbook import Rankbook
from tests.book.home import Clock, result
from tests.faults.child import Nursery
from tests.faults.site import assert_sound, events_of, open_book, spec_of, totals
from tests.faults.test_postgres import at_once

EVENTS = 2000


def test_a_sqlite_transaction_held_open_makes_writers_wait_and_readers_not(place):
    with open_book(place, "sqlite:") as book, open_book(place, "sqlite:") as other:
        book.submit(result("asha", 1))
        with closing(sqlite3.connect(place / "log.sqlite", isolation_level=None)) as held:
            held.execute("BEGIN IMMEDIATE")
            book.record(result("held", 1, id="held"), connection=held)
            answers = []
            with at_once(
                *[
                    lambda each=each: answers.append(each.submit(result("asha", 1)))
                    for each in (book, other)
                ]
            ):
                assert totals(other) == {"asha": 1}
                assert book.outcome("held").status == "unknown"
                assert answers == []
                held.execute("COMMIT")
        assert [each.status for each in answers] == ["ranked"] * 2
        assert book.outcome("held").status == "ranked"
        assert [each.id for each in events_of(book)][1] == "held"
        assert_sound(book, {"asha": 3, "held": 1})


def set_back(clock, **by):
    clock.us -= timedelta(**by) // timedelta(microseconds=1)


@pytest.mark.parametrize("start", ["2026-11-30T12:00:00Z", "2026-12-01T00:30:00Z"])
def test_a_clock_that_steps_back_an_hour_loses_nothing_and_counts_nothing_twice(place, log, start):
    clock = Clock("2026-11-30T10:00:00Z")
    with Rankbook.open(place, spec=spec_of(log), clock=clock) as book:
        book.submit(result("asha", 1, id="a"))
        clock.set(start)
        book.submit(result("asha", 2, id="b"))
        seals = [each.id for each in events_of(book) if each.kind == "seal"]
        set_back(clock, hours=1)
        assert book.lag().seconds >= 0
        first = book.submit(result("asha", 4, id="c"))
        assert (first.status, first.rankings[0].why) == ("ranked", "added")
        assert book.submit(result("asha", 2, id="b")).status == "ranked"
        book.record(result("asha", 8, id="d"))
        set_back(clock, hours=1)
        assert book.lag().seconds >= 0
    with Rankbook.open(place, spec=spec_of(log), clock=clock) as book:
        assert book.submit(result("asha", 4, id="c")) == first
        assert_sound(book, {"asha": 15})
        clock.set("2026-12-01T02:00:00Z")
        book.close_due()
        assert_sound(book, {"asha": 15})
        sealed = [each.id for each in events_of(book) if each.kind == "seal"]
        assert len(sealed) == 1
        assert seals in ([], sealed)
        day = book.ranking("speed", window="daily", period="2026-11-30").entry("asha")
        assert day.score == (1 if seals else 15)


@pytest.mark.parametrize("step_events", [1, 37])
def test_two_folders_that_race_apply_each_event_once(place, log, new_store, nursery, step_events):
    count, store = EVENTS if step_events > 1 else EVENTS // 10, new_store()
    with open_book(place, log, store=store) as book, Nursery() as rival:
        book.record([result(f"p{n % 7}", 1, id=f"e{n}") for n in range(count)])
        for each in (nursery, rival):
            each.begin("fold", place, log, step_events=step_events, store=store)
            assert each.hear() == {"ready": True}
        (place / "go").touch()
        answers = [each.rest() for each in (nursery, rival)]
        assert [ended for _heard, ended in answers] == [0, 0], answers
        assert sum(heard[0]["applied"] for heard, _ended in answers) == count
        assert_sound(book, {f"p{p}": len(range(p, count, 7)) for p in range(7)})


def spoil(place, log, id):
    """Damage the body of an event in the log."""
    if log == "sqlite:":
        with closing(sqlite3.connect(place / "log.sqlite")) as connection, connection:
            connection.execute("UPDATE rankbook_event SET body = x'00' WHERE id = ?", (id,))
    else:
        with psycopg.connect(log) as connection:
            connection.execute("UPDATE rankbook_event SET body = '\\x00' WHERE id = %s", (id,))


@pytest.mark.parametrize("position", ["first", "middle", "last"])
def test_an_event_that_cannot_be_read_blocks_no_other(place, log, position):
    with open_book(place, log) as book:
        book.record([result("asha", 1, id=id) for id in ("first", "middle", "last")])
        spoil(place, log, position)
        assert book.submit(result("asha", 1, id="next")).status == "ranked"
        [aside] = book.doctor().unreadable
        assert aside.event_id == position
        assert book.outcome(position).status == "set_aside"
        assert_sound(book, {"asha": 3})
    with open_book(place, log) as book:
        assert_sound(book, {"asha": 3})
