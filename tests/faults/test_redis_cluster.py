"""A cluster whose node dies, and whose slots move, under a book."""

import signal

import pytest

from rankbook import BookSpec, Rankbook
from rankbook.errors import StoreError
from tests.book.home import board, result
from tests.faults.site import assert_sound, noon_of
from tests.redis_servers import redis_cluster
from tests.servers import Missing, skip_or_fail

TAG = "book"
BOARD = board("speed", keep="total", windows=("all-time", "daily"))


@pytest.fixture(scope="module")
def nodes():
    """A cluster of these tests' own, whose nodes may be stopped."""
    try:
        with redis_cluster() as cluster:
            yield cluster
    except Missing as missing:
        skip_or_fail(missing)


@pytest.fixture
def book(nodes, place):
    spec = BookSpec(name="book", boards=(BOARD,), store=nodes.uri(TAG))
    with Rankbook.open(place, spec=spec, clock=noon_of(0)) as book:
        for number in range(5):
            book.submit(result("asha", 1, id=f"first-{number}"))
        yield book
    nodes.flush()


def test_a_node_that_dies_leaves_results_pending_until_it_is_back(nodes, book):
    owner = nodes.owner(TAG)
    owner.stop(signal.SIGKILL)
    assert book.submit(result("asha", 10, id="down")).status == "pending"
    with pytest.raises(StoreError):
        book.fold()
    owner.start()
    nodes.wait()
    assert book.submit(result("asha", 100, id="up")).status == "ranked"
    assert_sound(book, {"asha": 115})


def test_a_process_that_starts_while_another_node_is_dead_uses_the_others(nodes, book, place):
    dead = next(node for node in nodes.nodes if node is not nodes.owner(TAG))
    dead.stop(signal.SIGKILL)
    for _again in range(5):
        with Rankbook.open(place, spec=book.spec, clock=noon_of(0)) as other:
            assert other.ranking("speed").entry("asha").score == 5
    dead.start()
    nodes.wait()
    assert_sound(book, {"asha": 5})


def test_a_slot_that_moves_to_another_node_takes_the_book_with_it(nodes, book):
    slot = nodes.nodes[0].say("CLUSTER", "KEYSLOT", f"{{{TAG}}}")
    source = nodes.owner(TAG)
    target = next(node for node in nodes.nodes if node is not source)
    names = {node: node.say("CLUSTER", "MYID") for node in (source, target)}
    target.say("CLUSTER", "SETSLOT", slot, "IMPORTING", names[source])
    source.say("CLUSTER", "SETSLOT", slot, "MIGRATING", names[target])
    sent = 0
    while keys := source.say("CLUSTER", "GETKEYSINSLOT", slot, 2):
        source.say("MIGRATE", "127.0.0.1", target.port, "", 0, 5000, "KEYS", *keys)
        receipt = book.submit(result("asha", 10, id=f"moving-{sent}"))
        assert receipt.status in ("ranked", "pending")
        sent += 1
    assert sent > 2
    for node in (target, source, *nodes.nodes):
        node.say("CLUSTER", "SETSLOT", slot, "NODE", names[target])
    assert book.submit(result("asha", 100, id="moved")).status == "ranked"
    assert source.say("CLUSTER", "COUNTKEYSINSLOT", slot) == 0
    assert target.say("CLUSTER", "COUNTKEYSINSLOT", slot) > 5
    assert_sound(book, {"asha": 105 + 10 * sent})


def test_all_keys_of_a_book_are_in_one_slot(nodes, book):
    found = [len(node.say("KEYS", "*")) for node in nodes.nodes]
    assert sorted(found)[:2] == [0, 0]
    assert max(found) > 5
    assert_sound(book, {"asha": 5})
