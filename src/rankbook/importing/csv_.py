"""Plain CSV: a header, and one result on each line.

`at` (RFC 3339 with a zone) is required, and so is `player`, unless it is given for the whole file.
`id` and `sequence` are optional. `profile.name`, `profile.avatar` and so on belong to the player's
profile. Every other column is a value: a number if the cell is one, else text. An empty cell is no
value. A line without an id is recognised by its content.
"""

from collections.abc import Iterator
from typing import Any

from rankbook.importing.columns import required, result
from rankbook.importing.common import Fault, Occurrences, Row, Source, value
from rankbook.importing.tabular import records
from rankbook.model import Event

KEPT_EMPTY = ("player", "at")


def read(source: Source) -> Iterator[Row | Fault]:
    """The results. Each names its player, unless `source.player` does."""
    ids = Occurrences()
    rows = records(source, required(source))
    return source.rows(rows, lambda cells: ids.named(_event(source, cells)))


def _event(source: Source, cells: dict[str, str]) -> Event:
    there: dict[str, Any] = {
        name: text for name, text in cells.items() if text or name in KEPT_EMPTY
    }
    if "sequence" in there:
        there |= {"sequence": value(there["sequence"])}
    return result(source, there, lambda text, _name: value(text))
