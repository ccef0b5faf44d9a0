"""A history that is there already: the rows of a user's own table, or events of a program's own.

A query gives one result a row. `at` must be there, as a time with a zone or as RFC 3339 text, and
`player` unless it is given for all rows. `id`, `sequence` and `profile.name` and so on may be
there, as in CSV; every other column is a value, and NULL is none. A row without an id is known
again by its content. Faults are named by the number of the row.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from rankbook.book import Rankbook
from rankbook.errors import Refused
from rankbook.importing.common import Fault, Occurrences, Row, Source, moment, shown, sound
from rankbook.importing.csv_ import OWN, PROFILE
from rankbook.importing.run import Importer, Summary, Told
from rankbook.log import open_rows
from rankbook.model import Event, Value
from rankbook.rules import micros

ROW = "row"


def import_query(importer: Importer, dsn: str, sql: str, player: str | None = None) -> None:
    """Record the good rows of a query, and note the faults of others; see `log.open_rows`.

    Raises `Refused` at "sql" for a query that cannot be run, or lacks a column that is needed.
    """
    source = importer.source(ROW, player)
    with open_rows(dsn, sql) as (names, rows):
        _check(names, player)
        importer.rows(source, _read(source, names, rows))


def adopt(
    book: Rankbook, events: Iterable[Event], *, batch: int = 1000, progress: Told | None = None
) -> Summary:
    """Record events in batches and rank them; those that are known already are passed over.

    They are read as they are recorded, once and in their order; give them again after a stop, and
    what is missing is added. An event must say when it was; one without an id is known by its
    content. What the book refuses is a fault, named by the event's number. `progress` hears
    of "reading" and "ranking".
    """
    importer = Importer(book, told=progress, batch=batch)
    source = importer.source("event")
    importer.rows(source, _given(source, events))
    return importer.finish()


def _given(source: Source, events: Iterable[Event]) -> Iterator[Row | Fault]:
    ids = Occurrences()
    for number, event in enumerate(events, start=1):
        if event.at is None:
            yield source.fault(number, "at", "is missing")
        else:
            yield source.row(number, lambda event=event: ids.named(event))  # type: ignore[misc]


def _check(names: Sequence[str], player: str | None) -> None:
    for name in ("at",) if player is not None else ("player", "at"):
        if name not in names:
            raise Refused("sql", f"gives no column {name!r}; it gives {shown(','.join(names))}")
    for name in names:
        if names.count(name) > 1:
            raise Refused("sql", f"gives the column {name!r} twice")


def _read(
    source: Source, names: Sequence[str], rows: Iterable[Sequence[Any]]
) -> Iterator[Row | Fault]:
    ids = Occurrences()
    for number, cells in enumerate(rows, start=1):
        there = {name: cell for name, cell in zip(names, cells, strict=True) if cell is not None}
        yield source.row(number, lambda there=there: ids.named(_event(source, there)))  # type: ignore[misc]


def _event(source: Source, cells: dict[str, Any]) -> Event:
    for name in ("at",) if source.player is not None else ("player", "at"):
        if name not in cells:
            raise Refused(name, "is NULL")
    sequence = cells.get("sequence")
    if sequence is not None and type(sequence) is not int:
        raise Refused("sequence", f"is {shown(str(sequence))}, not an integer")
    return Event(
        player=_text(cells, "player") if "player" in cells else source.player or "",
        at=_moment(cells["at"]),
        id=_text(cells, "id") if "id" in cells else "",
        sequence=sequence,
        profile={
            name.removeprefix(PROFILE): _text(cells, name)
            for name in cells
            if name.startswith(PROFILE)
        },
        values={
            name: _text(cells, name) if name in source.texts else _value(cell, name)
            for name, cell in cells.items()
            if name not in OWN and not name.startswith(PROFILE)
        },
    )


def _moment(cell: object) -> datetime:
    if isinstance(cell, datetime):
        micros(cell, "at")
        return cell
    return moment(str(cell), "at")


def _text(cells: dict[str, Any], name: str) -> str:
    return str(_value(cells[name], name))


def _value(cell: object, name: str) -> Value:
    """What a database's type is as a value. Raises `Refused` for one that is none."""
    if isinstance(cell, str):
        return sound(cell, name)
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return cell
    if isinstance(cell, Decimal):
        return int(cell) if cell.is_finite() and cell == cell.to_integral_value() else float(cell)
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, UUID):
        return str(cell)
    raise Refused(name, f"is of the type {type(cell).__name__}; a value is a number or text")
