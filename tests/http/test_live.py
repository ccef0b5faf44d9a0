"""Live: what changed is told as it happens, once, to whoever comes back too."""

import asyncio
import json
import signal
from contextlib import contextmanager

import httpx
import pytest

from rankbook import Event, Rankbook
from rankbook.errors import StoreError
from rankbook.http.auth.keys import FILE, KeyRing
from rankbook.http.changes import TooFar, between
from tests.http.running import SECONDS, make_book, result, service
from tests.http.within import within

LIVE = "/v1/boards/speed/live"


class Events:
    """The server-sent events of a stream, one after the other."""

    def __init__(self, lines):
        self._lines = lines

    def next(self):
        """The next event: its name, its id and its data. Comments are passed over."""
        found = {}
        for line in self._lines:
            if not line and "data" in found:
                return found["event"], int(found["id"]), json.loads(found["data"])
            name, _, text = line.partition(": ")
            if not line:
                found = {}
            elif name:
                found[name] = text
        return None

    def until(self, position):
        """All changes up to a position, as (ranking, player) -> the last move told."""
        moves = {}
        at = -1
        while at < position:
            name, at, data = self.next()
            assert name == "changes"
            for ranking in data["rankings"]:
                for move in ranking["moves"]:
                    key = ranking["window"], ranking["tags"].get("mode", ""), move["player"]
                    moves.setdefault(key, []).append(move)
        return moves


@contextmanager
def listening(url, after=None, path=LIVE):
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    with httpx.stream("GET", url + path, headers=headers, timeout=SECONDS) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "text/event-stream"
        assert answer.headers["cache-control"] == "no-store"
        yield Events(answer.iter_lines())


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    directory = make_book(tmp_path_factory.mktemp("live") / "book")
    with service(directory) as found, found.client(found.key("submit")) as found.submitter:
        yield found


def submit(running, player, wpm):
    answer = running.submitter.post("/v1/events", json=result(player, wpm))
    assert answer.status_code == 200, answer.text
    return running.submitter.get("/readyz").json()["position"]


def test_a_change_is_told_with_what_was_before_and_what_is_after(running):
    submit(running, "asha", 50)
    with listening(running.url) as events:
        name, began, data = events.next()
        assert (name, data) == ("position", {"position": began})
        position = submit(running, "asha", 60)
        name, id, data = events.next()
    assert (name, id, data["position"], data["events"]) == ("changes", position, position, 1)
    rankings = {(each["window"], each["tags"].get("mode")): each for each in data["rankings"]}
    assert set(rankings) == {
        (window, mode) for window in ("all-time", "daily") for mode in (None, "time")
    }
    [move] = rankings["all-time", None]["moves"]
    assert (move["player"], move["why"]) == ("asha", "better")
    assert (move["previous_score"], move["score"]) == (50, 60)
    assert (move["previous_rank"], move["rank"]) == (1, 1)


def test_who_comes_back_is_told_what_happened_meanwhile_as_one_change(running):
    with listening(running.url) as events:
        _name, seen, _data = events.next()
    for wpm in (10, 20, 30):
        position = submit(running, "bram", wpm)
    with listening(running.url, after=seen) as events:
        moves = events.until(position)
    [move] = moves["all-time", "", "bram"]
    assert (move["previous_score"], move["score"]) == (None, 30)


def test_many_changes_at_once_are_told_completely_and_in_fewer_events(running):
    with listening(running.url) as events:
        events.next()
        batch = [result(f"c{n % 50}", 40 + n / 10) for n in range(500)]
        assert running.submitter.post("/v1/events", json=batch).status_code == 200
        position = submit(running, "last", 10)
        moves = events.until(position)
    assert {player for window, mode, player in moves if (window, mode) == ("all-time", "")} == {
        *(f"c{n}" for n in range(50)),
        "last",
    }
    assert all(len(told) < 10 for told in moves.values())
    assert moves["all-time", "", "c49"][-1]["score"] == 90


def test_what_other_processes_publish_is_told_too(running):
    with listening(running.url) as events:
        events.next()
        with Rankbook.open(running.directory) as book:
            book.submit(Event(player="other", values={"wpm": 70, "mode": "time"}))
            position = book.store.position()
        moves = events.until(position)
    assert ("all-time", "", "other") in moves


def test_what_changes_nothing_is_not_told_and_is_not_missed(running):
    submit(running, "dee", 80)
    with listening(running.url) as events:
        events.next()
        submit(running, "dee", 10)
        position = submit(running, "dee", 90)
        moves = events.until(position)
    assert [move["why"] for move in moves["all-time", "", "dee"]] == ["better"]


def test_too_much_to_tell_is_a_reset(running):
    batch = [result(f"r{n}", 40) for n in range(600)]
    before = submit(running, "asha", 10)
    for _ in range(2):
        assert running.submitter.post("/v1/events", json=batch).status_code == 200
    position = submit(running, "asha", 10)
    with listening(running.url, after=before) as events:
        assert events.next() == ("reset", position, {"position": position})
    with listening(running.url, after=position + 1000) as events:
        assert events.next() == ("reset", position, {"position": position})


