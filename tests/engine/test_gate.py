"""Who is inside a map, and who waits for that: never a reader for another reader."""

import threading

import pytest

from rankbook.engine import gate
from rankbook.engine.gate import Gate
from rankbook.errors import StoreError
from tests.engine.reading import opened

SPEC = (b"board", 8, 8)


def running(work):
    thread = threading.Thread(target=work)
    thread.start()
    return thread


@pytest.fixture
def waiting():
    """A gate with one thread inside, and another that waits to be alone; and how to end both."""
    made = Gate("a map")
    inside, leave, tried, alone = [threading.Event() for _ in range(4)]

    def hold():
        with made.inside():
            inside.set()
            leave.wait()

    def grow():
        tried.set()
        with made.alone():
            alone.set()

    holder = running(hold)
    inside.wait()
    grower = running(grow)
    tried.wait()
    yield made, alone, leave
    leave.set()
    holder.join()
    grower.join()
    assert alone.is_set()


def test_readers_come_and_go_while_somebody_waits_for_a_long_reader(waiting):
    made, alone, _leave = waiting
    for _reader in range(50):
        with made.inside():
            assert not alone.is_set()


def test_whoever_waits_to_be_alone_is_so_once_the_long_reader_has_left(waiting):
    _made, alone, leave = waiting
    leave.set()
    assert alone.wait(60)


def test_waiting_to_be_alone_ends_with_an_error_and_leaves_the_gate_open(waiting, monkeypatch):
    made, _alone, _leave = waiting
    monkeypatch.setattr(gate, "PATIENCE_SECONDS", 0)
    with pytest.raises(StoreError, match="held too long"), made.alone():
        raise AssertionError("not alone")
    with made.inside():
        pass


def test_reads_go_on_while_growth_waits_for_a_snapshot_that_is_held(tmp_path):
    with opened(tmp_path) as environment:
        environment.update(lambda t: t.rankset(*SPEC).put(b"m", bytes(8), b"v"))
        inside, leave = threading.Event(), threading.Event()

        def hold():
            with environment.view():
                inside.set()
                leave.wait()

        holder = running(hold)
        inside.wait()
        grower = running(lambda: environment.make_room(100.0))
        size = environment.sizes()["file_bytes"]
        for _read in range(50):
            with environment.view() as transaction:
                assert len(transaction.rankset(*SPEC)) == 1
        assert environment.sizes()["file_bytes"] == size
        leave.set()
        holder.join()
        grower.join()
        assert environment.sizes()["file_bytes"] > size
