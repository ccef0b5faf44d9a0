"""Drafts for a PostgreSQL log: each id once, sent as columns in one statement."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from psycopg import Connection

from rankbook.errors import EventConflict
from rankbook.log.base import Draft, Recorded
from rankbook.log.postgres.schema import ask, ask_one, sql
from rankbook.log.records import checksum, distinct, recorded

COLUMNS = ("ids", "kinds", "players", "ats_us", "receiveds_us", "bodies", "checksums")

# Lists are sent in binary: a batch of a thousand costs a quarter of what it costs as text.
RECORD = sql.record.sql.replace(")s", ")b")
RECORD_ONE = sql.record_one.sql.replace("(body)s", "(body)b").replace("(checksum)s", "(checksum)b")
FIND = sql.find.sql.replace(")s", ")b")


class Written(NamedTuple):
    """The result of one statement. `first_seq` is None if the events wait for their places.

    `fresh` counts the events that the log did not have. `log.py` explains `low`.
    """

    first_seq: int | None
    fresh: int
    low: str | None


class Batch:
    """The drafts of one call. `each` has every id once, in the order of the call.

    Raises `EventConflict` if an id comes twice with different content.
    """

    def __init__(self, drafts: Sequence[Draft]) -> None:
        self.drafts = drafts
        self.each = distinct(drafts)
        if len(self.each) == 1:
            [draft] = self.each.values()
            self._query = RECORD_ONE
            self._values = draft._asdict() | {"checksum": checksum(draft)}
        else:
            columns = [list(column) for column in zip(*self.each.values(), strict=True)]
            columns.append([checksum(draft) for draft in self.each.values()])
            self._query, self._values = RECORD, dict(zip(COLUMNS, columns, strict=True))

    def write(self, connection: Connection[Any], *, at_once: bool, since: str) -> Written:
        """Append the drafts that are not known. Raises `EventConflict`, with nothing of the batch
        written."""
        values = self._values | {"at_once": at_once, "since": since}
        first_seq, fresh, conflict, low = ask_one(connection, self._query, values)
        if conflict is not None:
            raise EventConflict(conflict)
        return Written(first_seq, fresh, low)

    def placed(self, first_seq: int) -> list[Recorded]:
        """The events of the call, if all were fresh and got places from `first_seq` on."""
        return self._of_call([Recorded(n, *d) for n, d in enumerate(self.each.values(), first_seq)])

    def waiting(self) -> list[Recorded]:
        """The events of the call, if all were fresh and wait for their places."""
        return self._of_call([Recorded(0, *draft) for draft in self.each.values()])

    def _of_call(self, events: list[Recorded]) -> list[Recorded]:
        if len(events) == len(self.drafts):
            return events
        known = {event.id: event for event in events}
        return [known[draft.id] for draft in self.drafts]


def find(connection: Connection[Any], ids: Sequence[str]) -> dict[str, Recorded]:
    """The known events among `ids`; seq is 0 for one that waits for its place."""
    known = {}
    for row in ask(connection, FIND, {"ids": list(ids)}):
        event = recorded(row)
        known[event.id] = event
    return known
