"""JSON as people send events in it: every number as its text says, and no key twice."""

import json
import re
from typing import Any

from rankbook.errors import Refused
from rankbook.rules.instants import parse_instant
from rankbook.rules.numbers import read_number

_HALF_OF_A_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def read_json(text: str, *, strict: bool = True) -> Any:
    """The content of a JSON text, its fractions as `read_number` has them.

    Raises `Refused` at a key that is given twice, since two readers could take different ones, and
    ValueError or RecursionError for a text that cannot be read. Unless `strict`, NaN, infinities
    and halves of surrogate pairs are read, for an event that is refused by its field.
    """
    constant = _no_number if strict else float
    found = json.loads(
        text, object_pairs_hook=_once, parse_float=read_number, parse_constant=constant
    )
    if strict and _HALF_OF_A_PAIR.search(text):
        json.dumps(found, ensure_ascii=False, default=str).encode()
    return found


def read_times(found: Any) -> Any:
    """JSON content with `at` of an object, or of each in a list, as a time. Raises `Refused`."""
    listed = isinstance(found, list)
    for index, each in enumerate(found if listed else [found]):
        if isinstance(each, dict) and isinstance(each.get("at"), str):
            each["at"] = parse_instant(each["at"], f"[{index}].at" if listed else "at")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise Refused(next(key for key in keys if keys.count(key) > 1), "is given twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number in JSON")
