"""Bad bodies: each ends in a clear status, and nobody else is hurt."""

import gzip
import json
import socket
import time
from contextlib import closing, suppress
from http.client import HTTPResponse

import pytest

from tests.http.raw import answered, connected, head
from tests.http.running import SECONDS, check, make_book, result, service

JSON = {"Content-Type": "application/json"}
MOST = 2 << 20
POST = b"POST /v1/events HTTP/1.1\r\nHost: x\r\n"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with service(make_book(tmp_path_factory.mktemp("bodies") / "book")) as found:
        yield found
        assert "Traceback" not in "".join(found.said)
    check(found.directory)


@pytest.fixture(scope="module")
def token(running):
    return running.key("submit")


@pytest.fixture(scope="module")
def client(running, token):
    with running.client(token) as found:
        yield found


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]]",
        b'{"player": "a", "values": {"wpm": NaN}}',
        b'{"player": "\xff", "values": {"wpm": 1}}',
        b'{"player": "\\ud800", "values": {"wpm": 1}}',
        b"\xef\xbb\xbf{}",
        b"\xff\xfe{\x00}\x00",
        b"[" * 100_000,
        b'{"player": "a", "values": ' + b'{"a":' * 100_000,
    ],
)
def test_a_body_that_cannot_be_read_is_400(client, body):
    answer = client.post("/v1/events", content=body, headers=JSON)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert "cannot be read" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"null", ""),
        (b"5", ""),
        (b'"text"', ""),
        (b"{}", ""),
        (b'{"player": 5, "values": {}}', "player"),
        (b'{"player": "a", "values": {"wpm": true}}', "wpm"),
        (b'{"player": "a", "values": {"wpm": null}}', "wpm"),
        (b'{"player": "a", "values": {"wpm": [1]}}', "wpm"),
        (b'{"player": "a", "values": {"wpm": 1}, "more": 1}', ""),
        (b'{"player": "a", "values": {"wpm": 1}, "kind": "other"}', "kind"),
        (b'{"player": "a", "values": {"wpm": 1}, "at": "yesterday"}', "at"),
        (b'{"player": "a", "values": {"wpm": 1, "wpm": 2}}', "wpm"),
        (b'{"player": "a", "player": "b", "values": {"wpm": 1}}', "player"),
        (b'[{"player": "a"}, {"player": "a", "at": 5}]', "[1].at"),
    ],
)
def test_a_body_of_the_wrong_shape_is_422_with_the_place(client, body, field):
    answer = client.post("/v1/events", content=body, headers=JSON)
    assert (answer.status_code, answer.json().get("field", "")) == (422, field)


@pytest.mark.parametrize(
    ("event", "field"),
    [
        (result("", 1), "player"),
        (result("x" * 257, 1), "player"),
        (result("x" * 10_000, 1), "player"),
        (result("a\x00b", 1), "player"),
        (result("a", 1, id="i" * 129), "id"),
        (result("a", 1, profile={"name": "n" * 10_000}), "profile.name"),
        (result("a", 1, profile={"n" * 65: "x"}), "profile"),
        (result("a", 1, profile={str(n): "x" for n in range(33)}), "profile"),
        (result("a", 1, at="2026-01-01T00:00:00"), "at"),
        (result("a", 10**30), "wpm"),
        (result("a", 1, sequence=10**30), "sequence"),
        ({"player": "a", "values": {str(n): n for n in range(65)}}, "values"),
        ({"player": "a", "values": {"wpm": 1, "mode": "m" * 1001}}, "mode"),
        ({"player": "a", "values": {"wpm": 1}}, "mode"),
    ],
)
def test_what_the_book_does_not_take_is_422_with_the_field_and_the_reason(client, event, field):
    answer = client.post("/v1/events", json=event)
    assert (answer.status_code, answer.json().get("field")) == (422, field), answer.text
    assert len(answer.text) < 2000


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        "&amp;\"'`<b>",
        "\u202egnp.exe",
        "\u200b\u200d\ufeff",
        "👩‍👩‍👧‍👦🏳️‍🌈",
        "Z̸̢a̴l̶g̷o̶" * 10,
        "مرحبا",
    ],
)
def test_names_of_all_scripts_come_back_as_they_were_sent(client, name):
    answer = client.post("/v1/events", json=result(name, 1, profile={"name": name}))
    assert answer.status_code == 200
    assert answer.json()["player"] == name
    found = client.get(f"/v1/players/{name}") if "/" not in name else None
    assert found is None or found.status_code == 200