@pytest.mark.parametrize("workers", ["1", "2"])
def test_streams_end_when_the_service_does(tmp_path, workers):
    with service(make_book(tmp_path / "book"), "--workers", workers) as running:
        with listening(running.url) as events:
            events.next()
            running.process.send_signal(signal.SIGTERM)
            assert events.next() is None
        running.process.wait(SECONDS)
        assert running.process.returncode == 0


def asked(application, after=None):
    """The messages of one stream within this process, and a way to say that the client is gone."""
    headers = [(b"host", b"club")]
    if after is not None:
        headers.append((b"last-event-id", str(after).encode()))
    scope = {
        "type": "http",
        "method": "GET",
        "path": LIVE,
        "raw_path": LIVE.encode(),
        "query_string": b"",
        "headers": headers,
    }
    return scope


async def stream(application, send, gone, after=None):
    async def receive():
        await gone.wait()
        return {"type": "http.disconnect"}

    await application(asked(application, after), receive, send)


def test_a_quiet_stream_has_a_comment_now_and_then(tmp_path):
    with within(tmp_path / "club", heartbeat_seconds=0.01) as club:

        async def listen():
            gone, frames = asyncio.Event(), []

            async def send(message):
                frames.append(message.get("body", b""))
                if sum(b"still here" in frame for frame in frames) == 3:
                    gone.set()

            async with asyncio.timeout(SECONDS):
                await stream(club.application, send, gone)
            return frames

        assert asyncio.run(listen())[-1] == b"id: 0\n: still here\n\n"
        assert club.served.streams == 0


def test_a_stream_ends_with_the_key_that_opened_it_and_tells_nothing_more(tmp_path):
    directory = make_book(tmp_path / "book")
    with service(directory, "--read", "keys") as running:
        ring = KeyRing(directory / FILE)
        key, token = ring.create("reader", ["read"])
        with running.client(running.key("submit")) as client:
            headers = {"Authorization": f"Bearer {token}"}
            with httpx.stream("GET", running.url + LIVE, headers=headers, timeout=SECONDS) as found:
                events = Events(found.iter_lines())
                assert client.post("/v1/events", json=result("asha", 50)).status_code == 200
                assert [events.next()[0] for _each in range(2)] == ["position", "changes"]
                ring.revoke(key.id)
                assert client.post("/v1/events", json=result("asha", 60)).status_code == 200
                assert events.next() is None


def test_a_client_that_reads_nothing_is_given_up(tmp_path):
    with within(tmp_path / "club", send_seconds=0.01) as club:

        async def listen():
            async def send(message):
                if message["type"] != "http.response.start":
                    await asyncio.Event().wait()

            async with asyncio.timeout(SECONDS):
                await stream(club.application, send, asyncio.Event())

        asyncio.run(listen())
        assert club.served.streams == 0


def test_no_more_streams_are_open_than_are_allowed(tmp_path):
    with within(tmp_path / "club", live_clients=0) as club:
        answer = club.ask(LIVE)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "10")


def test_a_store_that_was_down_loses_no_change(tmp_path, monkeypatch):
    with within(tmp_path / "club", watch_seconds=0.01) as club:
        club.submit("asha", 50)
        store, downs = type(club.book.store), []
        real = store.receipts

        def receipts(self, seqs):
            if len(downs) < 3:
                downs.append(seqs)
                raise StoreError("down")
            return real(self, seqs)

        async def listen():
            gone, frames = asyncio.Event(), []

            async def send(message):
                frames.append(message.get("body", b""))
                if b"event: changes" in frames[-1]:
                    gone.set()

            with monkeypatch.context() as patched:
                patched.setattr(store, "receipts", receipts)
                async with asyncio.timeout(SECONDS):
                    await stream(club.application, send, gone, after=0)
            return frames[-1]

        assert b'"player":"asha"' in asyncio.run(listen())
        assert len(downs) == 3


def test_changes_between_any_two_positions_add_up(tmp_path):
    with within(tmp_path / "club") as club:
        for number in range(12):
            club.submit(f"p{number % 3}", number, id=f"e{number}")
        club.book.submit(Event(player="p1", kind="ban"))
        book = club.book
        head = book.store.position()

        def speed(after, until, most=100):
            found = between(book, after, until, most)
            changes = {each.board: each for each in found}.get("speed")
            return {} if changes is None else {m.player: m for m in changes.rankings[0].moves}

        assert speed(0, 0) == {}
        assert {name: move.score for name, move in speed(0, head - 1).items()} == {
            "p0": 9,
            "p1": 10,
            "p2": 11,
        }
        whole = speed(0, head)
        assert (whole["p1"].previous_score, whole["p1"].score) == (None, None)
        assert (whole["p1"].why, whole["p2"].score) == ("removed", 11)
        assert speed(head - 1, head)["p1"].previous_score == 10
        for after, until, most in ((0, head, head - 1), (head, head - 1, 100)):
            with pytest.raises(TooFar):
                speed(after, until, most)
