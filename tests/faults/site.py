"""The book that faults are made in: a board of totals, where what is counted twice shows."""

from collections import Counter
from contextlib import contextmanager
from threading import Event, Thread

import psycopg

from rankbook import BookSpec, Rankbook
from rankbook.rules import micros
from tests.book.home import NOON, assert_agrees, board, result, when
from tests.cases.saying import forget, void

DAY_US = 86_400_000_000
PAGE = 1000
LOOKS = 3000
OTHERS = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


def spec_of(log, boards=1, store="embedded:", **changes):
    """A book of totals, by all time and by day, or of several boards alike."""
    changes = {"keep": "total", "windows": ("all-time", "daily"), "seal": True, **changes}
    names = ["speed", *[f"speed{number}" for number in range(1, boards)]]
    every = tuple(board(name, **changes) for name in names)
    return BookSpec(name="book", boards=every, log=log, store=store)


def noon_of(day):
    """A clock that stands at noon of a day, counted from the first one."""
    now_us = micros(when(NOON)) + day * DAY_US
    return lambda: now_us


def open_book(directory, log, day=0, catch_up=True, **changes):
    spec = spec_of(log, **changes)
    return Rankbook.open(directory, spec=spec, clock=noon_of(day), catch_up=catch_up)


def batches_of(turn):
    """What one turn submits, call by call; each turn has players of its own."""
    player = f"p{turn}"
    return [
        [result(player, turn + 1, id=f"{turn}-a")],
        [result(player, 1000, id=f"{turn}-b"), result("other", 7, id=f"{turn}-c")],
        [void(f"{turn}-b", id=f"{turn}-v")],
        [result(f"gone{turn}", 5, id=f"{turn}-d")],
        [forget(f"gone{turn}", id=f"{turn}-e")],
    ]


def until_left(log):
    """Wait until a PostgreSQL server has ended all sessions in the log's database.

    When a client is killed, the server still runs the statement that it was sent, and commits it.
    """
    if log.startswith("postgres"):
        with psycopg.connect(log, autocommit=True) as connection:
            until(lambda: connection.execute(OTHERS).fetchone() == (0,))


def until(true):
    """Wait until a function answers True."""
    pause = Event()
    for _look in range(LOOKS):
        if true():
            return
        pause.wait(0.01)
    raise TimeoutError("it does not come true")


def events_of(book, after=0):
    """Every event of the log after a position."""
    while page := book.log.read(after, PAGE):
        yield from page
        after = page[-1].seq


def totals(book, name="speed"):
    """Player -> total, of the players who have one."""
    return Counter({each.player: each.score for each in book.ranking(name).top(PAGE).entries})


def assert_sound(book, wanted=None):
    """Nothing is pending, the totals are these, and the rankings are what the log says."""
    assert book.pending() == 0
    assert wanted is None or totals(book) == wanted
    assert_agrees(book)


@contextmanager
def at_once(*works):
    """Run them beside the block; what one raises fails the test."""
    errors = []

    def run(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=run, args=[work]) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()
    assert errors == []
