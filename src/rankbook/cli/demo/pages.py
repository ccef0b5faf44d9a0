"""The part of `rankbook demo` that serves the pages of the sample book, with new results."""

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from logging import getLogger
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from rankbook.cli.demo.sample import more
from rankbook.cli.screen.output import note, show
from rankbook.errors import RankbookError
from rankbook.model import Event

if TYPE_CHECKING:
    from litestar import Litestar

    from rankbook.http import Service

_log = getLogger(__name__)

HOST = "127.0.0.1"
PORT = 8000
LEAST_SECONDS, MOST_SECONDS = 0.8, 2.4


def serve(directory: Path, seed: int, seconds: float | None) -> None:
    """Serve the book until Ctrl-C, or for so many seconds, while new results arrive."""
    try:
        from rankbook import http
    except ModuleNotFoundError as error:
        note(f"The pages need the extra serve: pip install 'rankbook[serve]' ({error.name})")
        return
    _key, token = http.KeyRing.of_book(directory).create("demo", ["admin"])
    with _listening() as listening:
        address = http.address(listening)
        show("", f"The same as pages, while new results arrive: {address}/")
        show(f"For a screen on the wall: {address}/?wall=1")
        show(f"The page {address}/operations takes this key: {token}")
        ends = "Ctrl-C ends it." if seconds is None else f"It ends in {seconds:g} s, or by Ctrl-C."
        show(ends)
        around = partial(_going_on, more(seed), Random(seed), seconds)
        settings = http.Settings(directory=directory)
        http.serve(directory, settings, listening, around=[around])
    show("The demonstration is over.")


def _listening() -> socket.socket:
    """A socket on the usual port, or on a free one if that is taken."""
    from rankbook.http import listen

    try:
        return listen(HOST, PORT)
    except OSError:
        return listen(HOST, 0)


@asynccontextmanager
async def _going_on(
    events: Iterator[Event], rng: Random, seconds: float | None, application: "Litestar"
) -> AsyncIterator[None]:
    """Submit results while the service runs; after so many seconds, stop it."""
    served: Service = application.state.served
    tasks = [asyncio.create_task(_submit(served, events, rng))]
    if seconds is not None:
        tasks.append(asyncio.create_task(_end_after(seconds)))
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _submit(served: "Service", events: Iterator[Event], rng: Random) -> None:
    for event in events:
        await asyncio.sleep(rng.uniform(LEAST_SECONDS, MOST_SECONDS))
        try:
            await served.writer.submit([event])
        except RankbookError as error:
            _log.warning("a sample result was not recorded: %s", error)


async def _end_after(seconds: float) -> None:
    """Do what Ctrl-C does, after so many seconds."""
    await asyncio.sleep(seconds)
    signal.raise_signal(signal.SIGINT)
