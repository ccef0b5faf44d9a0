"""Conditions: which events count on a board."""

from rankbook.errors import Refused
from rankbook.rules.exact import NATIVE
from rankbook.rules.expression import parse_expression
from rankbook.rules.values import Lazy, Values, fault_of, plain


class Condition:
    """A board's `where` as a function of an event's values."""

    def __init__(self, source: str, field: str) -> None:
        """Raises `SpecError` at `field`."""
        self.field = field
        self.expression = parse_expression(source, field)
        self._function = self.expression.function(NATIVE)

    def __call__(self, values: Values) -> bool:
        """Whether it is true; one that reads a value which the event lacks is not.

        Raises `Refused` for a value of another type, and where it cannot be computed.
        """
        numbers, texts = self.expression.numbers, self.expression.texts
        try:
            sound = plain(values, numbers, texts)
            return bool(self._function(values if sound else _Present(values, texts)))
        except _MissingValue:
            return False
        except Refused:
            raise
        except Exception as error:
            raise Refused(self.field, fault_of(error)) from error


class _MissingValue(Exception):
    """The condition read a value that is not there."""


class _Present(Lazy):
    """The same values, of which a missing one ends the evaluation."""

    def __missing__(self, name: str) -> object:
        if self._values.get(name) is None:
            raise _MissingValue
        return super().__missing__(name)
