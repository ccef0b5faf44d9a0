"""One JSON object a line: an event with player, at, values, and if wanted id, profile, sequence,
kind, target.

`at` must be there, and `player` unless it is given for the whole file, or the kind is about another
event or a period: `target` says which then. A key that is given twice
is refused, as two readers could take different ones. A line without an id is known again by its
content.
"""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import msgspec

from rankbook.errors import Refused, SpecError
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
from rankbook.rules import read_json, read_times
from rankbook.rules.specs import shaped, unknown_key

KEYS = ("player", "at", "values", "id", "profile", "sequence", "kind", "target")
OF_NO_PLAYER = ("void", "correct", "seal")


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
    for key in keys:
        if key not in KEYS:
            raise Refused(key, unknown_key(key, KEYS))
    if keys.get("kind") in OF_NO_PLAYER:
        keys.setdefault("player", "")
    elif player is not None:
        keys.setdefault("player", player)
    if "player" not in keys:
        raise Refused("player", "is missing")
    read_times(keys)
    _check_values(keys.get("values", {}))
    try:
        return shaped(keys, Event, "")
    except SpecError as error:
        raise Refused(error.field, error.reason) from None


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


def _check_values(values: object) -> None:
    """Name the value that is neither a number nor text, which msgspec would not."""
    if isinstance(values, dict):
        for name, each in values.items():
            if isinstance(each, bool) or not isinstance(each, int | float | Decimal | str):
                written = msgspec.json.encode(each).decode()
                raise Refused(name, f"is {written[:60]}; a value is a number or text")
