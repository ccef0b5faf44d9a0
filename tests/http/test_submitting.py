"""Submitting: each event is recorded once, and a retry is answered as the first time."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from rankbook import Rankbook
from tests.http.running import check, make_book, result, service

PROBLEM = "application/problem+json"


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    with service(make_book(tmp_path_factory.mktemp("submitting") / "book")) as found:
        yield found
    check(found.directory)


@pytest.fixture(scope="module")
def client(running):
    with running.client(running.key("submit")) as found:
        yield found


@pytest.fixture(scope="module")
def admin(running):
    with running.client(running.key("admin")) as found:
        yield found


def test_an_event_is_answered_with_its_receipt(client):
    answer = client.post("/v1/events", json=result("asha", 91, id="one"))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    receipt = answer.json()
    assert receipt["status"] == "ranked"
    assert [(each["window"], each["rank"]) for each in receipt["rankings"]] == [
        ("all-time", 1),
        ("all-time", 1),
        ("daily", 1),
        ("daily", 1),
    ]


def test_the_same_id_and_content_gives_the_first_receipt(client):
    event = result("bela", 50, id="again")
    first = client.post("/v1/events", json=event)
    client.post("/v1/events", json=result("bela", 60, id="between"))
    assert client.post("/v1/events", json=event).content == first.content
    assert client.put("/v1/events/again", json=event).content == first.content
    assert client.put("/v1/events/again", json=result("bela", 50)).content == first.content


def test_the_same_id_with_other_content_is_a_conflict_and_changes_nothing(client):
    client.put("/v1/events/taken", json=result("carl", 50))
    answer = client.put("/v1/events/taken", json=result("carl", 51))
    assert answer.status_code == 409
    assert answer.headers["content-type"] == PROBLEM
    assert "taken" in answer.json()["detail"]
    stored = client.get("/v1/events/taken").json()["receipt"]
    assert stored["rankings"][0]["score"] == 50


def test_the_id_in_the_body_is_that_of_the_path(client):
    answer = client.put("/v1/events/here", json=result("carl", 50, id="there"))
    assert (answer.status_code, answer.json()["field"]) == (422, "id")


def test_a_list_is_answered_in_its_order(client):
    events = [result(f"list{n}", 10 + n, id=f"list-{n}") for n in range(20)]
    receipts = client.post("/v1/events", json=events).json()
    assert [each["event_id"] for each in receipts] == [each["id"] for each in events]
    assert client.post("/v1/events", json=[]).json() == []


def test_a_list_is_recorded_as_a_whole_or_not_at_all_and_says_which_event_is_wrong(client):
    events = [result("dora", 10, id="good"), result("dora", 2000, id="bad")]
    answer = client.post("/v1/events", json=events)
    assert (answer.status_code, answer.json()["field"]) == (422, "[1].wpm")
    assert client.get("/v1/events/good").status_code == 404


def test_a_list_of_more_than_a_thousand_is_refused(client):
    answer = client.post("/v1/events", json=[result("dora", 1)] * 1001)
    assert answer.status_code == 422
    assert "1001" in answer.json()["detail"]


def test_what_has_become_of_an_event_can_be_asked(client):
    client.put("/v1/events/known", json=result("emil", 50))
    found = client.get("/v1/events/known").json()
    assert (found["status"], found["receipt"]["event_id"]) == ("ranked", "known")
    assert client.get("/v1/events", params={"id": "known"}).json() == found
    unknown = client.get("/v1/events/never")
    assert (unknown.status_code, unknown.headers["content-type"]) == (404, PROBLEM)


def test_an_id_may_have_any_characters(client):
    for id in ("a/b", "a b", "ünï", "a%2Fb", "a?b", "...", "😀"):
        assert client.post("/v1/events", json=result("fay", 5, id=id)).status_code == 200
        found = client.get("/v1/events", params={"id": id})
        assert found.json()["receipt"]["event_id"] == id


def test_ranks_may_be_left_out(client):
    answer = client.post("/v1/events?ranks=false", json=result("gus", 5, id="no-ranks"))
    assert {each["rank"] for each in answer.json()["rankings"]} == {None}


def test_a_number_stays_as_exact_as_it_was_sent_and_text_stays_text(client, running):
    body = b'{"player":"hal","id":"exact","values":{"wpm":64.10,"mode":"5"}}'
    answer = client.post("/v1/events", content=body, headers={"Content-Type": "application/json"})
    tags = [each["tags"] for each in answer.json()["rankings"]]
    assert {"mode": "5"} in tags
    body = b'{"player":"hal","id":"text","values":{"wpm":"64"}}'
    answer = client.post("/v1/events", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, answer.json()["field"]) == (422, "wpm")


def test_only_results_and_profiles_are_submitted_without_an_admin_key(client, admin):
    client.put("/v1/events/mine", json=result("ivo", 5))
    for kind in ("void", "correct", "ban", "unban", "forget", "seal"):
        event = {"player": "ivo", "kind": kind, "target": "mine"}
        assert client.post("/v1/events", json=event).status_code == 403, kind
    profile = {"player": "ivo", "kind": "profile", "profile": {"name": "Ivo"}}
    assert client.post("/v1/events", json=profile).status_code == 200
    assert admin.post("/v1/events", json={"player": "ivo", "kind": "ban"}).status_code == 200


def test_of_many_at_once_only_the_guilty_fail(client, running):
    client.put("/v1/events/held", json=result("zed", 1))

    def send(n: int) -> tuple[int, int]:
        if n % 7 == 3:
            return 422, client.post("/v1/events", json=result("many", 5000)).status_code
        if n % 7 == 5:
            return 409, client.put("/v1/events/held", json=result("zed", n)).status_code
        event = result(f"many{n}", n % 90, id=f"many-{n}")
        return 200, client.post("/v1/events", json=event).status_code

    with ThreadPoolExecutor(32) as pool:
        for wanted, found in pool.map(send, range(400)):
            assert found == wanted
    good = [n for n in range(400) if n % 7 not in (3, 5)]
    with Rankbook.open(running.directory) as book:
        assert all(book.outcome(f"many-{n}").status == "ranked" for n in good)


def test_one_id_from_many_clients_at_once_is_recorded_once(client, running):
    barrier = threading.Barrier(16)
    event = json.dumps(result("race", 33, id="race"))

    def send(_n: int) -> bytes:
        barrier.wait()
        headers = {"Content-Type": "application/json"}
        return client.post("/v1/events", content=event, headers=headers).content

    with ThreadPoolExecutor(16) as pool:
        assert len(set(pool.map(send, range(16)))) == 1
