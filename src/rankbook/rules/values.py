"""An event's values on their way into an expression: checked when read, exact where asked."""

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from rankbook.errors import Refused
from rankbook.rules.exact import Inapplicable, exact_number
from rankbook.rules.numbers import (
    MAX_INTEGER,
    MIN_INTEGER,
    NOT_FINITE,
    PAST_64_BITS,
    double_of,
)

Values = Mapping[str, Any]

Scaled = int | float
"""A measure as it is stored and compared: an integer, a decimal times 10**n, or a double."""


def checked_number(number: object, name: str) -> int | float | Decimal | Fraction:
    """A finite number; a bool is 0 or 1. Raises `Refused` at `name`."""
    if isinstance(number, bool):
        return int(number)
    if not isinstance(number, int | float | Decimal | Fraction):
        raise Refused(name, f"is {_noun(number)}, not a number")
    if not isinstance(number, int | Fraction) and not math.isfinite(number):
        raise Refused(name, NOT_FINITE)
    return number


def within_64_bits(number: int, name: str) -> int:
    """The integer. Raises `Refused` at `name` past 64 bits."""
    if MIN_INTEGER <= number <= MAX_INTEGER:
        return number
    raise Refused(name, PAST_64_BITS)


def plain(values: Values, numbers: tuple[str, ...], texts: tuple[str, ...]) -> bool:
    """Whether every value that the expression may read is there and sound."""
    for name in numbers:
        value = values.get(name)
        kind = type(value)
        if kind is int:
            if not MIN_INTEGER <= value <= MAX_INTEGER:  # type: ignore[operator]
                return False
        elif kind is not float or value - value != 0.0:  # type: ignore[operator]
            return False
    return not texts or all(type(values.get(name)) is str for name in texts)


class Lazy(dict[str, Any]):
    """Values that are checked when read: what a branch does not read need not be there.

    A number that is neither an integer nor a double is refused: see `double_of`.
    """

    def __init__(self, values: Values, texts: tuple[str, ...]) -> None:
        super().__init__()
        self._values = values
        self._texts = texts

    def __missing__(self, name: str) -> Any:
        value = self._values.get(name)
        if value is None:
            raise Refused(name, "is missing")
        if name in self._texts:
            if isinstance(value, str):
                return value
            raise Refused(name, f"is {_noun(value)}, not text")
        self[name] = number = self._number(value, name)
        return number

    def _number(self, value: object, name: str) -> Any:
        number = _sound(value, name)
        return double_of(number, name) if isinstance(number, Decimal) else number


class Exact(Lazy):
    """The same values, each number exact: a double is read from its shortest text."""

    def _number(self, value: object, name: str) -> Any:
        number = _sound(value, name)
        return exact_number(number) if isinstance(number, float) else number


class Rational(Exact):
    """The same values, each number a fraction."""

    def _number(self, value: object, name: str) -> Any:
        return Fraction(super()._number(value, name))


def _sound(value: object, name: str) -> int | float | Decimal | Fraction:
    number = checked_number(value, name)
    return within_64_bits(number, name) if isinstance(number, int) else number


def fault_of(error: Exception) -> str:
    """Why an expression has no answer, in plain words."""
    if isinstance(error, ZeroDivisionError):
        return "divides by zero"
    if isinstance(error, OverflowError):
        return "is too large to compute"
    return str(error) if isinstance(error, Inapplicable) else "cannot be computed"


def _noun(value: object) -> str:
    if value is None:
        return "missing"
    if isinstance(value, int | float):
        return "a number"
    return "text" if isinstance(value, str) else f"a {type(value).__name__}"
