"""The group-committing writer: everything that waits is recorded in one durable transaction.

One thread writes. While it commits, submissions gather, and the next transaction takes them all, so
that a commit is shared by who came during the one before. A submission is all or nothing by itself.
Whatever one of them raises, the batch is halved until that one fails alone. Only where the log or
the store cannot be used does the whole batch fail.

Submissions wait in lanes, one for each key, and a batch is filled from the lanes in turn, so that
who sends much does not keep out who sends little. A client that goes away takes nothing back: what
it has sent is recorded.
"""

import asyncio
import logging
import threading
import time
import uuid
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from rankbook.book import Rankbook
from rankbook.errors import BookError, LogError, RankbookError, StoreError
from rankbook.forks import on_fork
from rankbook.model import Event, Receipt

LATE_SECONDS = 1.0
LOGGER = logging.getLogger(__name__)

# No single event brings these about: smaller batches would fail, too.
_EVERYONES = (BookError, LogError, StoreError)


class Unavailable(RankbookError):
    """The writer cannot answer now; says what is known."""


class Waiting:
    """One submission: its events, and who waits for the receipts on which loop."""

    __slots__ = ("events", "future", "loop", "ranks")

    def __init__(self, events: Sequence[Event], ranks: bool) -> None:
        self.events = [_named(event) for event in events]
        self.ranks = ranks
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[list[Receipt]] = self.loop.create_future()


def _named(event: Event) -> Event:
    """The event with an id, so that recording it again in a smaller batch records it once."""
    return event if event.id else msgspec.structs.replace(event, id=uuid.uuid4().hex)


Answer = list[Receipt] | BaseException
Answered = tuple[Waiting, Answer]


class Writer:
    """Records what it is given, in batches. Starts with the first submission; safe to use from
    the event loops of many threads.

    `told` is called on a loop after each batch; `batched` in the writer's thread with the number
    of events and of seconds. When idle, every `upkeep_seconds`, it ranks what others have left
    pending, and closes what is due.
    """

    def __init__(
        self,
        book: Rankbook,
        *,
        queue_events: int = 20_000,
        batch_events: int = 1000,
        upkeep_seconds: float = 1.0,
        told: Callable[[], object] = lambda: None,
        batched: Callable[[int, float], object] = lambda _events, _seconds: None,
    ) -> None:
        self.told = told
        self.batched = batched
        self.trouble = ""
        self._book = book
        self._queue_events = queue_events
        self._batch_events = batch_events
        self._upkeep_seconds = upkeep_seconds
        self._lanes: OrderedDict[str, deque[Waiting]] = OrderedDict()
        self._events = 0
        self._closing = False
        self._thread: threading.Thread | None = None
        self._changed = threading.Condition()
        on_fork(self)

    @property
    def waiting(self) -> int:
        """How many events wait to be recorded."""
        return self._events

    def start(self) -> None:
        """Begin, if it has not begun: the upkeep of an idle book needs no submission."""
        if self._thread is None:
            with self._changed:
                self._start()

    def after_fork(self) -> None:
        """In a child: the thread is not there, and what waits is the parent's."""
        self._changed = threading.Condition()
        self._thread = None
        self._lanes = OrderedDict()
        self._events = 0

    async def submit(
        self, events: Sequence[Event], *, lane: str = "", ranks: bool = True
    ) -> list[Receipt]:
        """Record events, all or none, and give their receipts.

        Raises what `Rankbook.submit_many` does, and `Unavailable` with nothing recorded where too
        much waits already or the writer stops.
        """
        waiting = Waiting(events, ranks)
        with self._changed:
            self._put(waiting, lane)
            self._changed.notify()
        return await asyncio.shield(waiting.future)

    async def close(self) -> None:
        """Take nothing more, record what waits, and stop. Closing twice is harmless."""
        with self._changed:
            self._closing = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            await asyncio.to_thread(thread.join)

    def _put(self, waiting: Waiting, lane: str) -> None:
        if self._closing:
            raise Unavailable("the service stops; nothing was recorded")
        if self._events and self._events + len(waiting.events) > self._queue_events:
            raise Unavailable(f"{self._events} events wait already; nothing was recorded")
        self._lanes.setdefault(lane, deque()).append(waiting)
        self._events += len(waiting.events)
        self._start()

    def _start(self) -> None:
        if self._thread is None and not self._closing:
            self._thread = threading.Thread(target=self._run, name="rankbook-writer", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while (batch := self._taken()) is not None:
            if not batch:
                self._upkeep()
                continue
            began = time.perf_counter()
            answered = self._recorded(batch)
            self.batched(sum(len(each.events) for each in batch), time.perf_counter() - began)
            self._tell(answered)

    def _taken(self) -> list[Waiting] | None:
        """The next batch; empty when it is time for upkeep, None when closed and all is done."""
        with self._changed:
            self._changed.wait_for(lambda: self._lanes or self._closing, self._upkeep_seconds)
            if not self._lanes:
                return None if self._closing else []
            batch = self._filled()
            self._events -= sum(len(each.events) for each in batch)
            return batch

    def _filled(self) -> list[Waiting]:
        """From each lane in turn, until the batch is full. One of any size is a batch, too."""
        batch: list[Waiting] = []
        size = 0
        while self._lanes:
            name, lane = next(iter(self._lanes.items()))
            if batch and size + len(lane[0].events) > self._batch_events:
                break
            batch.append(lane.popleft())
            size += len(batch[-1].events)
            self._lanes.move_to_end(name)
            if not lane:
                del self._lanes[name]
        return batch

    def _recorded(self, batch: Sequence[Waiting]) -> list[Answered]:
        """The batch with its answers: recorded in one step, or in halves where that fails."""
        events = [event for each in batch for event in each.events]
        try:
            made = self._book.submit_many(events, ranks=any(each.ranks for each in batch))
        except Exception as error:
            if len(batch) == 1 or isinstance(error, _EVERYONES):
                return [(each, error) for each in batch]
            middle = len(batch) // 2
            return [*self._recorded(batch[:middle]), *self._recorded(batch[middle:])]
        receipts = iter(made)
        return [(each, [next(receipts) for _ in each.events]) for each in batch]

    def _tell(self, answered: Sequence[Answered]) -> None:
        """Wake each loop once, with all answers that are for it. One that is closed hears none."""
        by_loop: dict[asyncio.AbstractEventLoop, list[Answered]] = {}
        for each in answered:
            by_loop.setdefault(each[0].loop, []).append(each)
        for loop, theirs in by_loop.items():
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(self._answer, theirs)

    def _answer(self, answered: Sequence[Answered]) -> None:
        for waiting, answer in answered:
            if waiting.future.done():
                continue
            if isinstance(answer, BaseException):
                waiting.future.set_exception(answer)
                waiting.future.exception()  # Whoever waited may be gone: then nobody asks.
            else:
                waiting.future.set_result(answer)
        self.told()

    def _upkeep(self) -> None:
        """Rank what is pending, unless it is so new that another process is at it."""
        try:
            lag = self._book.lag()
            if not lag.events or lag.seconds >= LATE_SECONDS:
                self._book.catch_up()
            self.trouble = ""
        except Exception as error:
            if not self.trouble:
                LOGGER.warning("rankings cannot be caught up: %s", str(error) or repr(error))
            self.trouble = str(error) or repr(error)
