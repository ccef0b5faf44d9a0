"""A book in the workers of a server that forks: every request is answered, with and without a
parent that had the book open before."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from rankbook import Rankbook
from tests.http.running import make_book
from tests.servers import free_port

REQUESTS = 600
SECONDS = 60


@pytest.fixture(params=[[], ["--preload"]], ids=["own", "preloaded"])
def server(request, tmp_path):
    """A gunicorn with three workers of four threads; where it answers, and its book."""
    directory = make_book(tmp_path / "book")
    port = free_port()
    words = [sys.executable, "-m", "gunicorn", "tests.faults.wsgi:application", *request.param]
    words += ["--bind", f"127.0.0.1:{port}", "--workers", "3", "--threads", "4"]
    environ = {**os.environ, "RANKBOOK_BOOK": str(directory)}
    process = subprocess.Popen(words, env=environ, stderr=subprocess.DEVNULL)
    try:
        with httpx.Client(transport=httpx.HTTPTransport(retries=10)) as client:
            client.get(f"http://127.0.0.1:{port}/", timeout=SECONDS)
        yield f"http://127.0.0.1:{port}", directory
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(SECONDS)


def test_every_request_is_answered_and_counted_once(server):
    url, directory = server
    with httpx.Client(timeout=SECONDS) as client, ThreadPoolExecutor(12) as threads:

        def ask(number):
            posted = client.post(f"{url}/e{number}")
            read = client.get(url)
            return posted.status_code, posted.json(), read.status_code

        assert set(threads.map(ask, range(REQUESTS // 2))) == {(200, "ranked", 200)}
    with Rankbook.open(directory) as book:
        assert book.ranking("speed").count() == REQUESTS // 2
        assert book.verify().agrees
