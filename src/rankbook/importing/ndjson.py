"""One JSON object a line: an event with player, at, values, and if wanted id, profile, sequence,
kind, target.

`at` must be there, and `player` unless it is given for the whole file, or the kind is about another
event or a period: `target` says which then. A key that is given twice
is refused, as two readers could take different ones. A line without an id is known again by its
content.
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
    """The results, each of its own player or of `source.player`. Blank lines are passed over."""
    ids = Occurrences()
    there = ((line.number, line) for line in lines(source.stream) if line.text.strip())
    return source.rows(there, lambda line: ids.named(_event(source, line)))


def parse(text: str, player: str | None = None) -> Event:
    """The event in a JSON object, of `player` where it does not say and is of one.

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
