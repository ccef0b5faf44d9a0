"""Access: who may do what, with which key, from which page; and that a key is shown nowhere."""

import json
import socket
import time

import pytest

from rankbook.http.api.guards import COOKIE
from rankbook.http.auth.keys import FILE, KeyRing
from rankbook.http.auth.signing import KEY_HEADER, SIGNATURE_HEADER, TIME_HEADER, sign
from tests.http.running import SECONDS, check, make_book, result, service
from tests.http.within import within

FORM = {"Sec-Fetch-Site": "same-origin"}
CROSS = {"Sec-Fetch-Site": "cross-site"}


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    directory = make_book(tmp_path_factory.mktemp("access") / "book")
    with service(directory, "--read", "keys", "--access-log") as found:
        yield found
    check(directory)


@pytest.fixture(scope="module")
def tokens(running):
    return {scope: running.key(scope) for scope in ("read", "submit", "admin")}


REQUESTS = {
    "read": [("GET", "/v1/boards"), ("GET", "/v1/boards/speed/ranking"), ("GET", "/metrics")],
    "submit": [("POST", "/v1/events"), ("PUT", "/v1/events/x1")],
    "admin": [
        *(("POST", f"/v1/admin/{name}") for name in ("void", "ban", "forget", "rebuild")),
        *(("POST", f"/v1/admin/{name}") for name in ("verify", "repair")),
        ("GET", "/v1/jobs"),
        ("GET", "/v1/jobs/none"),
        ("POST", "/v1/jobs/none/cancel"),
    ],
}


@pytest.mark.parametrize(
    ("scope", "method", "path"),
    [(scope, *each) for scope, some in REQUESTS.items() for each in some],
)
def test_without_the_scope_nothing_is_done(running, tokens, scope, method, path):
    with running.client() as client:
        body = b"{}" if method != "GET" else None
        nobody = client.request(method, path, content=body)
        assert nobody.status_code == 401
        assert nobody.headers["www-authenticate"].startswith("Bearer")
        for wrong in ("Bearer", "Bearer x", "Basic eDp5", "Bearer rankbook_a_b", "\xff"):
            headers = {"Authorization": wrong.encode("latin-1")}
            assert client.request(method, path, headers=headers).status_code == 401, wrong
        for other, token in tokens.items():
            if other not in (scope, "admin"):
                headers = {"Authorization": f"Bearer {token}"}
                assert client.request(method, path, headers=headers).status_code == 403, other


def test_with_the_scope_it_is_done(running, tokens):
    with running.client(tokens["submit"]) as client:
        assert client.post("/v1/events", json=result("asha", 5, id="s1")).status_code == 200
        assert client.get("/v1/events/s1").status_code == 200
    with running.client(tokens["read"]) as client:
        assert client.get("/v1/boards").status_code == 200
        assert client.get("/v1/events/s1").status_code == 200
        assert client.get("/metrics").status_code == 200


def test_a_key_works_once_it_is_made_until_it_is_revoked(running):
    ring = KeyRing(running.directory / FILE)
    key, token = ring.create("brief", ["submit"])
    with running.client(token) as client:
        assert client.post("/v1/events", json=result("asha", 5, id="s2")).status_code == 200
        ring.revoke(key.id)
        assert client.post("/v1/events", json=result("asha", 5, id="s3")).status_code == 401


def test_no_key_is_in_an_answer_or_a_line_of_the_log(tmp_path):
    directory = make_book(tmp_path / "book")
    with service(directory, "--access-log") as running:
        token, secret = running.key("admin"), running.key("submit", signed=True)
        with running.client(token) as client:
            answers = [
                client.post("/v1/events", json=result("asha", 5)),
                client.post("/v1/events", content=token, headers={"Content-Type": "text/plain"}),
                client.post("/v1/admin/verify"),
                client.get("/v1/jobs/nobody"),
                client.get("/v1/boards/nobody/ranking"),
                client.get("/metrics"),
                client.get("/schema"),
                client.post("/operations/session", data={"key": token}, headers=FORM),
                client.get("/operations", headers={"Authorization": f"Bearer {token}x"}),
                client.get("/operations"),
            ]
        said = running.stop()
    assert "POST /v1/events" in said
    shown = [said, *(f"{each.headers} {each.text}" for each in answers)]
    for part in (token.split("_", 2)[2], secret):
        assert not any(part in text for text in shown)


def signed(id, secret, body: bytes, at: float):
    said = int(at)
    return {
        KEY_HEADER: id,
        TIME_HEADER: str(said),
        SIGNATURE_HEADER: sign(secret, said, body),
        "Content-Type": "application/json",
    }


@pytest.fixture(scope="module")
def signer(running):
    key, secret = KeyRing(running.directory / FILE).create("server", ["submit"], signed=True)
    return key.id, secret


def test_a_signed_submission_is_taken_and_a_replay_is_a_retry(running, signer):
    body = json.dumps(result("sig", 5, id="sig-1")).encode()
    headers = signed(*signer, body, time.time())
    with running.client() as client:
        first = client.post("/v1/events", content=body, headers=headers)
        assert first.status_code == 200
        assert client.post("/v1/events", content=body, headers=headers).content == first.content
        moved = client.put("/v1/events/sig-2", content=body, headers=headers)
        assert (moved.status_code, moved.json()["field"]) == (422, "id")


