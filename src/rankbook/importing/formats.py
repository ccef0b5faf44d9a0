"""The formats that can be imported, by name."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from rankbook.importing import csv_, monkeytype, ndjson
from rankbook.importing.common import Fault, Row, Source


class Format(NamedTuple):
    """How to read a format. `columns` gives the file's column for an event's field or value."""

    read: Callable[[Source], Iterator[Row | Fault]]
    columns: Mapping[str, str]
    names_players: bool

    def column(self, field: str) -> str:
        """The file's own name for a field that the book refused."""
        return self.columns.get(field, field)


FORMATS: dict[str, Format] = {
    "monkeytype": Format(monkeytype.read, monkeytype.COLUMNS, names_players=False),
    "ndjson": Format(ndjson.read, {}, names_players=True),
    "csv": Format(csv_.read, {}, names_players=True),
}
