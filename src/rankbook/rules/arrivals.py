"""Events as programs give them, brought into the one form that a book takes.

An event may be a dict, and `at` RFC 3339 text. A value may be any number that says exactly what it
is, such as a `Decimal` or another library's scalar. Events of the same content have the same form.
"""

import math
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from numbers import Integral, Real
from typing import Any, get_args

import msgspec

from rankbook.errors import Refused
from rankbook.model import Event, Kind
from rankbook.rules.instants import parse_instant
from rankbook.rules.numbers import canonical_values
from rankbook.rules.specs import unknown_key, unknown_word

SHOWN = 40

KINDS: tuple[str, ...] = get_args(Kind)
ABOUT_A_RESULT = ("void", "unvoid", "correct")
"""The kinds whose target is a recorded result."""
WITHOUT_PLAYER = (*ABOUT_A_RESULT, "seal")
"""The kinds that need not name a player."""

_KEYS = tuple([field.name for field in msgspec.structs.fields(Event)])
_VALUES = frozenset((int, float, str, Decimal))
_TEXTS = frozenset((str,))


def as_event(given: object) -> Event:
    """The event that an `Event` or a dict of its fields means, in its canonical form.

    Raises `Refused` at the field that is unknown, missing, or of a type that can be meant in more
    than one way. Limits and rules are not checked here.
    """
    event = given if isinstance(given, Event) else _from_keys(given)
    changed: dict[str, Any] = {}
    for field, form in _FORMS:
        before = getattr(event, field)
        after = form(before)
        if after is not before:
            changed[field] = after
    return msgspec.structs.replace(event, **changed) if changed else event


def _from_keys(given: object) -> Event:
    if not isinstance(given, Mapping):
        raise Refused("", f"an event is an Event or a dict, not {_said(given)}")
    for key in given:
        if key not in _KEYS:
            raise Refused(str(key), unknown_key(str(key), _KEYS))
    keys = dict(given)
    if keys.get("kind") in WITHOUT_PLAYER:
        keys.setdefault("player", "")
    if "player" not in keys:
        raise Refused("player", "is missing")
    return Event(**keys)


def _said(value: object) -> str:
    """What was given, in a few words: plain things as Python writes them, others by their type."""
    if value is None or isinstance(value, bool | int | float | str | bytes | list | dict):
        text = repr(value)
        return text if len(text) <= SHOWN else text[:SHOWN] + "..."
    return f"a {type(value).__name__}"


def _text(field: str) -> Any:
    def form(text: Any) -> str:
        if type(text) is str:
            return text
        if isinstance(text, str):
            return str.__str__(text)
        raise Refused(field, f"is {_said(text)}, not text")

    return form


def _event_kind(kind: Any) -> Any:
    if not isinstance(kind, str):
        raise Refused("kind", f"is {_said(kind)}, not text")
    if kind not in KINDS:
        raise Refused("kind", unknown_word(kind, KINDS))
    return kind if type(kind) is str else str.__str__(kind)


def _at(at: Any) -> datetime | None:
    if at is None or isinstance(at, datetime):
        return at
    if isinstance(at, str):
        return parse_instant(at)
    raise Refused("at", f"is {_said(at)}, not a time such as 2026-11-30T18:30:00Z")


def _sequence(sequence: Any) -> Any:
    if sequence is None or type(sequence) is int:
        return sequence
    if isinstance(sequence, bool) or not isinstance(sequence, Integral):
        raise Refused("sequence", f"is {_said(sequence)}, not an integer")
    return int(sequence)


def _profile(profile: Any) -> Any:
    if not isinstance(profile, Mapping):
        raise Refused("profile", f"is {_said(profile)}, not a dict of texts")
    if type(profile) is dict and _TEXTS.issuperset(map(type, profile.values())):
        return profile
    return {name: _text(f"profile.{name}")(text) for name, text in profile.items()}


def _values(values: Any) -> Any:
    if not isinstance(values, Mapping):
        raise Refused("values", f"is {_said(values)}, not a dict of values")
    if type(values) is not dict or not _VALUES.issuperset(map(type, values.values())):
        values = {name: _value(value, name) for name, value in values.items()}
    return canonical_values(values)


def _value(value: Any, name: str) -> Any:
    """The value as a type of Python's own. Raises `Refused` where it is neither number nor text."""
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool) or not isinstance(value, Real | Decimal):
        raise Refused(str(name), f"is {_said(value)}; a value is a number or text")
    if isinstance(value, Decimal):
        return value
    if isinstance(value, Integral):
        return int(value)
    double = float(value)
    if math.isnan(double) or double == value:
        return double
    raise Refused(str(name), f"is {_said(value)} that no double holds; give a Decimal")


_FORMS = (
    ("kind", _event_kind),
    ("player", _text("player")),
    ("id", _text("id")),
    ("target", _text("target")),
    ("at", _at),
    ("sequence", _sequence),
    ("profile", _profile),
    ("values", _values),
)
