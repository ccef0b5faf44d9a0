"""A site's own table and the log in one transaction.

The site keeps every test in a table of its own. The log is in the same database, so that the row
and the event commit together or not at all: there is no test without its event, and no event
without its test. Nothing is ranked within the transaction, so no trouble of the rankings can fail
the saved test: whoever folds next catches up, here `rank`, elsewhere `rankbook fold --follow`.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

from msgspec.structs import replace

from examples.clock import Clock
from rankbook import BookSpec, Event, Rankbook
from rankbook.model import Value

DATABASE = "app.sqlite"
TABLE = "CREATE TABLE tests (id TEXT PRIMARY KEY, player TEXT, wpm REAL, accuracy REAL, mode TEXT)"


class TypingTests:
    """The site's table of tests, and the book that ranks them."""

    def __init__(self, directory: Path, spec: BookSpec, clock: Clock) -> None:
        self.book = Rankbook.open(
            directory, spec=replace(spec, log=f"sqlite:{DATABASE}"), clock=clock
        )
        self.connection = sqlite3.connect(directory / DATABASE)
        self.connection.execute(TABLE)

    def save(self, id: str, player: str, wpm: float, accuracy: float, mode: str = "time") -> None:
        """Keep a test and record its event, both or neither. Raises `Refused` with neither kept."""
        values: dict[str, Value] = {"wpm": wpm, "accuracy": accuracy, "mode": mode}
        with self.connection:  # commits at the end, rolls back on an error
            self.connection.execute(
                "INSERT INTO tests VALUES (?, ?, ?, ?, ?)", (id, player, wpm, accuracy, mode)
            )
            event = Event(id=id, player=player, values=values)
            self.book.record(event, connection=self.connection)

    def rank(self) -> None:
        """Rank what has been saved; while the store is down it is left for later."""
        self.book.catch_up()

    def kept(self) -> list[str]:
        """The ids of the tests in the table."""
        with closing(self.connection.execute("SELECT id FROM tests ORDER BY id")) as rows:
            return [id for (id,) in rows]

    def close(self) -> None:
        """Close the table and the book."""
        self.connection.close()
        self.book.close()
