"""A row with named columns, from a file or a query, as a result.

`player`, `at`, `id` and `sequence` are the event's own; `profile.name` and so on belong to the
player's profile; every other column is a value.
"""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from rankbook.errors import Refused
from rankbook.importing.common import Source, shown, sound
from rankbook.model import Event, Value
from rankbook.rules import canonical_number, micros, parse_instant

OWN = ("player", "at", "id", "sequence")
PROFILE = "profile."


def required(source: Source) -> tuple[str, ...]:
    """The required columns. `player` is one of them only if it is not given for all rows."""
    return ("at",) if source.player is not None else ("player", "at")


def result(source: Source, cells: Mapping[str, Any], value: Callable[[Any, str], Value]) -> Event:
    """The result in these cells. `value` reads the cells of the event's values. Raises
    `Refused`."""
    sequence = cells.get("sequence")
    if sequence is not None and type(sequence) is not int:
        raise Refused("sequence", f"is {shown(str(sequence))}, not an integer")
    profile = [name for name in cells if name.startswith(PROFILE)]
    values = [name for name in cells if name not in (*OWN, *profile)]
    return Event(
        player=_text(cells, "player") if "player" in cells else source.player or "",
        at=_moment(cells["at"]),
        id=_text(cells, "id") if "id" in cells else "",
        sequence=sequence,
        profile={name.removeprefix(PROFILE): _text(cells, name) for name in profile},
        values={
            name: _text(cells, name) if name in source.texts else value(cells[name], name)
            for name in values
        },
    )


def cell_value(cell: object, name: str) -> Value:
    """A database's value as an event's value. Raises `Refused` if it cannot be one."""
    if isinstance(cell, str):
        return sound(cell, name)
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return cell
    if isinstance(cell, Decimal):
        return canonical_number(cell, name)
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, UUID):
        return str(cell)
    raise Refused(name, f"is of the type {type(cell).__name__}; a value is a number or text")


def _text(cells: Mapping[str, Any], name: str) -> str:
    return str(cell_value(cells[name], name))


def _moment(cell: object) -> datetime:
    if isinstance(cell, datetime):
        micros(cell, "at")
        return cell
    return parse_instant(str(cell))
