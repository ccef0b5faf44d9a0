"""The application asked in this process, without a server: where a clock or a store is a test's."""

import asyncio
from contextlib import contextmanager

import httpx

from rankbook import Event, Rankbook
from rankbook.http import Settings, app
from tests.book.home import Clock

TOML = """\
[book]
name = "club"

[[board]]
name = "speed"
measures = { score = { value = "points", type = "decimal(2)" } }
order_by = ["score desc"]
splits = [[], ["mode"]]
windows = ["all-time", "daily"]
details = ["points", "mode"]
seal = true
grace_seconds = 60

[[board]]
name = "now"
measures = { score = { value = "points", type = "decimal(2)" } }
order_by = ["score desc"]
profiles = "player"

[[board]]
name = "words"
measures = { score = { value = "points", type = "decimal(2)" } }
order_by = ["score desc"]
splits = [["mode"]]
where = "points > 1000"

[[bundle]]
name = "home"
top = 3
rankings = [
  { board = "speed", window = "all-time" },
  { board = "speed", window = "daily", mode = "time" },
]

[[bundle]]
name = "aged"
max_age_seconds = 30
rankings = [{ board = "now", window = "all-time" }]
"""


class Within:
    """An application over a book, and answers to requests."""

    def __init__(self, book, clock, application, path=""):
        self.book = book
        self.clock = clock
        self.application = application
        self.path = path

    @property
    def served(self):
        return self.application.state.served

    def ask(self, path, method="GET", **more):
        """The answer of the application to one request."""

        async def asked():
            transport = httpx.ASGITransport(app=self.application, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://club") as client:
                return await client.request(method, self.path + path, **more)

        return asyncio.run(asked())

    def json(self, path, **more):
        """The content of an answer that has one."""
        answer = self.ask(path, **more)
        assert answer.status_code == 200, (path, answer.text)
        return answer.json()

    def submit(self, player, points, mode="time", **more):
        """A result of now."""
        return self.book.submit(
            Event(player=player, values={"points": points, "mode": mode}, **more)
        )


@contextmanager
def within(directory, *, toml=TOML, **settings):
    """An application over a book of its own, in a process that has a clock of the test's."""
    directory.mkdir()
    (directory / "rankbook.toml").write_text(toml)
    clock = Clock()
    with Rankbook.open(directory, clock=clock) as book:
        made = Within(
            book, clock, app(book, Settings(directory=directory, **settings), clock=clock)
        )
        yield made
        asyncio.run(made.served.stop())  # Its writer would go on beside the next test.
        assert book.verify().agrees
