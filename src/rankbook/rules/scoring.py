"""Measures: from an event's values to exact 64 bit numbers, or a refusal in plain words.

`Measure` is the specification of a measure, `CompiledMeasure` the function that computes it.
"""

import decimal
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec

from rankbook.errors import Refused, SpecError
from rankbook.model import Number
from rankbook.rules.exact import DECIMAL, NATIVE, RATIONAL, exact_number
from rankbook.rules.expression import Expression, parse_expression
from rankbook.rules.numbers import MAX_INTEGER, MIN_INTEGER, PAST_64_BITS, WHOLE_DOUBLE
from rankbook.rules.values import (
    Exact,
    Lazy,
    Rational,
    Scaled,
    Values,
    checked_number,
    fault_of,
    plain,
    within_64_bits,
)

MAX_DIGITS = 12

Compute = Callable[[Values], Any]

_DECIMAL_TYPE = re.compile(r"decimal\((\d{1,2})\)")
_SCALING = decimal.Context(prec=400, traps=[decimal.Inexact, decimal.InvalidOperation])


class Measure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a measure is made. `value` is an expression or, in Python, a function of the values.

    `type` is "integer", "decimal(n)" with n digits after the point (0 to 12), or "float".
    """

    value: Any
    type: str = "integer"


class NumberType:
    """What a measure's numbers are, and how they become scaled numbers and back."""

    def __init__(self, text: str, field: str) -> None:
        """Raises `SpecError` at `field` for an unknown type."""
        match = _DECIMAL_TYPE.fullmatch(text)
        self.digits = int(match[1]) if match else 0
        self.is_decimal = match is not None
        self.is_float = text == "float"
        if self.digits > MAX_DIGITS or not (match or text in ("integer", "float")):
            reason = f"{text!r} is no number type; there are: integer, decimal(0..12), float"
            raise SpecError(field, reason)
        self._scale = 10**self.digits

    def scaled(self, number: object, name: str) -> Scaled:
        """The number to store. Raises `Refused` at `name`; never rounds."""
        if type(number) is int and not self.is_float:
            return within_64_bits(number * self._scale, name)
        checked = checked_number(number, name)
        if self.is_float:
            return _double(checked, name)
        return self._decimal(checked, name) if self.is_decimal else _integer(checked, name)

    def number(self, scaled: Scaled) -> Number:
        """The number as people read it: an int, a Decimal or a float."""
        if self.is_decimal:
            return Decimal(scaled).scaleb(-self.digits, _SCALING)
        return scaled

    def _decimal(self, number: int | float | Decimal | Fraction, name: str) -> int:
        exact = exact_number(number) if isinstance(number, float) else number
        if not MIN_INTEGER <= exact <= MAX_INTEGER:
            raise Refused(name, "is too large for its decimal type")
        if isinstance(exact, Decimal):
            scaled: Decimal | Fraction = exact.scaleb(self.digits, _SCALING)
        else:
            scaled = Fraction(exact) * self._scale
        whole = int(scaled)
        if whole != scaled:
            reason = f"has more than {self.digits} digits after the point"
            raise Refused(name, f"{reason}; round it, as in round(x, {self.digits})")
        return within_64_bits(whole, name)


def _integer(number: int | float | Decimal | Fraction, name: str) -> int:
    if isinstance(number, float) and abs(number) > WHOLE_DOUBLE:
        raise Refused(name, "is a double past 2**53, which cannot be known to be exact")
    if not MIN_INTEGER <= number <= MAX_INTEGER:
        raise Refused(name, PAST_64_BITS)
    whole = int(number)
    if whole != number:
        raise Refused(name, 'has a fraction; round it, or declare "decimal(2)" or "float"')
    return whole


def _double(number: int | float | Decimal | Fraction, name: str) -> float:
    try:
        double = float(number)
    except OverflowError:
        raise Refused(name, "is too large for a double") from None
    if isinstance(number, int) and double != number:
        raise Refused(name, "is an integer that no double holds exactly; declare integer")
    return double + 0.0  # -0.0 becomes 0.0


class CompiledMeasure:
    """One measure as a function. About a microsecond a call for a small expression."""

    def __init__(self, name: str, measure: Measure, field: str) -> None:
        """Raises `SpecError` at `field` or `field.type`."""
        self.name = name
        self.type = NumberType(measure.type, f"{field}.type")
        self.expression: Expression | None = None
        if isinstance(measure.value, str):
            exact = self.type.is_decimal
            self.expression = parse_expression(measure.value, field, exact=exact)
            compiled = _exact_function if exact else _native_function
            self._raw = compiled(self.expression, name)
        elif callable(measure.value):
            self._raw = _guarded(measure.value, name)
        else:
            raise SpecError(field, "a measure is an expression or a function")

    def __call__(self, values: Values) -> Scaled:
        """The scaled number. Raises `Refused` at the value's or the measure's name."""
        return self.type.scaled(self._raw(values), self.name)


def _native_function(expression: Expression, name: str) -> Compute:
    function = expression.function(NATIVE)
    numbers, texts = expression.numbers, expression.texts

    def compute(values: Values) -> Any:
        return function(values if plain(values, numbers, texts) else Lazy(values, texts))

    return _refusing(compute, name)


def _exact_function(expression: Expression, name: str) -> Compute:
    first, always = expression.function(DECIMAL), expression.function(RATIONAL)
    texts = expression.texts

    def compute(values: Values) -> Any:
        try:
            return first(Exact(values, texts))
        except decimal.DecimalException:
            return always(Rational(values, texts))

    return _refusing(compute, name)


def _refusing(function: Compute, name: str) -> Compute:
    """The function, whose every failure refuses the event: it must never hurt another one."""

    def compute(values: Values) -> Any:
        try:
            return function(values)
        except Refused:
            raise
        except Exception as error:
            raise Refused(name, fault_of(error)) from error

    return compute


def _guarded(function: Compute, name: str) -> Compute:
    def compute(values: Values) -> Any:
        try:
            return function(values)
        except Refused:
            raise
        except KeyError as error:
            raise Refused(str(error.args[0]) if error.args else name, "is missing") from error
        except Exception as error:
            reason = f"its function raised {type(error).__name__}: {error}"
            raise Refused(name, reason) from error

    return compute
