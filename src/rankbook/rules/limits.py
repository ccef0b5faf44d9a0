"""What a book accepts at the door: limits that hold for every event, and rules a book declares."""

import math
from collections.abc import Callable
from typing import Any, Literal

import msgspec

from rankbook.errors import Refused, SpecError
from rankbook.model import Event, Value
from rankbook.rules.instants import micros
from rankbook.rules.specs import UNPRINTABLE
from rankbook.rules.values import MAX_INTEGER, MIN_INTEGER

MAX_PLAYER = 256
MAX_EVENT_ID = 128
MAX_VALUES = 64
MAX_NAME = 64
MAX_TEXT = 1000
MAX_PROFILE = 32
MAX_PROFILE_TEXT = 256

_OF_A_PLAYER = ("result", "correct", "ban", "unban", "profile", "forget")


def check_event(event: Event) -> None:
    """Hold an event against the limits of every book. Raises `Refused` at the field's name.

    A player has 1 to 256 characters, an id up to 128, a text value up to 1,000 and a profile
    value up to 256, none with control characters; 64 values and 32 profile values at most;
    numbers are finite and integers have 64 bits; `at` has a zone and is in the years 1 to 9999.
    """
    if event.kind == "result" and _is_plain(event):
        return
    if event.player or event.kind in _OF_A_PLAYER:
        _check_text(event.player, "player", MAX_PLAYER, least=1)
    _check_text(event.id, "id", MAX_EVENT_ID)
    _check_text(event.target, "target", MAX_EVENT_ID, least=event.kind in ("void", "correct"))
    _check_values(event.values)
    _check_profile(event.profile)
    if event.sequence is not None:
        _check_integer(event.sequence, "sequence")
    if event.at is not None:
        micros(event.at)


def _is_plain(event: Event) -> bool:
    """Whether a result is within the narrowest limits, which is known ten times sooner: no text is
    longer than a name may be, and there are few values."""
    values, profile = event.values, event.profile
    if len(values) > MAX_PROFILE or len(profile) > MAX_PROFILE:
        return False
    if event.sequence is not None or event.at is not None or not event.player:
        return False
    texts = [event.player, event.id, event.target, *profile, *profile.values()]
    for name, value in values.items():
        kind = type(value)
        if kind is str:
            texts.append(value)  # type: ignore[arg-type]
        elif kind is float:
            if not math.isfinite(value):  # type: ignore[arg-type]
                return False
        elif kind is not int or not MIN_INTEGER <= value <= MAX_INTEGER:  # type: ignore[operator]
            return False
        texts.append(name)
    if "" in values or "" in profile:
        return False
    try:
        whole = "".join(texts)
    except TypeError:
        return False
    return max(map(len, texts)) <= MAX_NAME and UNPRINTABLE.search(whole) is None


def _check_values(values: dict[str, Value]) -> None:
    if len(values) > MAX_VALUES:
        raise Refused("values", f"has {len(values)} values; there may be {MAX_VALUES}")
    for name, value in values.items():
        _check_text(name, "values", MAX_NAME, least=1)
        if isinstance(value, str):
            _check_text(value, name, MAX_TEXT)
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise Refused(name, "is not a finite number")
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
        raise Refused(field, "is an integer past 64 bits")


class ValueRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a book accepts as a value: a type, bounds (inclusive), or a list of what there is."""

    type: Literal["number", "integer", "text"]
    min: int | float | None = None
    max: int | float | None = None
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
        """Raises `Refused` at `name`."""
        kind = type(value)
        if self.type == "number" and (kind is int or kind is float) and not self.one_of:
            least, most = self.min, self.max
            held = (least is None or least <= value) and (most is None or value <= most)
            if held and math.isfinite(value):
                return
        elif kind is str and self.type == "text" and value in self.one_of:
            return
        wrong = _wrong_type(value, self.type)
        if wrong:
            raise Refused(name, wrong)
        if self.min is not None and value < self.min:
            raise Refused(name, f"is {value!r}, less than {self.min}")
        if self.max is not None and value > self.max:
            raise Refused(name, f"is {value!r}, more than {self.max}")
        if self.one_of and value not in self.one_of:
            choices = ", ".join([str(choice) for choice in self.one_of])
            raise Refused(name, f"is {value!r}; there are: {choices}")


def _wrong_type(value: object, wanted: str) -> str:
    """Why the value is not of the wanted type; empty when it is."""
    if wanted == "text":
        return "" if isinstance(value, str) else f"is {value!r}, not text"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"is {value!r}, not a number"
    if isinstance(value, float) and wanted == "integer" and not value.is_integer():
        return f"is {value!r}, not an integer"
    return "" if math.isfinite(value) else "is not a finite number"


def event_checker(rules: dict[str, ValueRule]) -> Callable[[Event], None]:
    """A function that holds an event against the limits and these rules, raising `Refused`.

    A value that an event does not have is not missed here: a measure that reads it says so.
    """
    checks = tuple(rules.items())

    def check(event: Event) -> None:
        check_event(event)
        for name, rule in checks:
            if name in event.values:
                rule.check(name, event.values[name])

    return check
