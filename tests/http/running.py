"""The service as it is run: `rankbook serve` on a free loopback port, over a book of its own."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx

from rankbook import Rankbook
from rankbook.http.auth.keys import FILE, KeyRing

SECONDS = 60
PROGRAM = [sys.executable, "-m", "rankbook"]
TOML = """\
[book]
name = "typing"

[values]
wpm = { type = "number", min = 0, max = 1000 }

[[board]]
name = "speed"
measures = { score = "round(wpm)" }
order_by = ["score desc"]
splits = [[], ["mode"]]
windows = ["all-time", "daily"]
details = ["wpm", "mode"]
"""
HIDDEN = ("RANKBOOK_", "COLUMNS", "FORCE_COLOR", "PROMETHEUS_")


def make_book(directory: Path, toml: str = TOML) -> Path:
    """An empty book."""
    directory.mkdir()
    (directory / "rankbook.toml").write_text(toml)
    return directory


def key(directory: Path, *scopes: str, signed: bool = False) -> str:
    """A new key of the book, as its owner holds it."""
    return KeyRing(directory / FILE).create("test", scopes, signed=signed)[1]


def result(player: str, wpm: float, **more: object) -> dict[str, object]:
    """An event as a client sends it."""
    return {"player": player, "values": {"wpm": wpm, "mode": "time"}, **more}


def check(directory: Path) -> None:
    """Rankings and log agree."""
    with Rankbook.open(directory) as book:
        found = book.verify()
    assert found.agrees, found


class Service:
    """A running service, and clients of it. `said` is what it writes to stdout and stderr."""

    def __init__(self, directory: Path, process: subprocess.Popen[str]) -> None:
        self.directory = directory
        self.process = process
        self.said: list[str] = []
        self.url = ""
        self._known = threading.Event()
        streams = (process.stdout, process.stderr)
        self._reading = [threading.Thread(target=self._read, args=(each,)) for each in streams]
        for each in self._reading:
            each.start()
        assert self._known.wait(SECONDS), self.said
        assert self.url, self.said

    def client(self, token: str = "", **more) -> httpx.Client:
        """A client that sends this key."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=SECONDS, **more)

    def key(self, *scopes: str, signed: bool = False) -> str:
        """A new key."""
        return key(self.directory, *scopes, signed=signed)

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.url.rsplit(":", 1)[1])

    def stop(self, how: signal.Signals = signal.SIGTERM) -> str:
        """Stop it, and give what it has said."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        try:
            self.process.wait(SECONDS)
        finally:
            self.process.kill()
        for each in self._reading:
            each.join(SECONDS)
        return "".join(self.said)

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self.said.append(line)
            if " is served at " in line:
                self.url = line.split(" is served at ")[1].split(";")[0]
                self._known.set()
        self._known.set()


@contextmanager
def service(directory: Path, *options: str, **environment: str) -> Iterator[Service]:
    """A service of the book, which is stopped afterwards."""
    clean = {name: text for name, text in os.environ.items() if not name.startswith(HIDDEN)}
    process = subprocess.Popen(
        [*PROGRAM, "serve", "--book", str(directory), "--port", "0", *options],
        env={**clean, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout, process.stderr:
        try:
            running = Service(directory, process)
        except BaseException:
            process.kill()
            raise
        try:
            yield running
        finally:
            running.stop()
