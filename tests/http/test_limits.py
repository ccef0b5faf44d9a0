"""Rates: for each key and each player, and when to come again."""

import pytest

from rankbook import Board, BookSpec, MemoryStore, Rankbook
from rankbook.http import Settings
from rankbook.http.auth.limits import Buckets, Limits, TooMany
from rankbook.log import open_log
from rankbook.model import Event
from tests.http.running import result
from tests.http.threaded import threaded

SPEC = BookSpec(
    name="b", boards=(Board("speed", {"score": "wpm"}, ("score desc",)),), store="memory:"
)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self):
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def events(player: str, count: int) -> list[Event]:
    return [Event(player=player, values={"wpm": 1})] * count


def test_a_bucket_is_filled_as_time_goes_by_and_not_beyond_its_burst():
    clock = Clock()
    buckets = Buckets(2.0, 10, clock)
    buckets.take("a", 10)
    assert buckets.wait("a") == 0.5
    assert buckets.wait("b") == 0
    clock.now = 0.5
    assert buckets.wait("a") == 0
    clock.now = 1000.0
    buckets.take("a", 10)
    assert buckets.wait("a") > 0


def test_a_batch_of_any_size_passes_once_and_is_paid_for_afterwards():
    clock = Clock()
    buckets = Buckets(10.0, 5, clock)
    assert buckets.wait("a") == 0
    buckets.take("a", 105)
    assert buckets.wait("a") == pytest.approx(10.1)
    clock.now = 10.2
    assert buckets.wait("a") == 0


def test_what_is_too_much_for_one_counts_for_nobody():
    clock = Clock()
    limits = Limits(Settings(key_rate=1, key_burst=100, player_rate=1, player_burst=2), clock)
    limits.admit("key", events("a", 2))
    for _ in range(5):
        with pytest.raises(TooMany) as caught:
            limits.admit("key", [*events("b", 2), *events("a", 1)])
        assert caught.value.headers == {"Retry-After": "1"}
    limits.admit("key", events("b", 2))
    limits.admit("other", [Event(player="a", kind="profile", profile={"name": "A"})])


def test_few_buckets_are_remembered_those_used_last(monkeypatch):
    monkeypatch.setattr("rankbook.http.auth.limits.MOST_BUCKETS", 3)
    buckets = Buckets(1.0, 1, Clock())
    for name in "abcd":
        buckets.take(name, 1)
    assert [buckets.wait(name) > 0 for name in "abcd"] == [False, True, True, True]


def test_a_client_that_is_too_fast_is_told_when_to_come_again(tmp_path):
    settings = Settings(key_rate=0.01, key_burst=3, player_rate=0.01, player_burst=2)
    with (
        Rankbook(SPEC, open_log("sqlite:", tmp_path), MemoryStore()) as book,
        threaded(book, settings) as found,
        found.client("submit") as client,
        found.client("submit") as other,
    ):
        assert client.post("/v1/events", json=[result("a", 1)] * 2).status_code == 200
        answer = client.post("/v1/events", json=result("a", 1))
        assert (answer.status_code, answer.json()["status"]) == (429, 429)
        assert int(answer.headers["retry-after"]) >= 100
        assert "player" in answer.json()["detail"]
        assert client.post("/v1/events", json=result("b", 1)).status_code == 200
        answer = client.post("/v1/events", json=result("c", 1))
        assert answer.status_code == 429
        assert "key" in answer.json()["detail"]
        assert other.post("/v1/events", json=result("c", 1)).status_code == 200
        assert book.log.head() == 4
