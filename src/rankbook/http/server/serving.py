"""Running the service: one process, or a parent that keeps several alive on one socket.

SIGTERM and SIGINT stop it gracefully: live streams end, open requests are answered, and waiting
events are recorded.
"""

import asyncio
import multiprocessing.connection
import os
import signal
import socket
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from litestar import Litestar
from uvicorn.supervisors import Multiprocess

from rankbook.book import Rankbook
from rankbook.http.app import Lifespan, app
from rankbook.http.metrics import SHARED
from rankbook.http.server.connections import Connection
from rankbook.http.service import Service
from rankbook.http.settings import Settings

BACKLOG = 2048
GRACE_SECONDS = 30
SIGNALS = (signal.SIGTERM, signal.SIGINT)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=BACKLOG)


def address(listening: socket.socket) -> str:
    """The address for a browser."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    directory: Path,
    settings: Settings,
    listening: socket.socket,
    *,
    workers: int = 1,
    access_log: bool = False,
    around: Sequence[Lifespan] = (),
) -> None:
    """Serve the book of a directory until a signal stops it. A worker that dies is replaced.

    `around` are entered when a process starts to serve, as those of `app`.
    """
    config = uvicorn.Config(
        partial(made, directory, settings, around),
        factory=True,
        http=Connection,
        workers=workers,
        lifespan="on",
        log_level="info" if access_log else "warning",
        access_log=access_log,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    _leave_alone()
    if workers == 1:
        uvicorn.Server(config).run(sockets=[listening])
        return
    with TemporaryDirectory(prefix="rankbook-metrics-") as counts:
        # Workers are started anew, and find it in their environment.
        os.environ[SHARED] = counts
        Multiprocess(config, sockets=[listening]).run()


def made(directory: Path, settings: Settings, around: Sequence[Lifespan] = ()) -> Litestar:
    """The application of one process, with a book of its own that it closes."""
    book = Rankbook.open(directory)
    application = app(book, settings, around=[partial(_process, book), *around])
    return application


def _end_with_parent() -> None:
    """Stop this worker gracefully when its parent has ended, however that ended."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        multiprocessing.connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="rankbook-parent", daemon=True).start()


@asynccontextmanager
async def _process(book: Rankbook, application: Litestar) -> AsyncIterator[None]:
    served: Service = application.state.served
    loop = asyncio.get_running_loop()
    _told_of_signals(lambda: loop.call_soon_threadsafe(served.watch.stop))
    _end_with_parent()
    try:
        yield
    finally:
        book.close()


def _told_of_signals(stop: Callable[[], object]) -> None:
    """Also call `stop` at a signal, before the server waits for open connections to end."""
    for number in SIGNALS:
        before = signal.getsignal(number)

        def handle(given: int, frame: object, before: object = before) -> None:
            stop()
            if callable(before):
                before(given, frame)

        signal.signal(number, handle)


def _leave_alone() -> None:
    """Ignore the signal that stopped the server: it raises it once more for earlier handlers,
    although it has already acted on it."""
    for number in SIGNALS:
        signal.signal(number, lambda _number, _frame: None)
