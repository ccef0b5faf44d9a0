"""The group-committing writer: it records all waiting events in one durable transaction.

One thread writes. While it commits, submissions gather, and the next transaction takes them all. So
submissions that arrive during one commit share the next. A submission is all or nothing by itself.
If recording fails, the batch is halved until one submission fails alone. The whole batch fails only
if the log or the store cannot be used.

Submissions wait in lanes, one for each key, and a batch is filled round-robin, so one busy client
cannot starve the others. A client that disconnects takes nothing back: what it has sent is
recorded.
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
    """The writer cannot answer now. The message says what is known."""


class Waiting:
    """One submission: its events, and the future and loop that wait for its receipts."""

    __slots__ = ("events", "future", "loop", "ranks")

    def __init__(self, events: Sequence[Event], ranks: bool) -> None:
        self.events = [_named(event) for event in events]
        self.ranks = ranks
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[list[Receipt]] = self.loop.create_future()


def _named(event: Event) -> Event:
    """The event with an id. So if a smaller batch records it again, it counts once."""
    return event if event.id else msgspec.structs.replace(event, id=uuid.uuid4().hex)


Answer = list[Receipt] | BaseException
Answered = tuple[Waiting, Answer]


class Writer:
    """Records events in batches. Starts with the first submission. Safe to use from the event loops
    of many threads.

    `told` is called on a loop after each batch. `batched` is called in the writer's thread with the
    numbers of events and seconds. When idle, every `upkeep_seconds`, the writer ranks events that
    others have left pending, and closes what is due.
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
        """Start the thread, if it has not started. The upkeep of an idle book needs no
        submission."""
        if self._thread is None:
            with self._changed:
                self._start()

    def after_fork(self) -> None:
        """In a child: the thread does not exist, and the waiting submissions are the parent's."""
        self._changed = threading.Condition()
        self._thread = None
        self._lanes = OrderedDict()
        self._events = 0

    async def submit(
        self, events: Sequence[Event], *, lane: str = "", ranks: bool = True
    ) -> list[Receipt]:
        """Record events, all or none, and return their receipts.

        Raises what `Rankbook.submit_many` raises. Raises `Unavailable`, with nothing recorded, if
        too many events wait already or the writer is stopping.
        """
        waiting = Waiting(events, ranks)
        with self._changed:
            self._put(waiting, lane)
            self._changed.notify()
        return await asyncio.shield(waiting.future)

    async def close(self) -> None:
        """Take no more events, record the waiting ones, and stop. Closing twice is harmless."""
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
        """The next batch. Empty when it is time for upkeep; None when closed and done."""
        with self._changed:
            self._changed.wait_for(lambda: self._lanes or self._closing, self._upkeep_seconds)
            if not self._lanes:
                return None if self._closing else []
            batch = self._filled()
            self._events -= sum(len(each.events) for each in batch)
            return batch

    def _filled(self) -> list[Waiting]:
        """Fill a batch from the lanes in turn. A submission of any size fits into an empty
        batch."""
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
        """The batch with its answers: recorded in one step, or in halves if that fails."""
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
        """Wake each loop once, with all of its answers. A closed loop is skipped."""
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
        """Rank pending events, unless they are so new that another process is ranking them."""
        try:
            lag = self._book.lag()
            if not lag.events or lag.seconds >= LATE_SECONDS:
                self._book.catch_up()
            self.trouble = ""
        except Exception as error:
            if not self.trouble:
                LOGGER.warning("rankings cannot be caught up: %s", str(error) or repr(error))
            self.trouble = str(error) or repr(error)
