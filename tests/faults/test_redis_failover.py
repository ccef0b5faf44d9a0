"""A replica that is promoted without the last writes: position and entries fall back together."""

from contextlib import ExitStack
from threading import Event

import pytest

from rankbook import BookSpec, Rankbook
from tests.book.home import board, result
from tests.faults.site import assert_sound, noon_of
from tests.redis_servers import RedisServer, redis_server
from tests.servers import Missing, skip_or_fail

BOARD = board("speed", keep="total")
WAITS = 3000


class Sentinel(RedisServer):
    """A redis-server as a sentinel of one service."""

    def watch(self, primary):
        self.say("SENTINEL", "MONITOR", "main", "127.0.0.1", primary.port, 1)
        for name, value in (("down-after-milliseconds", 200), ("failover-timeout", 1000)):
            self.say("SENTINEL", "SET", "main", name, value)

    def primary(self):
        return int(self.say("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main")[1])


@pytest.fixture
def servers(tmp_path):
    """A primary, its replica, and a sentinel that knows both."""
    with ExitStack() as stack:
        try:
            primary, replica = (stack.enter_context(redis_server()) for _ in range(2))
        except Missing as missing:
            skip_or_fail(missing)
        replica.say("REPLICAOF", "127.0.0.1", primary.port)
        until(lambda: b"master_link_status:up" in replica.say("INFO", "replication"))
        configuration = tmp_path / "sentinel.conf"
        configuration.write_text("bind 127.0.0.1\n")
        sentinel = Sentinel(primary._program, tmp_path)
        sentinel.command = [str(configuration), "--sentinel"]
        stack.callback(sentinel.stop)
        sentinel.start()
        sentinel.watch(primary)
        until(lambda: int(info(sentinel, "num-slaves")) == 1)
        yield primary, replica, sentinel


def info(sentinel, name):
    found = sentinel.say("SENTINEL", "MASTER", "main")
    return dict(zip(found[::2], found[1::2], strict=True))[name.encode()]


def until(reached):
    pause = Event()
    for _wait in range(WAITS):
        if reached():
            return
        pause.wait(0.01)
    raise AssertionError("waited in vain")


def test_a_promoted_replica_that_lacks_the_last_writes_is_folded_forward(servers, place):
    primary, replica, sentinel = servers
    uri = f"redis+sentinel://127.0.0.1:{sentinel.port}/main/0?tag=book&timeout=2"
    spec = BookSpec(name="book", boards=(BOARD,), store=uri)
    with Rankbook.open(place, spec=spec, clock=noon_of(0)) as book:
        for number in range(5):
            book.submit(result("asha", 1, id=f"first-{number}"))
        state = "rankbook:1:{book}:0:state"
        until(lambda: replica.say("HGET", state, "position") == b"5")
        replica.say("REPLICAOF", "127.0.0.1", 1)  # from here on it misses what is written
        for number in range(5):
            book.submit(result("asha", 10, id=f"lost-{number}"))
        assert book.store.position() == 10
        primary.stop()
        replica.say("REPLICAOF", "127.0.0.1", primary.port)
        until(lambda: sentinel.primary() == replica.port)
        until(lambda: b"role:master" in replica.say("INFO", "replication"))
        assert book.store.position() == 5
        assert book.submit(result("asha", 100, id="after")).status == "ranked"
        assert_sound(book, {"asha": 155})
