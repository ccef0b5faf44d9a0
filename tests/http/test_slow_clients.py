"""Slow clients are cut off after a while. All of them run at once, since each takes that while."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest

from tests.http.raw import answered, connected, head
from tests.http.running import SECONDS, check, make_book, result, service


def stops_in_its_head(running, _token):
    return sends(running, b"GET / HTTP/1.1\r\nHost: x\r\nX: a")


def says_nothing(running, _token):
    return sends(running, b"")


def stops_before_its_body(running, token):
    return sends(running, head(token, 1000))


def stops_in_its_body(running, token):
    return sends(running, head(token, 1000) + b'{"player": "slow", "values": {"wpm": 1}')


def drips(running, token):
    """Sends its body byte by byte."""
    with closing(connected(running)) as connection:
        connection.sendall(head(token, 1 << 20))
        stop = threading.Event()

        def drip():
            while not stop.wait(0.05):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

        dripping = threading.Thread(target=drip)
        dripping.start()
        try:
            return answered(connection)
        finally:
            stop.set()
            dripping.join()


def drips_on_after_its_answer(running, _token):
    """Gives the first answer, and whether it was cut off before long."""
    until = time.monotonic() + SECONDS
    pause = threading.Event()
    with closing(connected(running)) as connection:
        connection.sendall(head("none", 1 << 20))
        answer = connection.recv(65536)
        with suppress(OSError):
            while time.monotonic() < until:
                connection.sendall(b" ")
                pause.wait(0.05)
    return answer, time.monotonic() < until


def sends(running, what):
    """The answer to a client that sends this, and then nothing."""
    with closing(connected(running)) as connection:
        connection.sendall(what)
        return answered(connection)


CLIENTS = (
    stops_in_its_head,
    says_nothing,
    stops_before_its_body,
    stops_in_its_body,
    drips,
    drips_on_after_its_answer,
)


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with service(make_book(tmp_path_factory.mktemp("slow") / "book")) as found:
        yield found
        assert "Traceback" not in "".join(found.said)
    check(found.directory)


@pytest.fixture(scope="module")
def found(running):
    """What each client was answered, and the status of a submission that came meanwhile."""
    token = running.key("submit")
    with ThreadPoolExecutor(len(CLIENTS)) as pool, running.client(token) as client:
        waiting = {each.__name__: pool.submit(each, running, token) for each in CLIENTS}
        meanwhile = client.post("/v1/events", json=result("quick", 1)).status_code
        answers = {name: each.result() for name, each in waiting.items()}
    return {**answers, "meanwhile": meanwhile}


def test_others_are_served_while_slow_clients_are_waited_for(found):
    assert found["meanwhile"] == 200


@pytest.mark.parametrize("client", [each.__name__ for each in CLIENTS[:-1]])
def test_a_slow_client_is_answered_408_and_cut_off(found, client):
    status, whole = found[client]
    assert status == 408
    assert b"connection: close" in whole.lower()


def test_a_client_that_drips_on_after_its_answer_is_cut_off(found):
    answer, cut_off = found["drips_on_after_its_answer"]
    assert answer.startswith(b"HTTP/1.1 401")
    assert cut_off
