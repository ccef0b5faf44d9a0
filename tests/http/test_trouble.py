"""The store or the log is down: 503 or 202, and what was saved stays saved."""

import time

import pytest

from rankbook import Board, BookSpec, MemoryStore, Rankbook, StoreError
from rankbook.log import open_log
from tests.http.running import SECONDS, result
from tests.http.threaded import threaded

BOARD = Board("speed", {"score": "wpm"}, ("score desc",))
SPEC = BookSpec(name="b", boards=(BOARD,), store="memory:")


class Breaking(MemoryStore):
    """A store that is down when told so."""

    down = False

    def __getattribute__(self, name):
        if name in ("position", "entries", "read", "receipts", "publish") and self.down:
            raise StoreError("the store is down, at /secret/place")
        return super().__getattribute__(name)


@pytest.fixture
def broken(tmp_path):
    """A service, and the store that is under it."""
    store = Breaking()
    with (
        Rankbook(SPEC, open_log("sqlite:", tmp_path), store) as book,
        threaded(book) as found,
        found.client("submit") as client,
    ):
        yield client, store, book
        store.down = False
        book.catch_up()
        assert book.verify().agrees


def eventually(check) -> None:
    """Wait until it holds."""
    until = time.monotonic() + SECONDS
    while not check():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_while_the_store_is_down_results_are_recorded_and_answered_202(broken):
    client, store, book = broken
    assert client.post("/v1/events", json=result("asha", 5, id="a")).status_code == 200
    store.down = True
    answer = client.post("/v1/events", json=result("asha", 6, id="b"))
    assert (answer.status_code, answer.json()["status"]) == (202, "pending")
    again = client.put("/v1/events/b", json=result("asha", 6))
    assert (again.status_code, again.json()["status"]) == (202, "pending")
    assert client.put("/v1/events/b", json=result("asha", 7)).status_code == 409
    several = client.post("/v1/events", json=[result("bela", n) for n in range(3)])
    assert several.status_code == 202
    asked = client.get("/v1/events/b")
    assert (asked.status_code, asked.json()["status"]) == (200, "recorded")
    store.down = False
    eventually(lambda: not book.pending())
    assert client.get("/v1/events/b").json()["status"] == "ranked"
    assert client.put("/v1/events/b", json=result("asha", 6)).status_code == 200


def test_reads_while_the_store_is_down_are_503_and_say_when_to_come_again(broken):
    client, store, _book = broken
    client.post("/v1/events", json=result("asha", 5))
    store.down = True
    for path in ("/v1/boards/speed/ranking", "/v1/players/asha", "/readyz"):
        answer = client.get(path)
        assert answer.status_code == 503, path
        assert int(answer.headers["retry-after"]) > 0
        assert answer.headers["content-type"] == "application/problem+json"
        assert "secret" not in answer.text
    assert client.get("/healthz").status_code == 200
    metrics = client.get("/metrics")
    assert metrics.status_code == 200
    assert "rankbook_up 0.0" in metrics.text


def test_while_the_log_is_down_nothing_is_taken_and_what_was_saved_stays(postgres, tmp_path):
    with postgres.database() as uri:
        spec = BookSpec(name="b", boards=(BOARD,), log=uri, store="memory:")
        store = MemoryStore()
        with Rankbook(spec, open_log(uri, tmp_path), store) as book, threaded(book) as found:
            with found.client("submit") as client:
                saved = client.post("/v1/events", json=result("asha", 5, id="saved"))
                assert saved.status_code == 200
                postgres.stop()
                try:
                    for _ in range(3):
                        answer = client.post("/v1/events", json=result("asha", 6, id="later"))
                        assert answer.status_code == 503
                        assert int(answer.headers["retry-after"]) > 0
                        assert "postgres" not in answer.text
                        assert client.get("/v1/events/saved").status_code == 503
                    assert client.get("/v1/boards/speed/ranking").json()["count"] == 1
                finally:
                    postgres.start()
                eventually(
                    lambda: (
                        client.put("/v1/events/later", json=result("asha", 6)).status_code == 200
                    )
                )
                assert (
                    client.put("/v1/events/saved", json=result("asha", 5)).content == saved.content
                )
            assert book.log.head() == 2
            assert book.verify().agrees
