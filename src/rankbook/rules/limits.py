"""What a book accepts as an event: limits that hold in every book, and rules that one declares."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal

import msgspec

from rankbook.errors import Refused, SpecError
from rankbook.model import Event, Value
from rankbook.rules.arrivals import ABOUT_A_RESULT
from rankbook.rules.instants import micros
from rankbook.rules.numbers import MAX_INTEGER, MIN_INTEGER, NOT_FINITE, PAST_64_BITS
from rankbook.rules.specs import UNPRINTABLE

MAX_PLAYER = 256
MAX_EVENT_ID = 128
MAX_VALUES = 64
MAX_NAME = 64
MAX_TEXT = 1000
MAX_PROFILE = 32
MAX_PROFILE_TEXT = 256

_NEEDS_PLAYER = ("result", "correct", "ban", "unban", "profile", "forget")


def check_event(event: Event) -> None:
    """Check an event against the limits of every book. Raises `Refused` at the field's name.

    - A player has 1 to 256 characters, an id and a target up to 128.
    - There are up to 64 values and 32 profile values.
    - A text value has up to 1,000 characters, a profile value up to 256.
    - No text has a control character.
    - Numbers are finite, and integers have 64 bits.
    - `at` has a zone, and is in the years 1 to 9999.
    """
    if event.player or event.kind in _NEEDS_PLAYER:
        _check_text(event.player, "player", MAX_PLAYER, least=1)
    _check_text(event.id, "id", MAX_EVENT_ID)
    _check_text(event.target, "target", MAX_EVENT_ID, least=event.kind in ABOUT_A_RESULT)
    _check_values(event.values)
    _check_profile(event.profile)
    if event.sequence is not None:
        _check_integer(event.sequence, "sequence")
    if event.at is not None:
        micros(event.at)


def _check_values(values: dict[str, Value]) -> None:
    if len(values) > MAX_VALUES:
        raise Refused("values", f"has {len(values)} values; there may be {MAX_VALUES}")
    for name, value in values.items():
        _check_text(name, "values", MAX_NAME, least=1)
        if isinstance(value, str):
            _check_text(value, name, MAX_TEXT)
        elif isinstance(value, float | Decimal):
            if not math.isfinite(value):
                raise Refused(name, NOT_FINITE)
        else:
            _check_integer(value, name)


def _check_profile(profile: dict[str, str]) -> None:
    if len(profile) > MAX_PROFILE:
        raise Refused("profile", f"has {len(profile)} values; there may be {MAX_PROFILE}")
    for name, value in profile.items():
        _check_text(name, "profile", MAX_NAME, least=1)
        _check_text(value, f"profile.{name}", MAX_PROFILE_TEXT)


def _check_text(text: object, field: str, most: int, least: int = 0) -> None:
    if not isinstance(text, str):
        raise Refused(field, f"is a {type(text).__name__}, not text")
    if len(text) < least:
        raise Refused(field, "is empty")
    if len(text) > most:
        raise Refused(field, f"has {len(text)} characters; there may be {most}")
    if UNPRINTABLE.search(text):
        raise Refused(field, "has a control character in it")


def _check_integer(number: object, field: str) -> None:
    if type(number) is not int:
        raise Refused(field, f"is a {type(number).__name__}; a value is a number or text")
    if not MIN_INTEGER <= number <= MAX_INTEGER:
        raise Refused(field, PAST_64_BITS)


class ValueRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a book accepts as a value: its type, inclusive bounds, and the list of choices."""

    type: Literal["number", "integer", "text"]
    min: int | float | Decimal | None = None
    max: int | float | Decimal | None = None
    one_of: tuple[Value, ...] = ()

    def __post_init__(self) -> None:
        """Raises `SpecError` for bounds of a text, an empty range, or choices of another type."""
        for bound in ("min", "max"):
            limit = getattr(self, bound)
            if limit is not None and (self.type == "text" or not math.isfinite(limit)):
                raise SpecError(bound, "is for numbers, and is finite")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise SpecError("max", f"{self.max} is less than min {self.min}")
        for index, choice in enumerate(self.one_of):
            if _wrong_type(choice, self.type):
                raise SpecError(f"one_of[{index}]", f"{choice!r} is not of the type {self.type}")

    def check(self, name: str, value: Any) -> None:
        """Raises `Refused` at `name` for a value that breaks the rule."""
        wrong = _wrong_type(value, self.type)
        if wrong:
            raise Refused(name, wrong)
        if self.min is not None and value < self.min:
            raise Refused(name, f"is {value}, less than {self.min}")
        if self.max is not None and value > self.max:
            raise Refused(name, f"is {value}, more than {self.max}")
        if self.one_of and value not in self.one_of:
            choices = ", ".join([str(choice) for choice in self.one_of])
            raise Refused(name, f"is {value!r}; there are: {choices}")


def _wrong_type(value: object, wanted: str) -> str:
    """Why the value is not of the wanted type; empty when it is."""
    if wanted == "text":
        return "" if isinstance(value, str) else f"is {value!r}, not text"
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return f"is {value!r}, not a number"
    if not math.isfinite(value):
        return NOT_FINITE
    return f"is {value}, not an integer" if wanted == "integer" and value % 1 else ""


def event_checker(rules: dict[str, ValueRule]) -> Callable[[Event], None]:
    """A function that checks an event against the limits and these rules, and raises `Refused`.

    An absent value passes: the measure that reads it refuses the event.
    """
    checks = tuple(rules.items())

    def check(event: Event) -> None:
        check_event(event)
        for name, rule in checks:
            if name in event.values:
                rule.check(name, event.values[name])

    return check
