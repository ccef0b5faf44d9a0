"""An existing history: the rows of a user's own table, or a program's own events.

A query gives one result in each row. `at` is required, as a time with a zone or as RFC 3339 text,
and so is `player`, unless it is given for all rows. `id`, `sequence` and `profile.name` and so on
are optional, as in CSV. Every other column is a value, and NULL is none. A row without an id is
recognised by its content. Faults name the number of the row.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rankbook.book import Rankbook
from rankbook.errors import ConfigError, Refused
from rankbook.importing.columns import cell_value, required, result
from rankbook.importing.common import Fault, Occurrences, Row, Source, dated, shown
from rankbook.importing.run import Importer, Summary, Told
from rankbook.log import open_rows
from rankbook.model import Event, EventLike

ROW = "row"


def import_query(importer: Importer, dsn: str, sql: str, player: str | None = None) -> None:
    """Record the good rows of a query, and collect the faults of the others; see `log.open_rows`.

    Raises `ConfigError` at "sql" for a query that cannot run, or that lacks a required column.
    """
    source = importer.source(ROW, player)
    with open_rows(dsn, sql) as (names, rows):
        _check(source, names)
        importer.rows(source, _read(source, names, rows))


def adopt(
    book: Rankbook, events: Iterable[EventLike], *, batch: int = 1000, progress: Told | None = None
) -> Summary:
    """Record events in batches and rank them. Events that are already recorded are skipped.

    `events` are read once, in their order. After a stop, give them again, and the missing ones are
    added. An event must have its `at`. An event without an id is recognised by its content. What
    the book refuses is a fault, which has the event's number. `progress` is called with "reading"
    and "ranking".
    """
    importer = Importer(book, told=progress, batch=batch)
    source = importer.source("event")
    importer.rows(source, _given(source, events))
    return importer.finish()


def _given(source: Source, events: Iterable[EventLike]) -> Iterator[Row | Fault]:
    ids = Occurrences()
    return source.rows(enumerate(events, start=1), lambda event: ids.named(dated(event)))


def _check(source: Source, names: Sequence[str]) -> None:
    for name in required(source):
        if name not in names:
            raise ConfigError("sql", f"gives no column {name!r}; it gives {shown(','.join(names))}")
    for name in names:
        if names.count(name) > 1:
            raise ConfigError("sql", f"gives the column {name!r} twice")


def _read(
    source: Source, names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> Iterator[Row | Fault]:
    ids = Occurrences()
    there = (
        {name: cell for name, cell in zip(names, cells, strict=True) if cell is not None}
        for cells in rows
    )
    return source.rows(enumerate(there, start=1), lambda row: ids.named(_event(source, row)))


def _event(source: Source, cells: dict[str, Any]) -> Event:
    for name in required(source):
        if name not in cells:
            raise Refused(name, "is NULL")
    return result(source, cells, cell_value)
