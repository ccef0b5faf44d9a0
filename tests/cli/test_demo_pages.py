"""The part of the demonstration that serves, in a process of its own, over a small sample."""

import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from datetime import UTC, datetime

import httpx
import pytest

from rankbook import Rankbook
from rankbook.cli.books import make, template
from rankbook.cli.demo import pages, sample

SECONDS = 60
PROGRAM = """\
import sys
from pathlib import Path
from rankbook.cli.demo import pages
pages.LEAST_SECONDS, pages.MOST_SECONDS = 0.05, 0.1
pages.serve(Path(sys.argv[1]), 1, float(sys.argv[2]) or None)
"""


@pytest.fixture
def made(tmp_path):
    make(tmp_path / "book", template("typing"))
    with Rankbook.open(tmp_path / "book") as book:
        events = sample.results(1, datetime.now(UTC))
        book.submit_many([next(events) for _ in range(50)])
    return tmp_path / "book"


@contextmanager
def running(directory, seconds):
    """The process, and the address that it has printed."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(directory), str(seconds)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        env={"PYTHONUNBUFFERED": "1"},
        text=True,
    ) as process:
        guard = threading.Timer(SECONDS, process.kill)
        guard.start()
        try:
            said = ""
            while "ends" not in said:
                line = process.stdout.readline()
                assert line, said
                said += line
            yield process, re.search(r"http://127\.0\.0\.1:\d+", said)[0]
        finally:
            guard.cancel()
            process.kill()


def test_results_go_on_coming_until_ctrl_c_which_is_a_clean_end(made):
    with running(made, 0) as (process, address), httpx.Client(timeout=SECONDS) as client:
        assert "Today" in client.get(address, headers={"Accept": "text/html"}).text
        with client.stream("GET", f"{address}/v1/boards/speed/live") as stream:
            lines = stream.iter_lines()
            assert next(line for line in lines if line == "event: changes")
            process.send_signal(signal.SIGINT)
            assert list(lines)[-1] == ""
        assert process.wait(SECONDS) == 0
        assert process.stdout.read() == "The demonstration is over.\n"
    with Rankbook.open(made) as book:
        assert book.verify().agrees
        assert book.log.head() > 50


def test_it_ends_by_itself_after_the_seconds_that_it_was_given(made):
    with running(made, 0.2) as (process, _address):
        assert process.wait(SECONDS) == 0
        assert process.stdout.read() == "The demonstration is over.\n"


@pytest.fixture
def served(monkeypatch):
    """For how long the demonstration would serve, each time it would."""
    asked = []
    monkeypatch.setattr(pages, "serve", lambda _book, _seed, seconds: asked.append(seconds))
    monkeypatch.setattr("rankbook.cli.demo.demo._tour", lambda book, seed: None)
    return asked


def test_it_serves_where_stdout_is_no_terminal_only_when_told_for_how_long(
    rankbook, served, tmp_path
):
    assert rankbook("demo", "--book", tmp_path / "a").code == 0
    assert rankbook("demo", "--book", tmp_path / "b", "--seconds", "0").code == 0
    assert served == []
    assert rankbook("demo", "--book", tmp_path / "c", "--seconds", "3").code == 0
    assert rankbook("demo", "--book", tmp_path / "d", RANKBOOK_DEMO_SECONDS="4").code == 0
    assert served == [3.0, 4.0]


def test_a_time_that_is_none_is_refused_before_anything_is_made(rankbook, served, tmp_path):
    assert rankbook("demo", "--book", tmp_path / "made", "--seconds", "-1").code == 2
    assert not (tmp_path / "made").exists()
