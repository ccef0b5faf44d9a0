"""Writers that wait for another process: for a bounded time, and not deaf to signals."""

import os
import signal
import subprocess
import sys

import pytest

from rankbook.engine.environment import Environment
from rankbook.errors import StoreDown, StoreError
from tests.engine.other import Other, surroundings
from tests.engine.reading import TINY, full_reading, opened

SPEC = (b"board", 8, 8)
IMPATIENT = {"patience_seconds": 0.05, **TINY}
FOR_EVER = {"patience_seconds": 3600, **TINY}
PROGRAM = """
import sys
from pathlib import Path
from rankbook.engine.environment import Environment
path, what = sys.argv[1:]
if what == "write":
    environment = Environment(Path(path), patience_seconds=3600)
print("ready", flush=True)
sys.stdin.readline()
if what == "open":
    environment = Environment(Path(path), patience_seconds=3600)
environment.update(lambda transaction: None)
"""


def entries(shift):
    return [(b"m%03d" % n, (n + shift).to_bytes(8, "big"), b"v") for n in range(60)]


def write(environment, shift):
    environment.update(lambda t: t.rankset(*SPEC).apply(entries(shift), shift + 1))


def read(environment):
    with environment.view() as transaction:
        return full_reading(transaction.rankset(*SPEC), [])


def stop_inside(other):
    """Stop the process in the middle of a write."""
    assert other.ask("update", *SPEC, entries(9), 9) == "inside"
    os.kill(other.process.pid, signal.SIGSTOP)
    os.waitpid(other.process.pid, os.WUNTRACED)


def go_on(other):
    os.kill(other.process.pid, signal.SIGCONT)
    assert other.ask("leave") == "committed"


@pytest.fixture
def other(tmp_path):
    """Another process over the same directory, which does not outlive the test."""
    other = Other(tmp_path, **TINY)
    yield other
    other.kill()


def test_a_write_behind_a_stopped_writer_is_an_error_that_names_it_and_reads_go_on(tmp_path, other):
    with opened(tmp_path, **IMPATIENT) as environment:
        write(environment, 0)
        before = read(environment)
        stop_inside(other)
        for _again in range(2):
            with pytest.raises(StoreDown, match=f"process {other.process.pid} has held the lock"):
                write(environment, 1)
            assert read(environment) == before
        go_on(other)
        write(environment, 2)
        assert read(environment)[2] == 3


def test_opening_behind_a_stopped_writer_is_an_error_and_can_be_tried_again(tmp_path, other):
    other.ask("apply", *SPEC, entries(0), 1)
    stop_inside(other)
    for _again in range(3):
        with pytest.raises(StoreDown, match="has held the lock"):
            Environment(tmp_path, **IMPATIENT)
    go_on(other)
    with opened(tmp_path, **IMPATIENT) as environment:
        assert read(environment)[2] == 9


@pytest.mark.parametrize("what", ["write", "open"])
def test_an_interrupt_ends_a_wait_for_a_stopped_writer(tmp_path, other, what):
    waiting = start(tmp_path, what)
    try:
        stop_inside(other)
        waiting.stdin.write("go on\n")
        waiting.stdin.flush()
        waiting.send_signal(signal.SIGINT)
        assert "KeyboardInterrupt" in waiting.communicate(timeout=60)[1]
    finally:
        waiting.kill()
        waiting.communicate()


def start(path, what):
    child = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, os.fspath(path), what],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=surroundings(),
    )
    assert child.stdout.readline() == "ready\n"
    return child


def test_a_killed_writer_keeps_nobody_waiting(tmp_path):
    with opened(tmp_path, **FOR_EVER) as environment:
        write(environment, 0)
        before = read(environment)
        other = Other(tmp_path, **TINY)
        assert other.ask("update", *SPEC, entries(9), 9) == "inside"
        other.kill()
        assert read(environment) == before
        write(environment, 1)
        assert read(environment)[2] == 2


def test_a_stopped_process_that_grows_the_map_is_waited_for_no_longer(tmp_path):
    with opened(tmp_path, **IMPATIENT) as environment:
        write(environment, 0)
        with environment._marker.growing(), pytest.raises(StoreDown, match="has held the lock"):
            environment.make_room(1e6)
        environment.make_room(100.0)
        write(environment, 1)


def test_writing_after_closing_is_still_a_plain_error(tmp_path):
    environment = Environment(tmp_path, **FOR_EVER)
    environment.close()
    with pytest.raises(StoreError, match="is closed"):
        write(environment, 1)
