"""A club's book, and its pages served in this process, for a browser to look at."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import uvicorn

from rankbook import Event, Rankbook
from rankbook.http import Settings, app
from rankbook.http.auth.keys import FILE, KeyRing
from rankbook.http.server.serving import address, listen

SECONDS = 30
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DAYS = 6
PLAYERS = 24
FIRST = ("Asha", "Bram", "Chidi", "Dora", "Emil", "Femi", "Gita", "Hugo")
LAST = ("Abe", "Berg", "Costa")
TOML = """\
[book]
name = "club"

[values]
wpm = { type = "number", min = 0, max = 1000 }
mode = { type = "text", one_of = ["time", "words"] }

[[board]]
name = "speed"
measures = { score = "round(wpm)" }
order_by = ["score desc"]
splits = [[], ["mode"]]
windows = ["all-time", "daily"]
zone = "+05:30"
details = ["wpm", "mode"]
seal = true

[[board]]
name = "lap"
measures = { seconds = { value = "round(wpm / 10, 2)", type = "decimal(2)" } }
order_by = ["seconds asc"]
windows = ["season"]
seasons = [
  { name = "autumn", start = 2026-09-01, end = 2026-11-27 },
  { name = "winter", start = 2026-11-27, end = 2027-03-01 },
]

[[bundle]]
name = "home"
rankings = [
  { board = "speed", window = "all-time" },
  { board = "speed", window = "all-time", mode = "time" },
  { board = "speed", window = "all-time", mode = "words" },
  { board = "speed", window = "daily" },
  { board = "speed", window = "daily", mode = "time" },
  { board = "speed", window = "daily", mode = "words" },
]
"""
ODD = {
    "odd/html?&#": '<b onclick="alert(1)">Bold</b> & "Co" <script>document.title="owned"</script>',
    "odd-turned": "\u202eevil\u2066\u200f turned",
    "odd-nothing": "\u200b\u2060\ufeff \u200d",
    "odd-long": "W" * 256,
    "odd-marks": "Z" + "\u0335\u0321\u0310\u0346" * 60,
    "odd-arabic": "أحمد 123 علي",
    "odd-emoji": "👩‍👩‍👧‍👦 🇮🇳 family",
}


class Clock:
    """Microseconds that a test sets; each reading is a little later, as results are."""

    def __init__(self, at: datetime) -> None:
        self.at(at)

    def at(self, moment: datetime) -> None:
        """It is this time."""
        self.us = int(moment.timestamp()) * 1_000_000

    def __call__(self) -> int:
        self.us += 1
        return self.us


def players() -> list[tuple[str, dict[str, str]]]:
    """Ids and profiles; one in three has no avatar, so that initials are shown."""
    names = [f"{first} {last}" for last in LAST for first in FIRST]
    avatars = ("🦊", "🐼", "")
    return [
        (name.replace(" ", "-").lower(), {"name": name, "avatar": avatars[index % 3]})
        for index, name in enumerate(names[:PLAYERS])
    ]


def fill(book: Rankbook, clock: Clock) -> None:
    """Days of results, each recorded on its day, and on the last one those with odd names."""
    everybody = players()
    for day in range(DAYS):
        at = NOW - timedelta(days=DAYS - 1 - day)
        clock.at(at)
        events = [
            Event(
                id=f"day-{day}-{player}",
                player=player,
                values={
                    "wpm": 60 + (index * 7 + day * 11) % 53 + index / 8,
                    "mode": ("time", "words")[(index + day) % 2],
                },
                profile={name: text for name, text in profile.items() if text},
            )
            for index, (player, profile) in enumerate(everybody)
        ]
        book.submit_many(events)
    book.submit_many(
        [
            Event(id=f"result-{n}", player=player, values={"wpm": 130 - n, "mode": "time"},
                  profile={"name": name, "avatar": "https://example.org/a.png"})
            for n, (player, name) in enumerate(ODD.items())
        ]
    )  # fmt: skip


class Club:
    """The running pages."""

    def __init__(self, book: Rankbook, clock: Clock, directory: Path, url: str) -> None:
        self.book = book
        self.clock = clock
        self.directory = directory
        self.url = url
        self._count = 0

    def submit(self, player: str, wpm: float, mode: str = "time", **more: object) -> str:
        """A result, now, recorded by this process beside the service's writer; its id."""
        self._count += 1
        event = Event(
            id=f"now-{self._count}", player=player, values={"wpm": wpm, "mode": mode}, **more
        )
        self.book.submit(event)
        return event.id

    def key(self, *scopes: str) -> str:
        """A new key of the book."""
        return KeyRing(self.directory / FILE).create("test", scopes)[1]


@contextmanager
def club(directory: Path, **settings: object) -> Iterator[Club]:
    """The pages of a new book, served on a free port until the end."""
    (directory / "rankbook.toml").write_text(TOML)
    clock = Clock(NOW)
    with Rankbook.open(directory, clock=clock) as book:
        fill(book, clock)
        application = app(book, Settings(directory=directory, **settings), clock=clock)
        with listen("127.0.0.1", 0) as listening, _running(application, listening):
            yield Club(book, clock, directory, address(listening))


@contextmanager
def _running(application, listening) -> Iterator[None]:
    config = uvicorn.Config(application, log_level="warning", lifespan="on")
    server = uvicorn.Server(config)
    ended: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(server.serve(sockets=[listening]))
        except BaseException as error:
            ended.append(error)
            raise

    thread = threading.Thread(target=run, name="club")
    thread.start()
    try:
        yield
    finally:
        application.state.served.watch.stop()
        server.should_exit = True
        thread.join(SECONDS)
        assert not thread.is_alive()
        assert not ended
