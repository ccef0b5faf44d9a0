"""Plain CSV: a header and one result a line.

`at` (RFC 3339 with a zone) must be there, and `player` unless it is given for the whole file. `id`
and `sequence` may be there. `profile.name`, `profile.avatar` and so on belong to the player's
profile. Every other column is a value: a number where the cell is one, else text; an empty cell is
no value. A line without an id is known again by its content.
"""

from collections.abc import Iterator

from rankbook.errors import Refused
from rankbook.importing.common import Fault, Occurrences, Row, Source, moment, number, shown, value
from rankbook.importing.tabular import records
from rankbook.model import Event, Value

OWN = ("player", "at", "id", "sequence")
PROFILE = "profile."


def read(source: Source) -> Iterator[Row | Fault]:
    """The results, each of its own player or of `source.player`."""
    required = ("at",) if source.player is not None else ("player", "at")
    ids = Occurrences()
    for item in records(source, required):
        if isinstance(item, Fault):
            yield item
        else:
            cells = item.cells
            yield source.row(item.line, lambda cells=cells: ids.named(_event(source, cells)))  # type: ignore[misc]


def _event(source: Source, cells: dict[str, str]) -> Event:
    return Event(
        player=cells.get("player", source.player or ""),
        at=moment(cells["at"], "at"),
        id=cells.get("id", ""),
        sequence=_sequence(cells.get("sequence", "")),
        profile={
            name.removeprefix(PROFILE): text
            for name, text in cells.items()
            if name.startswith(PROFILE) and text
        },
        values=_values(source, cells),
    )


def _values(source: Source, cells: dict[str, str]) -> dict[str, Value]:
    return {
        name: text if name in source.texts else value(text)
        for name, text in cells.items()
        if text and name not in OWN and not name.startswith(PROFILE)
    }


def _sequence(text: str) -> int | None:
    if not text:
        return None
    read = number(text, "sequence")
    if not isinstance(read, int):
        raise Refused("sequence", f"is {shown(text)}, not an integer")
    return read
