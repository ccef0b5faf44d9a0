"""A Redis server that dies, forgets, stalls, is full or poisoned: nothing lost or counted twice."""

from collections import Counter
from threading import Barrier, Event

import pytest

from rankbook import BookSpec, Rankbook, RebuildNeeded
from rankbook.errors import Corrupt, StoreDown, StoreError
from rankbook.store import open_store
from rankbook.store.redis import client
from rankbook.store.redis.keys import Keys
from rankbook.store.redis.scripts import script
from tests.book.home import board, result
from tests.contract.proxy import Proxy
from tests.contract.rows import SEVEN, publish, put
from tests.faults.site import assert_sound, at_once, noon_of
from tests.redis_servers import redis_server
from tests.servers import Missing, skip_or_fail

BOARD = board("speed", keep="total", windows=("all-time", "daily"))
PUBLISH = script("publish").digest.encode()


@pytest.fixture
def server():
    """A server of a test's own, which may be stopped."""
    try:
        with redis_server() as server:
            yield server
    except Missing as missing:
        skip_or_fail(missing)


def open_book(place, uri):
    spec = BookSpec(name="book", boards=(BOARD,), store=uri)
    return Rankbook.open(place, spec=spec, clock=noon_of(0))


def submit_some(book, count=5, *, turn=0):
    for number in range(count):
        book.submit(result("asha", 1, id=f"{turn}-{number}"))


def through(proxy, **settings):
    more = "".join(f"&{name}={value}" for name, value in settings.items())
    return f"redis://127.0.0.1:{proxy.port}/0?tag=book{more}"


# --- stopped, emptied, set back ------------------------------------------------------------------


def test_a_server_killed_and_started_empty_is_filled_from_the_log(place, server):
    with open_book(place, server.uri("book")) as book:
        submit_some(book)
        server.stop()
        receipt = book.submit(result("asha", 10, id="down"))
        assert receipt.status == "pending"
        assert book.outcome("down").status == "recorded"
        with pytest.raises(StoreError, match="cannot be reached"):
            book.ranking("speed").top()
        server.start()
        assert book.submit(result("asha", 100, id="up")).status == "ranked"
        assert book.submit(result("asha", 10, id="down")).status == "ranked"
        assert_sound(book, {"asha": 115})


