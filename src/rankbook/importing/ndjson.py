"""JSON lines: each line is an object with player, at and values, and optionally id, profile,
sequence, kind and target.

`at` is required. So is `player`, unless it is given for the whole file, or the event names its
`target`: another event or a period. A repeated key is refused, because two readers could take
different ones. A line without an id is recognised by its content.
"""

import json
from collections.abc import Iterator
from typing import Any

from rankbook.errors import Refused
from rankbook.importing.common import (
    Fault,
    Line,
    Occurrences,
    Row,
    Source,
    dated,
    lines,
    sound,
    too_long,
)
from rankbook.model import Event
from rankbook.rules import WITHOUT_PLAYER, as_event, read_json


def read(source: Source) -> Iterator[Row | Fault]:
    """The results. Each names its player, unless `source.player` does. Blank lines are skipped."""
    ids = Occurrences()
    there = ((line.number, line) for line in lines(source.stream) if line.text.strip())
    return source.rows(there, lambda line: ids.named(_event(source, line)))


def parse(text: str, player: str | None = None) -> Event:
    """The event in a JSON object. If it needs a player and names none, it is of `player`.

    Raises `Refused`.
    """
    keys = _object(sound(text, ""))
    if player is not None and keys.get("kind") not in WITHOUT_PLAYER:
        keys.setdefault("player", player)
    return as_event(keys)


def _event(source: Source, line: Line) -> Event:
    if not line.whole:
        raise Refused("", too_long())
    return dated(parse(line.text, source.player))


def _object(text: str) -> dict[str, Any]:
    try:
        found = read_json(text, strict=False)
    except json.JSONDecodeError as error:
        raise Refused("", f"not JSON: {error.msg} at character {error.pos + 1}") from None
    except (ValueError, RecursionError):
        raise Refused("", "not JSON that can be read: a number or a nesting too long") from None
    if not isinstance(found, dict):
        raise Refused("", "is no JSON object")
    return found
