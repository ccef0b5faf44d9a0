"""Snapshots of processes that were killed while they read, and what keeps old states from reuse."""

import threading

import pytest

from rankbook.engine.environment import Environment
from rankbook.engine.readers import Reader, parse
from rankbook.engine.survey import survey
from tests.engine.other import Other
from tests.engine.reading import TINY, opened

SPEC = (b"board", 8, 8)


def write(environment, shift, value=b"v"):
    changes = [(b"m%03d" % n, (n + shift).to_bytes(8, "big"), value) for n in range(60)]
    environment.update(lambda t: t.rankset(*SPEC).apply(changes, shift + 1))


def behind(environment):
    """Process id -> how many transactions its oldest snapshot is behind."""
    found = {}
    for each in environment.readers():
        found[each.pid] = max(each.behind, found.get(each.pid, 0))
    return found


def hold_while(environment, other):
    """The process takes a snapshot, which is then three transactions old."""
    assert other.ask("view") == "inside"
    for shift in (1, 2, 3):
        write(environment, shift)


def test_a_reader_is_named_with_its_process_and_how_old_its_state_is(tmp_path):
    with opened(tmp_path, **TINY) as environment, Other(tmp_path, **TINY) as other:
        write(environment, 0)
        assert behind(environment) == {}
        hold_while(environment, other)
        [reader] = environment.readers()
        assert (reader.pid, reader.behind) == (other.process.pid, 3)
        assert "other.py" in reader.command
        assert reader.running_seconds >= 0
        assert [each.pid for each in survey(environment)["readers"]] == [other.process.pid]
        other.ask("leave")
        assert behind(environment) == {}


def test_a_reader_of_the_newest_state_keeps_nothing_from_reuse_and_is_not_surveyed(tmp_path):
    with opened(tmp_path, **TINY) as environment, Other(tmp_path, **TINY) as other:
        write(environment, 0)
        assert other.ask("view") == "inside"
        assert behind(environment) == {other.process.pid: 0}
        assert survey(environment)["readers"] == []
        other.ask("leave")


def test_slots_without_a_snapshot_and_processes_that_are_gone_are_read_too():
    table = "    pid     thread     txnid\n 999999999 7f00 12\n 1 7f01 -\n 1 7f02 20\n"
    oldest, newest = parse(table, 20)
    assert oldest == Reader(pid=999999999, behind=8, command=None, running_seconds=None)
    assert (newest.pid, newest.behind) == (1, 0)
    assert parse("(no active readers)\n", 20) == []


def test_opening_frees_what_a_killed_reader_kept(tmp_path):
    with Other(tmp_path, **TINY):
        killed = Other(tmp_path, **TINY)
        assert killed.ask("view") == "inside"
        killed.kill()
        with opened(tmp_path, **TINY) as environment:
            assert behind(environment) == {}


def test_the_sync_in_the_background_frees_what_a_killed_reader_kept(tmp_path):
    with opened(tmp_path, sync_seconds=0.001, **TINY) as environment:
        write(environment, 0)
        other = Other(tmp_path, **TINY)
        assert other.ask("view") == "inside"
        other.kill()
        assert other.process.pid in behind(environment)
        write(environment, 1)
        for timer in [each for each in threading.enumerate() if isinstance(each, threading.Timer)]:
            timer.join()
        assert other.process.pid not in behind(environment)


def test_a_killed_reader_does_not_make_the_file_grow(tmp_path):
    value = b"x" * 2000
    with opened(tmp_path, sync_seconds=1000) as environment:
        for shift in range(20):
            write(environment, shift, value)
        size = environment.sizes()["file_bytes"]
        other = Other(tmp_path)
        assert other.ask("view") == "inside"
        other.kill()
        for shift in range(20, 60):
            write(environment, shift, value)
        assert environment.sizes()["file_bytes"] == size
        assert other.process.pid not in behind(environment)


def test_a_living_reader_keeps_its_state_while_the_file_grows(tmp_path):
    value = b"x" * 2000
    with opened(tmp_path, sync_seconds=1000) as environment:
        write(environment, 0, value)
        size = environment.sizes()["file_bytes"]
        with Other(tmp_path) as other:
            before = other.ask("read", *SPEC)
            assert other.ask("view") == "inside"
            for shift in range(1, 60):
                write(environment, shift, value)
            assert environment.sizes()["file_bytes"] > size
            assert other.ask("read", *SPEC) == before
            other.ask("leave")


def test_readers_of_a_closed_environment_cannot_be_asked_for(tmp_path):
    environment = Environment(tmp_path)
    environment.close()
    with pytest.raises(Exception, match="closed"):
        environment.readers()
