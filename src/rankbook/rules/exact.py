"""Arithmetic for measures: rounding, bounded powers, and decimals that never lose a digit.

Three arithmetics run the same compiled expression. `NATIVE` is Python's own: integers exact,
fractions IEEE double, as in a browser. `DECIMAL` is exact or raises `decimal.Inexact`, and then
`RATIONAL` computes the same expression with fractions, slower and always exact.
"""

import decimal
import math
import operator
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

MAX_EXPONENT = 1024
MAX_POWER_BITS = 4096
MAX_RATIONAL_BITS = 16384

Exact = int | Decimal | Fraction

_CONTEXT = decimal.Context(
    prec=60,
    traps=[
        decimal.Inexact,
        decimal.Overflow,
        decimal.DivisionByZero,
        decimal.InvalidOperation,
        decimal.Subnormal,
    ],
)
_HALF = Decimal("0.5")


class Inapplicable(ValueError):
    """An operation that has no answer here; its text says so in plain words."""


class Arithmetic(NamedTuple):
    """What a compiled expression finds under its function names, and what its literals become."""

    functions: dict[str, Callable[..., Any]]
    literal: Callable[[int | float | Decimal], Any]


def round_half_up(number: int | float, digits: int = 0) -> int | float:
    """Round a half toward +infinity, as JavaScript's ``Math.round``: 2.5 -> 3, -2.5 -> -2.

    With positive `digits` it is the browser's ``Math.round(x * 10**digits) / 10**digits``;
    negative `digits` round to tens, hundreds and so on. Raises OverflowError and ValueError for
    infinities and NaN.
    """
    if digits == 0:
        return _half_up(number)
    tens: int = 10 ** abs(digits)
    if digits > 0:
        return _half_up(number * tens) / tens if type(number) is float else number
    if type(number) is float:
        return _half_up(number / tens) * tens
    return int(number + tens // 2) // tens * tens


def _half_up(number: int | float) -> int:
    # Not floor(x + 0.5): that sum rounds up for 0.49999999999999994. The difference never does.
    below = math.floor(number)
    return below + 1 if number - below >= 0.5 else below


def bounded_power(base: Any, exponent: Any) -> Any:
    """``base ** exponent`` with bounds, so that no input can hang or fill the memory.

    Raises OverflowError past `MAX_EXPONENT` or `MAX_POWER_BITS`, `Inapplicable` for a root of a
    negative number, ZeroDivisionError for a negative power of zero.
    """
    if isinstance(base, float) or isinstance(exponent, float):
        result = base**exponent
        if isinstance(result, complex):
            raise Inapplicable("takes a fractional power of a negative number")
        return result
    return base ** _whole_exponent(base, exponent)


def _whole_exponent(base: Exact, exponent: Exact) -> int:
    whole = math.floor(exponent)
    if whole != exponent:
        raise Inapplicable("takes a fractional power, which a decimal measure cannot hold exactly")
    ratio = Fraction(base)
    bits = max(ratio.numerator.bit_length(), ratio.denominator.bit_length())
    if abs(whole) > MAX_EXPONENT or bits * abs(whole) > MAX_POWER_BITS:
        raise OverflowError("takes a power that is too large")
    return whole


def exact_number(number: int | float | Decimal) -> int | Decimal:
    """The number as people wrote it: a float is read from its shortest text, so 0.1 is 1/10."""
    if isinstance(number, Decimal):
        return number
    return Decimal(repr(number)) if isinstance(number, float) else int(number)


def _rational(number: int | float | Decimal) -> Fraction:
    return Fraction(exact_number(number))


def _decimal_round(number: int | Decimal, digits: int = 0) -> int | Decimal:
    shifted = _CONTEXT.add(_CONTEXT.scaleb(number, digits), _HALF)
    return _CONTEXT.scaleb(math.floor(shifted), -digits)


def _rational_round(number: Fraction | int, digits: int = 0) -> Fraction:
    scale = Fraction(10) ** digits
    return math.floor(number * scale + Fraction(1, 2)) / scale


def _rational_power(base: Fraction | int, exponent: Fraction | int) -> Fraction:
    return Fraction(base) ** _whole_exponent(base, exponent)


def _bounded(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """The operation on fractions. What floor or a comparison gave is a plain integer: Python would
    divide two of them as floats."""

    def bounded(left: Any, right: Any) -> Fraction:
        result = Fraction(operation(Fraction(left), right))
        if max(result.numerator.bit_length(), result.denominator.bit_length()) > MAX_RATIONAL_BITS:
            raise OverflowError
        return result

    return bounded


def _leave_to_rational(*_: object) -> Decimal:
    # Decimal's // and % follow the dividend's sign, unlike Python's; powers need bounds.
    raise decimal.Inexact


_CHOICES: dict[str, Callable[..., Any]] = {
    "min": min,
    "max": max,
    "floor": math.floor,
    "ceil": math.ceil,
}
NATIVE = Arithmetic(
    {**_CHOICES, "abs": abs, "round": round_half_up, "pow": bounded_power},
    lambda number: number,
)
DECIMAL = Arithmetic(
    {
        **_CHOICES,
        "abs": _CONTEXT.abs,
        "round": _decimal_round,
        "pow": _leave_to_rational,
        "neg": _CONTEXT.minus,
        "add": _CONTEXT.add,
        "sub": _CONTEXT.subtract,
        "mul": _CONTEXT.multiply,
        "div": _CONTEXT.divide,
        "floordiv": _leave_to_rational,
        "mod": _leave_to_rational,
    },
    exact_number,
)
RATIONAL = Arithmetic(
    {
        **_CHOICES,
        "abs": abs,
        "round": _rational_round,
        "pow": _rational_power,
        "neg": operator.neg,
        "add": _bounded(operator.add),
        "sub": _bounded(operator.sub),
        "mul": _bounded(operator.mul),
        "div": _bounded(operator.truediv),
        "floordiv": _bounded(operator.floordiv),
        "mod": _bounded(operator.mod),
    },
    _rational,
)
