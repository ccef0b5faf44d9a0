"""Measures: from an event's values to exact 64 bit numbers, or a refusal in plain words.

A measure's scaled number is what is stored and compared: the integer itself, the decimal times
``10**n``, or the double. `Measure` is the specification, `CompiledMeasure` the function.
"""

import decimal
import math
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec

from rankbook.errors import Refused, SpecError
from rankbook.model import Number
from rankbook.rules.exact import DECIMAL, NATIVE, RATIONAL, Inapplicable, exact_number
from rankbook.rules.expression import Expression, parse_expression

MIN_INTEGER = -(2**63)
MAX_INTEGER = 2**63 - 1
MAX_DOUBLE_INTEGER = 2.0**53
MAX_DIGITS = 12

Scaled = int | float
Values = Mapping[str, Any]
Formula = str | Callable[[Values], Any]

_DECIMAL_TYPE = re.compile(r"decimal\((\d{1,2})\)")
_SCALING = decimal.Context(prec=400, traps=[decimal.Inexact, decimal.InvalidOperation])
_PAST_64_BITS = "is an integer past 64 bits"


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
            return _within(number * self._scale, name)
        checked = _checked(number, name)
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
        return _within(whole, name)


def _checked(number: object, name: str) -> int | float | Decimal | Fraction:
    if isinstance(number, bool):
        return int(number)
    if not isinstance(number, int | float | Decimal | Fraction):
        raise Refused(name, f"is {_noun(number)}, not a number")
    if not isinstance(number, int | Fraction) and not math.isfinite(number):
        raise Refused(name, "is not a finite number")
    return number


def _within(number: int, name: str) -> int:
    if MIN_INTEGER <= number <= MAX_INTEGER:
        return number
    raise Refused(name, _PAST_64_BITS)


def _integer(number: int | float | Decimal | Fraction, name: str) -> int:
    if isinstance(number, float) and abs(number) > MAX_DOUBLE_INTEGER:
        raise Refused(name, "is a double past 2**53, which cannot be known to be exact")
    if not MIN_INTEGER <= number <= MAX_INTEGER:
        raise Refused(name, _PAST_64_BITS)
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
            self._compile(self.expression)
        elif callable(measure.value):
            self._raw = _guarded(measure.value, name)
        else:
            raise SpecError(field, "a measure is an expression or a function")

    def _compile(self, expression: Expression) -> None:
        if self.type.is_decimal:
            self._raw = _exact_function(expression, self.name)
        else:
            self._raw = _native_function(expression, self.name)

    def __call__(self, values: Values) -> Scaled:
        """The scaled number. Raises `Refused` at the value's or the measure's name."""
        return self.type.scaled(self._raw(values), self.name)


def _native_function(expression: Expression, name: str) -> Callable[[Values], Any]:
    function = expression.function(NATIVE)
    numbers, texts = expression.numbers, expression.texts

    def compute(values: Values) -> Any:
        try:
            return function(values if _plain(values, numbers, texts) else _Lazy(values, texts))
        except (ArithmeticError, ValueError, TypeError) as error:
            raise Refused(name, _fault(error)) from error

    return compute


def _exact_function(expression: Expression, name: str) -> Callable[[Values], Any]:
    first, always = expression.function(DECIMAL), expression.function(RATIONAL)
    texts = expression.texts

    def compute(values: Values) -> Any:
        try:
            return first(_Exact(values, texts))
        except decimal.DecimalException:
            pass
        try:
            return always(_Rational(values, texts))
        except (ArithmeticError, ValueError, TypeError) as error:
            raise Refused(name, _fault(error)) from error

    return compute


def _guarded(function: Callable[[Values], Any], name: str) -> Callable[[Values], Any]:
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


def _plain(values: Values, numbers: tuple[str, ...], texts: tuple[str, ...]) -> bool:
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


class _Lazy(dict[str, Any]):
    """Values that are checked when read: what a branch does not read need not be there."""

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
        number = _checked(value, name)
        return _within(number, name) if isinstance(number, int) else number


class _Exact(_Lazy):
    """The same values, each number exact: read from its shortest text."""

    def _number(self, value: object, name: str) -> Any:
        number = super()._number(value, name)
        return exact_number(number) if isinstance(number, float) else number


class _Rational(_Lazy):
    """The same values, each number a fraction."""

    def _number(self, value: object, name: str) -> Any:
        number = super()._number(value, name)
        return Fraction(exact_number(number) if isinstance(number, float) else number)


def _fault(error: Exception) -> str:
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
