"""`rankbook serve`: one process or several, starting, stopping, and saying how it is."""

import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest

from rankbook.errors import LogError, StoreError
from rankbook.http.server.serving import address, listen
from tests.cli.conftest import rankbook  # noqa: F401
from tests.http.running import SECONDS, check, make_book, result, service
from tests.http.within import within

STEP_SECONDS = 0.05


def until(true):
    """Wait for a condition, for a bounded time."""
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end
        time.sleep(STEP_SECONDS)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(each) for each in file.read().split()]


def workers(parent):
    """The processes that serve: those of the parent that hold the listening socket open."""
    return [pid for pid in children(parent) if b"spawn_main" in command(pid)]


def command(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read()


def test_it_answers_at_the_address_it_prints_and_ends_cleanly(tmp_path):
    directory = make_book(tmp_path / "book")
    for how in (signal.SIGTERM, signal.SIGINT):
        with service(directory) as running, running.client() as client:
            assert running.url.startswith("http://127.0.0.1:")
            assert client.get("/healthz").json() == {"status": "alive"}
            assert client.get("/").headers["content-type"].startswith("text/html")
            for path in ("/healthz", "/v1/boards", "/", "/nowhere"):
                assert client.head(path).headers["content-length"] != "0"
            said = running.stop(how)
            assert running.process.returncode == 0
            assert len(said.splitlines()) == 1
    check(directory)


def test_a_request_that_is_under_way_is_answered_before_it_ends(tmp_path):
    directory = make_book(tmp_path / "book")
    with service(directory) as running:
        token = running.key("submit")
        body = b'{"player":"asha","values":{"wpm":50,"mode":"time"},"id":"late"}'
        head = (
            f"POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection(("127.0.0.1", running.port), SECONDS) as connection:
            connection.sendall(head.encode() + body[:-1])
            with running.client() as client:
                until(lambda: client.get("/healthz").status_code == 200)
            running.process.send_signal(signal.SIGTERM)
            until(lambda: not accepts(running.port))
            connection.sendall(body[-1:])
            answer = connection.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 200")
        assert b'"status":"ranked"' in answer
        running.stop()
        assert running.process.returncode == 0
    check(directory)


def accepts(port):
    try:
        socket.create_connection(("127.0.0.1", port), SECONDS).close()
    except OSError:
        return False
    return True


def test_two_workers_share_one_book_and_see_each_others_changes(tmp_path):
    directory = make_book(tmp_path / "book")
    with service(directory, "--workers", "2") as running:
        with running.client(running.key("submit")) as client:

            def one(number):
                event = result(f"p{number % 10}", 40 + number, id=f"e{number}")
                receipt = client.post("/v1/events", json=event)
                assert receipt.status_code == 200, receipt.text
                entry = client.get(f"/v1/boards/speed/players/p{number % 10}").json()["entry"]
                return entry["score"] >= 40 + number

            with ThreadPoolExecutor(8) as pool:
                assert all(pool.map(one, range(80)))
            assert len(workers(running.process.pid)) == 2
            assert client.get("/v1/boards/speed/ranking").json()["count"] == 10
            counted = client.get("/metrics").text
        assert 'route="/v1/events",status="200"' in counted
        assert total(counted, "rankbook_batch_events_sum") == 80
        running.stop()
        assert running.process.returncode == 0
    check(directory)


def total(metrics, name):
    return sum(float(line.split()[1]) for line in metrics.splitlines() if line.startswith(name))


def test_a_worker_that_dies_is_replaced(tmp_path):
    alone = {"Connection": "close"}
    directory = make_book(tmp_path / "book")
    with service(directory, "--workers", "2") as running, running.client() as client:
        assert client.get("/healthz", headers=alone).status_code == 200
        first = workers(running.process.pid)
        assert len(first) == 2
        os.kill(first[0], signal.SIGKILL)
        until(lambda: len(set(workers(running.process.pid)) - {first[0]}) == 2)
        until(lambda: client.get("/readyz", headers=alone).status_code == 200)


def test_it_says_what_keeps_it_from_serving(tmp_path, rankbook):  # noqa: F811
    directory = make_book(tmp_path / "book")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        answer = rankbook("serve", "--book", directory, "--port", port)
    assert (answer.code, "in use" in answer.stderr) == (5, True)
    nothing = rankbook("serve", "--book", tmp_path / "nothing", "--port", "0")
    assert (nothing.code, "is no book" in nothing.stderr) == (5, True)


def test_it_is_set_up_by_the_environment_too(tmp_path):
    directory = make_book(tmp_path / "book")
    settings = {"RANKBOOK_READ": "keys", "RANKBOOK_CORS": "https://a.example https://b.example"}
    with service(directory, **settings) as running, running.client() as client:
        assert client.get("/v1/boards").status_code == 401
        for origin, allowed in (("https://b.example", True), ("https://c.example", False)):
            answer = client.get("/healthz", headers={"Origin": origin})
            assert (answer.headers.get("access-control-allow-origin") == origin) is allowed


def test_no_other_origin_may_call_unless_it_is_listed(tmp_path):
    with within(tmp_path / "club") as club:
        for path in ("/v1/boards", "/v1/boards/speed/ranking"):
            answer = club.ask(path, headers={"Origin": "https://a.example"})
            assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_listed_origin_may_ask_before_it_submits_and_reads_what_it_needs(tmp_path):
    origin = {"Origin": "https://a.example"}
    asking = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-a"}
    with within(tmp_path / "club", cors=("https://a.example",)) as club:
        club.submit("asha", 50)
        first = club.ask("/v1/events", method="OPTIONS", headers=origin | asking)
        assert first.headers["access-control-allow-origin"] == "https://a.example"
        assert "POST" in first.headers["access-control-allow-methods"]
        other = {"Origin": "https://c.example"} | asking
        refused = club.ask("/v1/events", method="OPTIONS", headers=other)
        assert "access-control-allow-origin" not in refused.headers
        answer = club.ask("/v1/boards/speed/ranking", headers=origin)
        exposed = answer.headers["access-control-expose-headers"].lower()
        assert {each.strip() for each in exposed.split(",")} == {"etag", "retry-after"}
        assert "etag" in answer.headers


def test_an_answer_to_one_origin_is_not_kept_for_another(tmp_path):
    with within(tmp_path / "club", cors=("https://a.example", "https://b.example")) as club:
        for origin in ({}, {}, {"Origin": "https://a.example"}, {"Origin": "https://c.example"}):
            for path in ("/v1/boards/speed/ranking", "/v1/nowhere"):
                answer = club.ask(path, headers=origin)
                assert answer.headers.get_list("vary") == ["Origin"], (path, origin)


def test_it_is_ready_with_the_lag_until_log_or_store_cannot_be_used(tmp_path, monkeypatch):
    with within(tmp_path / "club") as club:
        club.submit("asha", 50)
        ready = {"status": "ready", "position": 1, "pending": 0, "lag_seconds": 0.0}
        assert club.json("/readyz") == ready
        for path in ("/readyz", "/healthz"):
            assert club.ask(path).headers["cache-control"] == "no-store"
        for part, error in ((club.book.store, StoreError), (club.book.log, LogError)):
            name = "position" if error is StoreError else "head"
            with monkeypatch.context() as down:
                down.setattr(type(part), name, failing(error("/secret/path is gone")))
                answer = club.ask("/readyz")
                assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
                assert "secret" not in answer.text
                assert club.ask("/healthz").status_code == 200
        assert club.json("/readyz") == ready


def failing(error):
    def fail(*_given):
        raise error

    return fail


def test_a_lifespan_is_not_needed(tmp_path):
    with within(tmp_path / "club") as club:
        _key, token = club.served.keys.create("game", ["submit"])
        event = {"player": "asha", "values": {"points": 5, "mode": "time"}}
        headers = {"Authorization": f"Bearer {token}"}
        for _again in range(2):
            assert club.ask("/v1/events", "POST", json=event, headers=headers).status_code == 200


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_address_is_one_that_a_browser_takes(host):
    try:
        listening = listen(host, 0)
    except OSError:
        pytest.skip(f"this machine has no {host}")
    with listening:
        parsed = httpx.URL(address(listening))
    assert (parsed.host, parsed.port is not None) == (host, True)
