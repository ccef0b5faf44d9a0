"""What the handlers of one service share; it is at `app.state.served`."""

import time
from collections.abc import Callable
from hashlib import blake2b
from importlib.metadata import version
from typing import TypeVar

import msgspec
from litestar.concurrency import sync_to_thread

from rankbook.book import Clock, Rankbook, RankingView
from rankbook.http.auth.keys import KeyRing
from rankbook.http.auth.limits import Limits
from rankbook.http.body_cache import BodyCache
from rankbook.http.changes import ChangeFeed
from rankbook.http.jobs import Jobs
from rankbook.http.metrics import Metrics
from rankbook.http.settings import Settings
from rankbook.http.watch import Watch
from rankbook.http.writer import Writer
from rankbook.rules import BoardRules, BookSpec, Ranking, current

T = TypeVar("T")


class Service:
    """One book as it is served: its writer, keys, jobs, limits, kept bodies and watch.

    Each part starts when it is first needed. So a service also works under an application that does
    not pass on its lifespan.
    """

    def __init__(self, book: Rankbook, settings: Settings, clock: Clock, metrics: Metrics) -> None:
        self.book = book
        self.metrics = metrics
        self.settings = settings
        self.clock = clock
        self.started = time.time()
        self.local = not book.store.remote
        self.rules = tuple([BoardRules(board) for board in book.boards()])
        directory = settings.directory
        self.keys = KeyRing.of_book(directory)
        self.limits = Limits(settings)
        self.watch = Watch(book.store, settings, local=self.local)
        self.bodies = BodyCache(
            book.store,
            clock,
            epoch=epoch(book.spec),
            sealed_seconds=settings.sealed_seconds,
            private=not settings.read_open,
        )
        self.writer = Writer(
            book,
            queue_events=settings.queue_events,
            batch_events=settings.batch_events,
            upkeep_seconds=settings.upkeep_seconds,
            told=self.watch.tell,
            batched=metrics.batched,
        )
        self.jobs = Jobs(None if directory is None else directory / "jobs")
        self.streams = 0
        self.changes = ChangeFeed(book, settings.live_events)

    async def read(self, reads: Callable[[], T], *, long: bool = False) -> T:
        """What `reads` returns. With a store on this machine it is called at once, since it takes
        microseconds. With a store behind a network, or for a `long` read, it is called in a thread.
        """
        if self.local and not long:
            return reads()
        return await sync_to_thread(reads)

    def running(self, board: str | None = None) -> list[RankingView]:
        """A view of each window's current period, of one board or of all. Without tags a view may
        be of no ranking; it still says when its period ends. Raises `NotFound`."""
        if board is not None:
            self.book.spec.board(board)
        now_us = self.clock()
        return [
            RankingView(
                self.book.store,
                rules,
                Ranking(rules.board.name, name, span.id),
                span,
                now_us,
            )
            for rules in self.rules
            if board in (None, rules.board.name)
            for name, window in rules.windows.items()
            if (span := current(window, now_us)) is not None
        ]

    async def stop(self) -> None:
        """End the live streams, record waiting events, and stop everything that runs."""
        self.watch.stop()
        await self.jobs.close()
        await self.writer.close()


def epoch(spec: BookSpec) -> str:
    """A digest of what bodies depend on besides their rankings: the specification and the
    program."""
    boards = [[each.fingerprint(), each.size, each.numbering, each.details] for each in spec.boards]
    written = msgspec.json.encode([spec.name, boards, spec.bundles])
    return f"{blake2b(written, digest_size=8).hexdigest()} {version('rankbook')}"
