"""A book in parts on real servers: spread over the nodes of a cluster, killed, damaged, rebuilt."""

import os
import subprocess
import sys
from contextlib import contextmanager

import pytest

from rankbook import BookSpec, Rankbook
from rankbook.log import open_log
from rankbook.store import open_store
from rankbook.store.base import Change
from tests.book.home import PROJECT, assert_agrees, board, players, result
from tests.book.parted import TWO, spread_days
from tests.redis_servers import redis_cluster
from tests.servers import Missing, skip_or_fail

MANY = 12


@contextmanager
def book_at(uri, place, clock, partition, boards=TWO, **more):
    spec = BookSpec(name="book", boards=boards, partition=partition, partitions=MANY)
    log, store = open_log("sqlite:", place), open_store(uri, place)
    with Rankbook(spec, log, store, clock=clock, **more) as book:
        yield book


@pytest.fixture
def nodes():
    """A cluster of a test's own, of which it may kill nodes."""
    try:
        with redis_cluster() as cluster:
            yield cluster
    except Missing as missing:
        skip_or_fail(missing)


def owners(cluster, book):
    """Part -> the node that has its slot, as the cluster itself says."""
    names = book.store.partition.names
    found = {}
    for name, store in zip(names, book.store.parts, strict=True):
        slot = cluster.nodes[0].say("CLUSTER", "KEYSLOT", f"rankbook:1:{{{store.tag}}}:head")
        for start, stop, (_host, port, *_more), *_replicas in cluster.nodes[0].say(
            "CLUSTER", "SLOTS"
        ):
            if start <= slot <= stop:
                found[name] = port
    return found


@pytest.mark.parametrize("partition", ["board", "period"])
def test_parts_are_spread_over_the_nodes_of_a_cluster(
    cluster, cluster_uri, place, clock, partition
):
    boards = tuple([board(f"board-{n}", windows=("all-time", "daily")) for n in range(6)])
    clock.set("2026-11-30T12:00:00Z")
    with book_at(cluster_uri, place, clock, partition, boards) as book:
        assert len(set(owners(cluster, book).values())) >= 2
        receipts = book.submit_many([result(f"p{n}", n, id=f"e{n}") for n in range(20)])
        assert {each.status for each in receipts} == {"ranked"}
        assert {len(each.rankings) for each in receipts} == {12}
        assert sum(node.say("DBSIZE") > 0 for node in cluster.nodes) >= 2
        assert [each.entries[0].rank for each in book.player("p19")] == [1] * 12
        assert_agrees(book)


def test_a_dead_node_stops_only_its_parts_and_comes_back_empty_without_loss(nodes, place, clock):
    with book_at(nodes.uri(timeout=1), place, clock, "period") as book:
        days = spread_days(book)
        where = owners(nodes, book)
        dead = next(node for node in nodes.nodes if node.port == where["period-0"])
        lost = {name for name, port in where.items() if port == dead.port}
        assert lost < set(where)
        dead.stop()
        events = [
            result("bram", 30, at=f"{view.ranking.period}T13:00:00Z", id=f"b{n}")
            for n, view in enumerate(days)
        ]
        receipts = book.submit_many(events)
        touched = [name for each in receipts for name in each.pending_parts]
        assert touched
        assert set(touched) <= lost
        of = book.store.partition
        alive = [view for view in days if of.names[of.of(view.ranking.name)] not in lost]
        assert alive
        assert {tuple(players(view.top())) for view in alive} == {("bram", "asha")}
        dead.start()
        nodes.wait()
        book.fold()
        assert {each.status for each in book.submit_many(events)} == {"ranked"}
        assert {tuple(players(view.top())) for view in days} == {("bram", "asha")}
        assert_agrees(book)


DYING = """
import os, sys
from pathlib import Path
from rankbook.store.redis.store import RedisStore
from tests.book.home import Clock, result
from tests.book.test_parts_on_servers import book_at

published, publish = [], RedisStore.publish

def dying(store, *words, **more):
    if len(published) == 1:
        os._exit(9)
    published.append(store.tag)
    publish(store, *words, **more)

RedisStore.publish = dying
with book_at(sys.argv[1], Path(sys.argv[2]), Clock(), "board") as book:
    book.submit(result("asha", 20, id="a"))
"""


def test_a_process_that_ends_between_two_parts_counts_nothing_twice(redis_uri, place, clock):
    program = [sys.executable, "-c", DYING, redis_uri, str(place)]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    assert subprocess.run(program, env=environment, timeout=120, check=False).returncode == 9
    with book_at(redis_uri, place, clock, "board") as book:
        assert [store.position() for store in book.store.parts] == [1, 0]
        assert book.outcome("a").receipt.pending_parts == ("high",)
        assert book.submit(result("asha", 20, id="a")).status == "ranked"
        assert [each.entries[0].score for each in book.player("asha")] == [20] * 4
        assert_agrees(book)


@pytest.mark.parametrize("partition", ["board", "period"])
def test_a_repair_makes_what_disagrees_in_one_part_anew(redis_uri, place, clock, partition):
    with book_at(redis_uri, place, clock, partition) as book:
        spread_days(book)
        view = book.ranking("high")
        store = book.store.parts[book.store.partition.of(view.ranking.name)]
        position = store.position()
        store.publish([Change(view.id, b"asha", None)], [], expect=position, then=position)
        found = book.repair()
        assert {each.ranking for each in found.disagreements} == {view.ranking.name}
        assert players(view.top()) == ["asha"]
        assert book.repair().agrees


def test_a_changed_partition_is_rebuilt_while_receipts_stay_whole(redis_uri, place, clock):
    with book_at(redis_uri, place, clock, "period") as book:
        before = spread_days(book)[3].top()
    spec = BookSpec(name="book", boards=TWO, partition="period", partitions=5)
    log, store = open_log("sqlite:", place), open_store(redis_uri, place)
    with Rankbook(spec, log, store, clock=clock, outdated=True) as book:
        told = []
        assert book.rebuild(progress=told.append) == 12
        assert sum(told) == 12
        assert book.rebuild(board="high") == 12
        assert_agrees(book)
        view = book.ranking("fast", window="daily", period="2026-11-04")
        assert view.top() == before
        assert len(book.outcome("2026-11-04").receipt.rankings) == 4


def test_parts_share_the_connections_of_one_store(redis_uri, place):
    store = open_store(redis_uri, place)
    parts = [store.part(name) for name in ("a", "b")]
    assert len({id(each.transport) for each in (store, *parts)}) == 1
    assert [each.tag for each in parts] == [f"{store.tag}:a", f"{store.tag}:b"]
    parts[0].publish([], [(1, b"x")], expect=0, then=1)
    assert [each.position() for each in (store, *parts)] == [0, 1, 0]
    store.close()
