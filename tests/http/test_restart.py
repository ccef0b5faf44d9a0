"""Killed under load, and stopped under load: nothing acknowledged is lost or counted twice."""

import os
import signal
import time
from pathlib import Path

from rankbook import Rankbook
from tests.http.load import TOML, check_all, load
from tests.http.running import SECONDS, key, make_book, service


def test_a_server_that_is_killed_under_load_loses_nothing_acknowledged(tmp_path):
    directory = make_book(tmp_path / "book", TOML)
    token = key(directory, "submit")
    with service(directory) as first:
        port = str(first.port)
        with load(first.url, token) as running:
            running.wait(200)
            first.stop(signal.SIGKILL)
            for _again in range(2):
                with service(directory, "--port", port) as next_one:
                    running.wait(200)
                    next_one.stop(signal.SIGKILL)
            with service(directory, "--port", port):
                running.wait(200)
                running.stop()
    assert running.troubles
    with Rankbook.open(directory) as book:
        check_all(book, running)


def test_a_server_that_is_stopped_under_load_answers_what_it_has_taken(tmp_path):
    directory = make_book(tmp_path / "book", TOML)
    token = key(directory, "submit")
    with service(directory) as first, load(first.url, token) as running:
        running.wait(200)
        said = first.stop(signal.SIGTERM)
        assert first.process.returncode == 0
        with service(directory, "--port", str(first.port)):
            running.wait(100)
            running.stop()
    assert "Traceback" not in said
    with Rankbook.open(directory) as book:
        check_all(book, running)


def workers(parent: int) -> list[int]:
    """The processes of the parent that have the book's log open."""
    found = []
    for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
        try:
            opened = [os.readlink(each) for each in Path(f"/proc/{child}/fd").iterdir()]
        except OSError:
            continue
        if any(each.endswith("log.sqlite") for each in opened):
            found.append(int(child))
    return found


def both(parent: int) -> list[int]:
    """The two workers, once they serve."""
    until = time.monotonic() + SECONDS
    while len(found := workers(parent)) < 2:
        assert time.monotonic() < until, found
        time.sleep(0.02)
    return found


def test_a_worker_that_is_killed_under_load_loses_nothing_and_is_replaced(tmp_path):
    directory = make_book(tmp_path / "book", TOML)
    token = key(directory, "submit")
    with service(directory, "--workers", "2") as found, load(found.url, token) as running:
        for _again in range(2):
            before = both(found.process.pid)
            running.wait(200)
            os.kill(before[0], signal.SIGKILL)
            running.wait(100)
        after = both(found.process.pid)
        assert after != before
        running.wait(100)
        running.stop()
        found.stop()
    with Rankbook.open(directory) as book:
        check_all(book, running)


def test_two_workers_on_one_book_share_the_work(tmp_path):
    directory = make_book(tmp_path / "book", TOML)
    token = key(directory, "submit")
    with service(directory, "--workers", "2") as found:
        assert len(both(found.process.pid)) == 2
        with load(found.url, token, clients=16) as running:
            running.wait(1000)
            running.stop()
        assert not running.troubles
    with Rankbook.open(directory) as book:
        check_all(book, running)
