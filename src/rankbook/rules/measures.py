"""A board's measures and columns, read from its specification."""

from collections.abc import Callable
from typing import Any

from rankbook.errors import SpecError
from rankbook.rules.expression import Expression
from rankbook.rules.ordering import Column
from rankbook.rules.scoring import CompiledMeasure, Measure
from rankbook.rules.specs import check_choice, check_count, check_name, shaped

MAX_MEASURES = 32

MeasureSpec = str | Measure | Callable[..., Any] | dict[str, Any]


def read_measures(given: dict[str, MeasureSpec]) -> dict[str, Measure]:
    """The measures of a board, each compiling. Raises `SpecError`."""
    check_count(given, 1, MAX_MEASURES, "measures")
    measures: dict[str, Measure] = {}
    for name, spec in given.items():
        check_name(name, f"measures.{name}")
        measures[name] = _measure(spec, f"measures.{name}")
    for name, measure in measures.items():
        _check_measure(name, measure, measures)
    return measures


def _measure(spec: MeasureSpec, field: str) -> Measure:
    if isinstance(spec, Measure):
        return spec
    if isinstance(spec, dict):
        return shaped(spec, Measure, field)
    return Measure(spec)


def _check_measure(name: str, measure: Measure, measures: dict[str, Measure]) -> None:
    """Compiles, and reads only values."""
    field = f"measures.{name}"
    expression = CompiledMeasure(name, measure, field).expression
    if expression is not None:
        check_reads(expression, name, measures, field)


def check_reads(expression: Expression, own: str, measures: dict[str, Measure], field: str) -> None:
    """An expression reads only values: a measure's name means the value of that name.

    So it may be read elsewhere only where that measure is just this value.
    """
    for name in expression.numbers + expression.texts:
        if name != own and name in measures and measures[name].value != name:
            reason = f"refers to the measure {name!r}; an expression is made of values only"
            raise SpecError(field, reason)


def read_column(text: str, index: int, names: list[str], measures: dict[str, Measure]) -> Column:
    """A column of the order from a text such as "score desc". Raises `SpecError`."""
    field = f"order_by[{index}]"
    words = text.split()
    if len(words) != 2 or words[1] not in ("asc", "desc"):
        name = words[0] if words else "score"
        raise SpecError(field, f"{text!r} has no direction; write {name + ' desc'!r} or 'asc'")
    check_choice(words[0], names, field)
    return Column(names.index(words[0]), words[1] == "desc", measures[words[0]].type == "float")
