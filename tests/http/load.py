"""Clients that submit results with ids, and send each again until it is acknowledged."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from rankbook import Rankbook
from tests.http.running import SECONDS

TOML = """\
[book]
name = "load"

[[board]]
name = "points"
measures = { points = "points" }
order_by = ["points desc"]
keep = "total"
"""


class Load:
    """Some clients, each with a player of its own. `receipts` has what was acknowledged, by id."""

    def __init__(self, url: str, token: str, clients: int) -> None:
        self.url = url
        self.receipts: dict[str, dict[str, object]] = {}
        self.troubles: list[object] = []
        self._token = token
        self._stopping = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(n,)) for n in range(clients)]

    def wait(self, more: int) -> None:
        """Wait until so many more are acknowledged."""
        wanted = len(self.receipts) + more
        until = time.monotonic() + SECONDS
        while len(self.receipts) < wanted:
            assert time.monotonic() < until, (len(self.receipts), self.troubles[-5:])
            assert not [each for each in self.troubles if isinstance(each, int) and each < 500]
            self._stopping.wait(0.01)

    def start(self) -> None:
        """Begin."""
        for each in self._threads:
            each.start()

    def stop(self) -> None:
        """Let each client get its last result acknowledged."""
        self._stopping.set()
        for each in self._threads:
            each.join(SECONDS)

    def _run(self, client: int) -> None:
        count = 0
        headers = {"Authorization": f"Bearer {self._token}"}
        with httpx.Client(headers=headers, timeout=SECONDS) as http:
            while not self._stopping.is_set():
                count += 1
                self._submit(http, f"c{client}-{count}", f"p{client}")

    def _submit(self, http: httpx.Client, id: str, player: str) -> None:
        event = {"player": player, "values": {"points": 1}, "at": "2026-11-30T12:00:00Z"}
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            try:
                answer = http.put(f"{self.url}/v1/events/{id}", json=event)
            except httpx.TransportError as error:
                self.troubles.append(error)
                time.sleep(0.01)
                continue
            if answer.status_code in (200, 202):
                self.receipts[id] = answer.json()
                return
            self.troubles.append(answer.status_code)
            time.sleep(0.01)


@contextmanager
def load(url: str, token: str, clients: int = 8) -> Iterator[Load]:
    """A load that is over at the end."""
    running = Load(url, token, clients)
    running.start()
    try:
        yield running
    finally:
        running.stop()


def check_all(book: Rankbook, running: Load) -> None:
    """Everything acknowledged is recorded, once, ranked as it was said, and counted once."""
    found: list[str] = []
    after = 0
    while events := book.log.read(after, 1000):
        found += [each.id for each in events]
        after = events[-1].seq
    assert len(found) == len(set(found))
    assert set(running.receipts) <= set(found)
    for id, receipt in running.receipts.items():
        outcome = book.outcome(id)
        assert outcome.status == "ranked"
        assert outcome.receipt is not None
        if receipt["status"] == "ranked":
            [placement] = outcome.receipt.rankings
            assert [placement.score] == [each["score"] for each in receipt["rankings"]]
    top = book.ranking("points").top(1000)
    assert sum(int(entry.score) for entry in top.entries) == len(found)
    assert book.verify().agrees