def test_a_server_that_was_started_again_is_found_however_many_connections_it_had(server, tmp_path):
    store = open_store(server.uri("book"), tmp_path)
    together = Barrier(8)
    publish(store, put(SEVEN))
    evaluate = client._evaluate

    def meeting(*words):
        together.wait()
        return evaluate(*words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(client, "_evaluate", meeting)
        with at_once(*[store.position] * 8):
            pass
    server.stop()
    server.start()
    assert store.position() == 0
    store.close()


def test_a_book_is_opened_on_a_server_that_was_emptied_and_fills_it(place, server):
    with open_book(place, server.uri("book")) as book:
        submit_some(book)
    server.stop()
    server.start()
    with open_book(place, server.uri("book")) as book:
        assert_sound(book, {"asha": 5})


def test_a_book_that_is_opened_while_its_server_is_down_records_and_ranks_later(place, server):
    server.stop()
    with open_book(place, server.uri("book")) as book:
        assert book.submit(result("asha", 10, id="down")).status == "pending"
        assert book.outcome("down").status == "recorded"
        for read in (
            lambda: book.ranking("speed"),
            lambda: book.player("asha"),
            lambda: book.periods("speed"),
            lambda: book.player_periods("asha", "speed"),
            book.verify,
        ):
            with pytest.raises(StoreDown, match="cannot be reached"):
                read()
        server.start()
        assert book.submit(result("asha", 100, id="up")).status == "ranked"
        assert_sound(book, {"asha": 110})


AT_FIRST = {
    "read": lambda book: book.ranking("speed"),
    "submit": lambda book: book.submit(result("asha", 10, id="more")),
    "fold": lambda book: book.fold(),
}


@pytest.mark.parametrize("first", AT_FIRST)
def test_rankings_of_other_rules_are_found_when_a_server_that_was_down_is_back(
    place, server, first
):
    with open_book(place, server.uri("book")) as book:
        submit_some(book)
    server.say("SAVE")
    server.stop()
    changed = board("speed", keep="total", order_by=("score asc",))
    spec = BookSpec(name="book", boards=(changed,), store=server.uri("book"))
    with Rankbook.open(place, spec=spec, clock=noon_of(0)) as book:
        server.start()
        with pytest.raises(RebuildNeeded):
            AT_FIRST[first](book)
        assert book.log.head() == 5
        with pytest.raises(RebuildNeeded):
            book.ranking("speed")


def test_an_older_copy_of_the_log_is_noticed_when_a_server_that_was_down_is_back(place, server):
    older = place / "older"
    older.mkdir()
    with open_book(place, server.uri("book")) as book:
        submit_some(book, 3)
        book.log.copy(older / "log.sqlite", lambda _bytes: None)
        submit_some(book, turn=1)
    server.say("SAVE")
    server.stop()
    for do in (
        lambda book: book.submit(result("new", 999, id="new")),
        lambda book: book.fold(),
        lambda book: book.pending(),
    ):
        with open_book(older, server.uri("book")) as book:
            server.start()
            with pytest.raises(RebuildNeeded, match="the log ends at 3"):
                do(book)
            server.stop()
    with open_book(older, server.uri("book")) as book:
        book._unchecked = False  # as if it had come back between the check and the fold
        server.start()
        with pytest.raises(RebuildNeeded, match="the log ends at 4"):
            book.submit(result("new", 999, id="new"))


def test_an_empty_book_that_was_rebuilt_goes_on(place, server):
    with open_book(place, server.uri("book")) as book:
        assert book.rebuild() == 0
        submit_some(book)
        assert_sound(book, {"asha": 5})


def test_what_is_no_cluster_is_said_at_the_opening(place, server):
    with pytest.raises(StoreError, match="is no cluster") as caught:
        open_book(place, server.uri("book").replace("redis://", "redis+cluster://"))
    assert not isinstance(caught.value, StoreDown)


def test_a_book_is_not_opened_with_a_password_that_is_wrong(place, server):
    server.say("CONFIG", "SET", "requirepass", "right")
    with pytest.raises(StoreError, match="password"):
        open_book(place, server.uri("book"))


def test_a_server_started_from_an_older_dump_is_folded_forward(place, server):
    with open_book(place, server.uri("book")) as book:
        submit_some(book)
        server.say("SAVE")
        submit_some(book, turn=1)
        assert book.store.position() == 10
        server.stop()
        server.start()
        assert book.store.position() == 5
        assert book.submit(result("asha", 100, id="up")).status == "ranked"
        assert_sound(book, {"asha": 110})


def test_what_was_emptied_under_load_agrees_after_folding(place, server):
    done, counts = Event(), Counter()

    def writer(book, player):
        def work():
            while not done.is_set():
                book.submit(result(player, 1, id=f"{player}-{counts[player]}"))
                counts[player] += 1

        return work

    uri = server.uri("book")
    with open_book(place, uri) as one, open_book(place, uri) as two:
        with at_once(writer(one, "asha"), writer(two, "bram")):
            try:
                for emptied in range(5):
                    while sum(counts.values()) < 20 * (emptied + 1):
                        done.wait(0.001)
                    server.say("FLUSHALL")
            finally:
                done.set()
        one.fold()
        assert_sound(two, counts)


# --- stalled, cut --------------------------------------------------------------------------------


def test_a_server_that_stalls_leaves_results_pending_and_counts_them_once(place, server):
    with open_book(place, server.uri("book", timeout=0.2)) as book:
        submit_some(book)
        run = book.store.transport.run

        def paused(name, keys, words):
            if name == "publish":
                server.say("CLIENT", "PAUSE", 60_000, "WRITE")
            return run(name, keys, words)

        book.store.transport.run = paused
        assert book.submit(result("asha", 10, id="stalled")).status == "pending"
        with pytest.raises(StoreError, match=r"does not answer within 0.2 seconds"):
            book.fold()
        book.store.transport.run = run
        server.say("CLIENT", "UNPAUSE")
        assert book.submit(result("asha", 100, id="later")).status == "ranked"
        assert_sound(book, {"asha": 115})


def test_a_publish_whose_answer_was_cut_off_is_recognised_and_done_once(place, server):
    proxy = Proxy("127.0.0.1", server.port)
    try:
        with open_book(place, through(proxy)) as book:
            submit_some(book)
            proxy.cut(PUBLISH)
            assert book.submit(result("asha", 10, id="cut")).status == "ranked"
            assert proxy.cuts == 0
            assert_sound(book, {"asha": 15})
    finally:
        proxy.close()


def test_a_line_that_is_cut_again_and_again_leaves_the_result_pending_and_counts_it_once(
    place, server
):
    proxy = Proxy("127.0.0.1", server.port)
    try:
        with open_book(place, through(proxy)) as book:
            submit_some(book)
            proxy.cut(PUBLISH, times=100)
            assert book.submit(result("asha", 10, id="cut")).status in ("pending", "ranked")
            proxy.cut(b"", times=0)
            book.fold()
            assert_sound(book, {"asha": 15})
    finally:
        proxy.close()


# --- full, poisoned ------------------------------------------------------------------------------


def test_a_server_out_of_memory_leaves_results_pending_and_is_folded_when_it_has_room(
    place, server
):
    with open_book(place, server.uri("book")) as book:
        submit_some(book)
        before = server.say("DBSIZE")
        with server.configured(maxmemory="1"):
            assert book.submit(result("asha", 10, id="full")).status == "pending"
            assert book.outcome("full").status == "recorded"
            with pytest.raises(StoreError, match="out of memory"):
                book.fold()
            assert server.say("DBSIZE") == before
            assert book.ranking("speed").entry("asha").score == 5
        assert book.submit(result("asha", 100, id="room")).status == "ranked"
        assert_sound(book, {"asha": 115})


@pytest.mark.parametrize("part", ["state", "rankings", "order", "members", "groups", "receipts"])
def test_a_key_of_another_type_is_named_and_nothing_else_is_touched(server, tmp_path, part):
    keys = Keys("book", 0)
    ours = dict(zip(("order", "members", "groups"), keys.of_ranking("r2"), strict=True))
    ours |= {"state": keys.state, "rankings": keys.rankings, "receipts": keys.bucket(0)}
    store = open_store(server.uri("book"), tmp_path)
    publish(store, put(SEVEN), [(1, b"one")])
    publish(store, put(SEVEN, put(SEVEN)[0].ranking._replace(name="r2")), [(2, b"two")])
    server.say("DEL", ours[part])
    server.say("LPUSH", ours[part], "poison")
    before = content(server)
    wanted = f"'{ours[part]}' is a list; nothing was written"
    changes = put(SEVEN[:3]) + put(SEVEN[3:], put(SEVEN)[0].ranking._replace(name="r2"))
    with pytest.raises(Corrupt) as caught:
        store.publish(changes, [(3, b"three")], expect=2, then=3)
    assert wanted in str(caught.value)
    assert content(server) == before
    store.close()


def test_a_poisoned_ranking_leaves_results_pending_and_is_mended_by_a_rebuild(place, server):
    with open_book(place, server.uri("book")) as book:
        submit_some(book)
        [order] = server.say("KEYS", "*:order:speed/all-time*")
        server.say("DEL", order)
        server.say("SET", order, "poison")
        assert book.submit(result("asha", 10, id="poisoned")).status == "pending"
        for look in (book.fold, lambda: book.ranking("speed").top()):
            with pytest.raises(Corrupt, match="is a string; nothing was written"):
                look()
        assert not book.verify().agrees
        book.rebuild()
        assert_sound(book, {"asha": 15})
        assert server.say("EXISTS", order) == 0


def content(server):
    """Every key with its value, as the server would save it."""
    return {key: server.say("DUMP", key) for key in server.say("KEYS", "*")}