def test_a_body_of_another_kind_is_415(client):
    body = json.dumps(result("a", 1)).encode()
    for kind in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin-1",
        "",
    ):
        answer = client.post("/v1/events", content=body, headers={"Content-Type": kind})
        assert answer.status_code == 415, kind
    headers = {"Content-Type": 'Application/JSON; charset="UTF-8"'}
    assert client.post("/v1/events", content=body, headers=headers).status_code == 200


def test_a_compressed_body_is_not_unpacked(client):
    bomb = gzip.compress(b"0" * (64 << 20))
    for encoding in ("gzip", "deflate", "br", "gzip, gzip"):
        headers = {**JSON, "Content-Encoding": encoding}
        answer = client.post("/v1/events", content=bomb, headers=headers)
        assert answer.status_code == 415
        assert answer.headers["accept-encoding"] == "identity"


def test_a_body_that_is_too_large_is_413(client, running, token):
    answer = client.post("/v1/events", content=b" " * (MOST + 1), headers=JSON)
    assert (answer.status_code, answer.json()["status"]) == (413, 413)

    def parts():
        for _ in range(MOST // 65536 + 2):
            yield b" " * 65536

    assert client.post("/v1/events", content=parts(), headers=JSON).status_code == 413
    with closing(connected(running)) as connection:
        connection.sendall(head(token, 1 << 40))
        assert answered(connection)[0] == 413


def test_a_body_that_never_ends_is_cut_off(running, token):
    with closing(connected(running)) as connection:
        connection.sendall(
            head(token, 0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
        )
        chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
        taken = 0
        with suppress(OSError):
            while taken < 1000:
                connection.sendall(chunk)
                taken += 1
        assert taken < 1000


def test_a_body_that_comes_after_its_answer_is_followed_by_other_requests(running):
    with closing(connected(running)) as connection:
        for _again in range(3):
            connection.sendall(head("none", 1000))
            answer = HTTPResponse(connection)
            answer.begin()
            assert (answer.status, json.loads(answer.read())["status"]) == (401, 401)
            connection.sendall(b" " * 1000)


def test_a_client_that_leaves_in_the_middle_of_a_body_hurts_nobody(running, token, client):
    for _ in range(20):
        with closing(connected(running)) as connection:
            connection.sendall(head(token, 1000) + b'{"player": "gone", "values": {"wpm": 1}')
    assert client.post("/v1/events", json=result("here", 1)).status_code == 200


def test_a_client_that_leaves_before_the_answer_has_submitted(running, token, client):
    body = json.dumps(result("left", 7, id="left-1")).encode()
    with closing(connected(running)) as connection:
        connection.sendall(head(token, len(body)) + body)
    until = time.monotonic() + SECONDS
    while client.get("/v1/events/left-1").status_code == 404:
        assert time.monotonic() < until
    assert client.put("/v1/events/left-1", json=result("left", 7)).status_code == 200


@pytest.mark.parametrize(
    "written",
    [
        b"GARBAGE\r\n\r\n",
        POST + b"Content-Length: -1\r\n\r\n",
        POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345",
        b"GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
)
def test_what_is_no_request_ends_the_connection_only(running, client, written):
    with closing(connected(running)) as connection:
        connection.sendall(written)
        connection.shutdown(socket.SHUT_WR)
        try:
            whole = connection.recv(65536)
        except ConnectionResetError:
            whole = b""
    assert not whole or int(whole.split(b" ", 2)[1]) in (400, 401, 431)
    assert client.get("/healthz").status_code == 200


def test_a_head_without_end_is_cut_off(running, client):
    with closing(connected(running)) as connection:
        with suppress(OSError):
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * (1 << 20))
            connection.sendall(b"\r\n\r\n")
        with suppress(ConnectionResetError):
            assert answered(connection)[0] == 431
    assert client.get("/healthz").status_code == 200


@pytest.mark.parametrize(
    "trailers", [b"a:\r\n" * 30_000, b"a: " + b"x" * 200_000], ids=["many", "endless"]
)
def test_trailers_count_towards_the_limit_of_the_head(running, trailers):
    with connected(running) as connection:
        connection.sendall(
            b"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        connection.sendall(b"0\r\n")
        try:
            for start in range(0, len(trailers), 8192):
                connection.sendall(trailers[start : start + 8192])
            while connection.recv(65_536):
                pass
        except (BrokenPipeError, ConnectionResetError):
            return  # It was closed before all was sent.


def test_a_large_head_is_refused_though_it_comes_at_once(running):
    with connected(running) as connection:
        fields = b"".join(b"x-%d: %s\r\n" % (number, b"y" * 990) for number in range(100))
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + fields + b"\r\n")
        assert answered(connection)[0] == 431
