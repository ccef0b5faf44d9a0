"""The results export of the typing site Monkeytype: one line a test, newest first.

wpm and mode keep their names, acc is the value `accuracy`, and `timestamp` (milliseconds since
1970 UTC) is when it happened. The id of the event is `monkeytype:` and the result's `_id`.
"""

from collections.abc import Iterator
from datetime import UTC, datetime

from rankbook.errors import Refused
from rankbook.importing.common import Fault, Row, Source, moment_ms, number
from rankbook.importing.tabular import records
from rankbook.model import Event

REQUIRED = ("_id", "wpm", "acc", "mode", "timestamp")
COLUMNS = {"id": "_id", "accuracy": "acc", "at": "timestamp", "player": "--player"}

# The site is younger than this: an earlier time is a line that was cut off in its last column.
EARLIEST = datetime(2010, 1, 1, tzinfo=UTC)


def read(source: Source) -> Iterator[Row | Fault]:
    """The results of `source.player`."""
    return source.rows(records(source, REQUIRED), lambda cells: _event(source, cells))


def _event(source: Source, cells: dict[str, str]) -> Event:
    for name in ("_id", "mode"):
        if not cells[name]:
            raise Refused(name, "is empty")
    at = moment_ms(cells["timestamp"], "timestamp")
    if at < EARLIEST:
        raise Refused("timestamp", f"is {at:%Y-%m-%d}, before there was such an export")
    return Event(
        id=f"monkeytype:{cells['_id']}",
        player=source.player or "",
        at=at,
        values={
            "wpm": number(cells["wpm"], "wpm"),
            "accuracy": number(cells["acc"], "acc"),
            "mode": cells["mode"],
        },
    )
