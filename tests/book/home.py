"""Where a test's book lives: one log on disk, one store, and as many `Rankbook`s on them as asked.

`Home.open` gives each `Rankbook` its own connection to the log and its own fold, over the one
store, so that closing a book and opening it again works for the store in memory too.
"""

from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from rankbook import Board, BookSpec, Event, Rankbook
from rankbook.log import open_log
from rankbook.rules import micros
from rankbook.rules.options import MAX_SECONDS
from rankbook.store import open_store

PROJECT = Path(__file__).resolve().parents[2]
NOON = "2026-11-30T12:00:00Z"

STORES = {
    "memory": ("memory:", {}),
    "embedded": ("embedded:", {}),
    "trees": ("embedded:", {"page_bytes": 200, "compact_bytes": 0, "cache_pages": 20}),
}
# Stores on servers -> the fixture with the URI of an empty one.
SERVERS = {"redis": "redis_uri", "cluster": "cluster_uri", "upstash": "upstash_uri"}


def any_time(spec):
    """The book, which takes results of any time: a test of it need not set the clock for each."""
    return msgspec.structs.replace(spec, max_ahead_seconds=MAX_SECONDS)


class Clock:
    """A clock that a test sets."""

    def __init__(self, text=NOON):
        self.set(text)

    def __call__(self):
        return self.us

    def set(self, text):
        self.us = micros(when(text))


class Wrapped:
    """A store that hands every call on to another, as if over a network; closing it leaves the
    other one open."""

    remote = True

    def __init__(self, store):
        self.inner = store
        self.closed = False

    def position(self):
        return self.inner.position()

    def entries(self, wanted):
        return self.inner.entries(wanted)

    def publish(self, changes, receipts, *, expect, then, drops=()):
        self.inner.publish(changes, receipts, expect=expect, then=then, drops=drops)

    def read(self, queries):
        return self.inner.read(queries)

    def receipts(self, seqs):
        return self.inner.receipts(seqs)

    def audit(self):
        return self.inner.audit()

    def close(self):
        self.closed = True


class Home:
    """One log and one store under `path`. `agrees` is cleared by a test that does damage."""

    def __init__(self, kind, path, clock, uri=None):
        self.on_server = uri is not None
        uri, capacities = (uri, {}) if uri else STORES[kind]
        self.path = path
        self.clock = clock
        self.store = open_store(uri, path, **capacities)
        self.agrees = True
        self.spec = None
        self._books = []

    def open(self, *boards, spec=None, wrap=Wrapped, **more):
        """A book on the log and the store; of the same boards as before where none are given."""
        if boards:
            spec = BookSpec(name="book", boards=boards, **more)
        self.spec = any_time(spec) if spec else self.spec
        book = Rankbook(
            self.spec, open_log("sqlite:", self.path), wrap(self.store), clock=self.clock
        )
        self._books.append(book)
        return book

    def end(self):
        """Close everything, after a check that the rankings are what the log says."""
        try:
            if self.agrees and self.spec is not None:
                book = self.open()
                book.fold()
                assert_agrees(book)
        finally:
            for book in self._books:
                book.close()
            self.store.close()


@contextmanager
def home_in(path, kind="memory", clock=None):
    """A home that a test opens by itself."""
    home = Home(kind, path, clock or Clock())
    try:
        yield home
    except BaseException:
        home.agrees = False
        raise
    finally:
        home.end()


def assert_agrees(book):
    found = book.verify()
    assert found.disagreements == (), found.disagreements[:3]
    assert found.faults == ()
    assert found.agrees
    assert found.position == book.store.position()
    return found


def when(text):
    return datetime.fromisoformat(text)


def result(player, score=0, *, id="", at=None, profile=None, **values):
    """A result with a score, and whatever other values."""
    return Event(
        player=player,
        values={"score": score, **values},
        id=id,
        at=None if at is None else when(at),
        profile=profile or {},
    )


def board(name="speed", **changes):
    """A board by score, higher first; `changes` are its other fields."""
    return Board(
        **{"name": name, "measures": {"score": "score"}, "order_by": ("score desc",), **changes}
    )


def listed(standings):
    return [(entry.rank, entry.player) for entry in standings.entries]


def players(standings):
    return [entry.player for entry in standings.entries]


def row(entry):
    """What an entry is, without its rank."""
    return entry.score, entry.details, entry.profile, entry.event_id