def test_what_was_signed_otherwise_is_refused(running, signer):
    id, secret = signer
    body, now = json.dumps(result("sig", 5, id="sig-3")).encode(), time.time()
    good = signed(id, secret, body, now)
    changed = [
        (body.replace(b"5", b"6", 1), good),
        (body, {**good, KEY_HEADER: "0" * 12}),
        (body, {**good, KEY_HEADER: ""}),
        (body, {**good, TIME_HEADER: str(int(now) + 1)}),
        (body, {**good, TIME_HEADER: "now"}),
        (body, {**good, SIGNATURE_HEADER: good[SIGNATURE_HEADER][:-1]}),
        (body, {**good, SIGNATURE_HEADER: ""}),
        (body, signed(id, "other", body, now)),
        (body, signed(id, secret, body, now - 1000)),
        (body, signed(id, secret, body, now + 1000)),
    ]
    with running.client() as client:
        for content, headers in changed:
            answer = client.post("/v1/events", content=content, headers=headers)
            assert answer.status_code == 401, headers
            assert secret not in answer.text
    with running.client(running.key("submit")) as client:
        assert client.get("/v1/events/sig-3").status_code == 404


def test_a_signed_event_has_an_id(running, signer):
    body = json.dumps(result("sig", 5)).encode()
    headers = signed(*signer, body, time.time())
    with running.client() as client:
        for answer in (
            client.post("/v1/events", content=body, headers=headers),
            client.put("/v1/events/sig-6", content=body, headers=headers),
        ):
            assert (answer.status_code, answer.json()["field"]) == (422, "id")
    with running.client(running.key("submit")) as client:
        assert client.get("/v1/events/sig-6").status_code == 404


def test_a_read_that_says_it_is_signed_is_not_waited_for(running):
    head = f"GET /v1/events/x HTTP/1.1\r\nHost: x\r\n{SIGNATURE_HEADER}: v1=0\r\n"
    with socket.create_connection(("127.0.0.1", running.port), SECONDS) as connection:
        connection.sendall(f"{head}Content-Length: 1000\r\n\r\n".encode())
        assert connection.recv(65536).startswith(b"HTTP/1.1 401")


def test_where_submissions_must_be_signed_a_key_alone_does_not_do(tmp_path):
    with service(make_book(tmp_path / "book"), "--signed") as running:
        key, secret = KeyRing(running.directory / FILE).create("s", ["submit"], signed=True)
        body = json.dumps(result("sig", 5, id="sig-4")).encode()
        with running.client(running.key("submit")) as client:
            answer = client.post("/v1/events", json=result("sig", 5, id="sig-5"))
            assert answer.status_code == 401
            assert SIGNATURE_HEADER in answer.json()["detail"]
        with running.client() as client:
            headers = signed(key.id, secret, body, time.time())
            assert client.post("/v1/events", content=body, headers=headers).status_code == 200


def login(client, token, **headers):
    return client.post("/operations/session", data={"key": token}, headers={**FORM, **headers})


def test_a_cookie_that_somebody_made_up_leaves_no_trace(tmp_path):
    with within(tmp_path / "club") as club:
        for made in ("a.b.c.d", "none.99999999999.x.y", "x"):
            cookie = {"Cookie": f"{COOKIE}={made}"}
            assert club.ask("/v1/jobs", headers=cookie).status_code == 401
        assert not (tmp_path / "club" / FILE).exists()


def test_a_session_begins_with_an_admin_key_and_its_cookie_is_not_the_key(running, tokens):
    with running.client() as client:
        answer = login(client, tokens["admin"])
        assert answer.status_code == 303
        cookie = answer.headers["set-cookie"]
        for part in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age="):
            assert part.lower() in cookie.lower()
        assert tokens["admin"].split("_", 2)[2] not in cookie
        assert client.get("/v1/jobs").status_code == 200
        ended = client.post("/operations/session/end", headers=FORM)
        assert ended.status_code == 303
        assert client.get("/v1/jobs").status_code == 401


def test_no_session_begins_with_another_key(running, tokens):
    with running.client() as client:
        for token in (tokens["read"], tokens["submit"], "x", ""):
            answer = login(client, token)
            assert answer.headers["location"].endswith("?refused=1")
            assert "set-cookie" not in answer.headers


def test_a_session_of_a_revoked_key_or_a_made_up_one_is_none(running):
    ring = KeyRing(running.directory / FILE)
    key, token = ring.create("boss", ["admin"])
    with running.client() as client:
        login(client, token)
        cookie = client.cookies[COOKIE]
        assert client.get("/v1/jobs").status_code == 200
        id, until, rest = cookie.split(".", 2)
        client.cookies.clear()
        for made in (f"{id}.{int(until) + 9}.{rest}", cookie[:-1], "a.b.c.d", f"{id}.9.x.y", ""):
            answer = client.get("/v1/jobs", headers={"Cookie": f"{COOKIE}={made}"})
            assert answer.status_code == 401, made
        ring.revoke(key.id)
        answer = client.get("/v1/jobs", headers={"Cookie": f"{COOKIE}={cookie}"})
        assert answer.status_code == 401


def test_a_change_by_a_session_comes_from_a_page_of_the_service(running, tokens):
    with running.client() as client:
        login(client, tokens["admin"])
        host = f"127.0.0.1:{running.port}"
        for headers in ({}, {"Origin": "http://evil"}, CROSS):
            answer = client.post("/v1/admin/ban", json={"player": "x"}, headers=headers)
            assert answer.status_code == 403, headers
        for headers in (FORM, {"Origin": f"http://{host}"}):
            answer = client.post("/v1/admin/ban", json={"player": "x"}, headers=headers)
            assert answer.status_code == 200, headers
        for headers in (*({"Origin": f"http://{each}"} for each in ("evil", "[")), {}, CROSS):
            answer = client.post("/operations/session", data={"key": "x"}, headers=headers)
            assert answer.status_code == 403


def test_a_form_is_no_larger_than_a_form_can_be(running):
    with running.client() as client:
        answer = client.post("/operations/session", data={"key": "k" * 5000}, headers=FORM)
        assert answer.status_code == 413
