"""The watch: it wakes tasks when the rankings have moved.

The writer of this process calls it at once. To see what other processes publish, it reads the
store's position now and then, while a task waits. It wakes tasks only a few times a second, so that
they get many changes as one.
"""

import asyncio
from contextlib import suppress

from litestar.concurrency import sync_to_thread

from rankbook.errors import StoreError
from rankbook.http.settings import Settings
from rankbook.store import Store

AT_MOST_SECONDS = 0.1


class Watch:
    """The position of the rankings, and waiting for it to move. It belongs to the event loop of the
    first task that waits. Call `tell` and `stop` on that loop too."""

    def __init__(self, store: Store, settings: Settings, *, local: bool) -> None:
        self.stopped = False
        self._store = store
        self._seconds = settings.watch_seconds
        self._local = local
        self._announced = 0
        self._announced_at = 0.0
        self._moved = asyncio.Event()
        self._told = asyncio.Event()
        self._waiting = 0
        self._looking: asyncio.Task[None] | None = None

    async def position(self) -> int:
        """The position of the rankings now. Raises `StoreError`."""
        if self._local:
            return self._store.position()
        return await sync_to_thread(self._store.position)

    async def changed(self, after: int | None = None) -> int:
        """Wait until the rankings have moved on from `after`, or from now. Returns the position.

        When the watch is stopped, it returns at once with the last known position.
        """
        if after is None:
            after = await self.position()
        self._waiting += 1
        try:
            while self._announced <= after and not self.stopped:
                self._start()
                await self._moved.wait()
        finally:
            self._waiting -= 1
        return self._announced

    def tell(self) -> None:
        """Look at the position at once, because the rankings may have moved."""
        self._told.set()

    def stop(self) -> None:
        """Release every waiting task, now and later."""
        self.stopped = True
        self._told.set()
        self._moved.set()

    def _start(self) -> None:
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        """Look at the position until no task waits."""
        loop = asyncio.get_running_loop()
        while self._waiting and not self.stopped:
            # A store that is down has not moved, as far as anybody can tell.
            with suppress(StoreError):
                position = await self.position()
                if position > self._announced:
                    self._announce(position, loop.time())
            self._told.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), self._seconds)
            since = loop.time() - self._announced_at
            if since < AT_MOST_SECONDS and not self.stopped:
                await asyncio.sleep(AT_MOST_SECONDS - since)

    def _announce(self, position: int, at: float) -> None:
        self._announced, self._announced_at = position, at
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
