"""Numbers as people write them: read exactly, or refused.

A double is kept where its shortest text says the number that was written. Any other fraction is a
`Decimal`. So nothing is rounded before a measure has said what it takes.
"""

import math
from collections.abc import Mapping
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Any

from rankbook.errors import Refused

MIN_INTEGER = -(2**63)
MAX_INTEGER = 2**63 - 1
PAST_64_BITS = "is an integer past 64 bits"
NOT_FINITE = "is not a finite number"
PAST_DOUBLES = "has more digits than a double holds; declare decimal(n)"
WHOLE_DOUBLE = 2.0**53
"""Up to here every whole double is the integer that was written."""
MAX_DIGITS = 100
MIN_EXPONENT, MAX_EXPONENT = -324, 308
DOUBLE_DIGITS = 17
"""So many digits tell every double from its neighbours."""

_SURE_CHARACTERS = 16
_MAX_INTEGER_CHARACTERS = 40
_CLOSE_TO_ZERO = Decimal((0, (1,), -9999))
_CANONICAL = Context(prec=MAX_DIGITS, traps=[Inexact, InvalidOperation])


def read_number(text: str) -> int | float | Decimal:
    """The number in a JSON text, exactly; infinite past the doubles.

    Raises ValueError for a text that is no number.
    """
    if len(text) <= _MAX_INTEGER_CHARACTERS and text.removeprefix("-").isdigit():
        return int(text)
    found = read_fraction(text)
    if isinstance(found, float) and WHOLE_DOUBLE < abs(found) < math.inf:
        return Decimal(text)  # its shortest text has zeros that nobody need have written
    return found


def read_fraction(text: str) -> float | Decimal:
    """The number in a text with a point or an exponent: a double where that says the same.

    Raises ValueError for a text that is no number.
    """
    double = float(text)
    # Fifteen digits and a point: every such number is its double's shortest text.
    if len(text) <= _SURE_CHARACTERS and "e" not in text and "E" not in text:
        return double
    if not math.isfinite(double):
        return double
    try:
        exact = Decimal(text)
    except InvalidOperation:  # only its exponent can be wrong
        return _CLOSE_TO_ZERO
    return double if exact == Decimal(repr(double)) else exact


def canonical_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """An event's values, each number in the one form of its content; see `canonical_number`.

    The same object where nothing is in another form. Raises `Refused` at the value's name.
    """
    changed = {
        name: number
        for name, value in values.items()
        if isinstance(value, float | Decimal)
        and (number := canonical_number(value, name)) is not value
    }
    return {**values, **changed} if changed else values  # type: ignore[return-value]


def canonical_number(number: float | Decimal, name: str) -> int | float | Decimal:
    """A whole number as an int, another one as a float where its text says it, else a `Decimal`.

    Raises `Refused` at `name` for a number that is too long, large or small to be kept.
    """
    if isinstance(number, float):
        if abs(number) <= WHOLE_DOUBLE and number.is_integer():
            return int(number)
        return number if type(number) is float else float(number)
    if not number.is_finite():
        raise Refused(name, NOT_FINITE)
    exact = _bounded(number, name)
    whole = exact == exact.to_integral_value()
    if whole and MIN_INTEGER <= exact <= MAX_INTEGER:
        return int(exact)
    double = float(exact)
    if Decimal(repr(double)) == exact:
        return double
    return _with_point(exact) if whole else exact


def _with_point(number: Decimal) -> Decimal:
    """A whole number past 64 bits, whose text has a point or an exponent also where it has no zeros
    at its end: so the log gives it back as a decimal."""
    sign, digits, exponent = number.as_tuple()
    return number if exponent else Decimal((sign, (*digits, 0), -1))


def _bounded(number: Decimal, name: str) -> Decimal:
    """The number without zeros at its end."""
    if number and number.adjusted() < MIN_EXPONENT:
        raise Refused(name, "is too close to zero to be kept")
    if number and number.adjusted() > MAX_EXPONENT:
        raise Refused(name, NOT_FINITE)
    try:
        return _CANONICAL.normalize(number)
    except Inexact:
        raise Refused(name, f"has more than {MAX_DIGITS} digits") from None


def double_of(number: Decimal, name: str) -> float:
    """The double whose text this is, in its shortest form or in 17 digits and more.

    Raises `Refused` at `name` where a double would be another number.
    """
    double = float(number)
    digits = max(DOUBLE_DIGITS, len(number.as_tuple().digits))
    if number in (Decimal(repr(double)), Decimal(format(double, f".{digits}g"))):
        return double
    raise Refused(name, PAST_DOUBLES)
