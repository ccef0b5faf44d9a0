"""Metrics: what Prometheus reads, with no player in it, summed over workers."""

import time

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.http.running import SECONDS, make_book, result, service


def samples(text: str) -> dict[tuple[str, ...], float]:
    """The values by name and the values of labels, in the order of their names."""
    return {
        (sample.name, *(text for _, text in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def running(tmp_path):
    with service(make_book(tmp_path / "book")) as found:
        yield found


def test_requests_batches_and_the_book_are_counted(running):
    with running.client(running.key("submit")) as client:
        for n in range(3):
            client.post("/v1/events", json=result("secret-player", n))
        client.post("/v1/events", content=b"{", headers={"Content-Type": "application/json"})
        client.get("/v1/players/secret-player")
        client.get("/nowhere/secret-player")
        client.request("BREW", "/v1/boards")
        text = client.get("/metrics").text
    found = samples(text)
    assert found["rankbook_http_requests_total", "POST", "/v1/events", "200"] == 3
    assert found["rankbook_http_requests_total", "POST", "/v1/events", "400"] == 1
    assert found["rankbook_http_request_seconds_count", "POST", "/v1/events"] == 4
    assert found["rankbook_batch_events_sum",] == 3
    assert found["rankbook_up",] == 1
    assert found["rankbook_log_position",] == found["rankbook_store_position",] == 3
    assert found["rankbook_pending_events",] == 0
    assert "secret-player" not in text
    routes = {name[2] for name in found if name[0] == "rankbook_http_requests_total"}
    assert "unmatched" in routes


def test_a_read_that_is_answered_from_what_is_kept_is_counted_as_the_others_are(running):
    with running.client(running.key("submit")) as client:
        client.post("/v1/events", json=result("asha", 1))
    with running.client() as client:
        for _ in range(5):
            assert client.get("/v1/boards/speed/ranking").status_code == 200
        found = samples(client.get("/metrics").text)
    counted = [
        value
        for name, value in found.items()
        if name[0] == "rankbook_http_requests_total" and name[1:2] == ("GET",)
    ]
    assert sum(counted) >= 5


def test_whichever_worker_is_asked_answers_for_all(tmp_path):
    with service(make_book(tmp_path / "book"), "--workers", "2") as running:
        token = running.key("submit")
        for n in range(30):
            with running.client(token) as client:
                assert client.post("/v1/events", json=result("asha", n)).status_code == 200
        until = time.monotonic() + SECONDS
        answers = set()
        while len(answers) < 5:
            with running.client() as client:
                found = samples(client.get("/metrics").text)
            answers.add(time.monotonic())
            assert found["rankbook_http_requests_total", "POST", "/v1/events", "200"] == 30
            assert time.monotonic() < until
