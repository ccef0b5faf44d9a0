"""The application served by uvicorn in a thread of this process, over a book that a test holds."""

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import httpx
import uvicorn

from rankbook import Rankbook
from rankbook.http import Settings, app
from rankbook.http.server.serving import address, listen
from tests.http.running import SECONDS


class Threaded:
    """Where it is served, and what its handlers share."""

    def __init__(self, url: str, served) -> None:
        self.url = url
        self.served = served

    def client(self, *scopes: str) -> httpx.Client:
        """A client with a new key of these scopes."""
        headers = {}
        if scopes:
            token = self.served.keys.create("test", scopes)[1]
            headers = {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=SECONDS)


@contextmanager
def threaded(book: Rankbook, settings: Settings | None = None) -> Iterator[Threaded]:
    """Serve a book until the end."""
    application = app(book, settings)
    config = uvicorn.Config(application, lifespan="on", log_config=None)
    server = uvicorn.Server(config)
    with closing(listen("127.0.0.1", 0)) as listening:
        running = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        running.start()
        try:
            until = time.monotonic() + SECONDS
            while not server.started:
                assert running.is_alive()
                assert time.monotonic() < until
                time.sleep(0.01)
            yield Threaded(address(listening), application.state.served)
        finally:
            server.should_exit = True
            running.join(SECONDS)
