"""A board's specification: what is measured, how it is ordered, kept, split, and cut in time."""

import hashlib
from collections.abc import Callable
from typing import Any

import msgspec

from rankbook.errors import SpecError
from rankbook.rules.folding import KEEPS
from rankbook.rules.numbering import NUMBERINGS, Numbering
from rankbook.rules.ordering import Column
from rankbook.rules.scoring import CompiledMeasure, Measure
from rankbook.rules.specs import (
    check_choice,
    check_count,
    check_name,
    check_unique,
    check_value_name,
    shaped,
)
from rankbook.rules.windows import ALL_TIME, open_window
from rankbook.rules.zones import Zone, parse_zone

MAX_MEASURES = 8
MAX_SPLITS = 32
MAX_SPLIT_TAGS = 8
MAX_DETAILS = 32
TIE_BREAKS = ("first", "last", "player")
RESERVED_TAGS = ("board", "window", "period")
STORED_FORM = 1

MeasureSpec = str | Measure | Callable[..., Any] | dict[str, Any]


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board, checked when made: every fault is a `SpecError` at its field.

    `measures` maps names to expressions, tables ``{value = "...", type = "decimal(2)"}``,
    `Measure`s or functions of the values. `order_by` lists measures as "score desc". Each of
    `splits` is a list of value names, the empty one being overall. `details` are values kept
    beside the score. Sequences may be lists; they are kept as tuples.
    """

    name: str
    measures: dict[str, Any]
    order_by: tuple[str, ...]
    keep: str = "best"
    splits: tuple[tuple[str, ...], ...] = ((),)
    windows: tuple[str, ...] = (ALL_TIME,)
    zone: str = "UTC"
    numbering: Numbering = "competition"
    tie_break: str = "first"
    details: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Bring every field into its shape and check it."""
        check_name(shaped(self.name, str, "name"), "name")
        for field, type_ in _SHAPES.items():
            self._set(field, shaped(getattr(self, field), type_, field))
        self._set("measures", _measures(self.measures))
        self.columns()
        check_choice(self.keep, KEEPS, "keep")
        check_choice(self.numbering, NUMBERINGS, "numbering")
        check_choice(self.tie_break, TIE_BREAKS, "tie_break")
        _check_splits(self.splits)
        zone = self.parsed_zone()
        _check_list(self.windows, "windows", 1, 16)
        for index, name in enumerate(self.windows):
            open_window(name, zone, f"windows[{index}]")
        _check_list(self.details, "details", 0, MAX_DETAILS)
        for index, name in enumerate(self.details):
            check_value_name(name, f"details[{index}]")

    def _set(self, field: str, value: object) -> None:
        msgspec.structs.force_setattr(self, field, value)

    def compiled(self) -> tuple[CompiledMeasure, ...]:
        """The measures as functions, in the board's order."""
        items = self.measures.items()
        return tuple([CompiledMeasure(name, each, f"measures.{name}") for name, each in items])

    def columns(self) -> tuple[Column, ...]:
        """The columns of the order. Raises `SpecError`."""
        _check_list(self.order_by, "order_by", 1, MAX_MEASURES)
        names = list(self.measures)
        parsed = [_column(text, i, names, self.measures) for i, text in enumerate(self.order_by)]
        check_unique([column.measure for column in parsed], "order_by")
        return tuple(parsed)

    def parsed_zone(self) -> Zone:
        """The board's zone. Raises `SpecError`."""
        return parse_zone(self.zone, "zone")

    def meaning(self) -> dict[str, Any]:
        """Everything that gives stored keys, entries and ranking names their meaning.

        Plain data in a stable form. Numbering is not in it: it only changes what is shown. Of a
        function only its module and name are known.
        """
        return {
            "form": STORED_FORM,
            "name": self.name,
            "measures": [
                [name, _formula(each.value), each.type] for name, each in self.measures.items()
            ],
            "order_by": [" ".join(text.split()) for text in self.order_by],
            "keep": self.keep,
            "splits": sorted([sorted(split) for split in self.splits]),
            "windows": sorted(self.windows),
            "zone": self.zone,
            "tie_break": self.tie_break,
            "details": list(self.details),
        }

    def fingerprint(self) -> str:
        """32 hex digits of `meaning`: another fingerprint means that rankings must be rebuilt."""
        canonical = msgspec.json.encode(self.meaning(), order="sorted")
        return hashlib.blake2b(canonical, digest_size=16).hexdigest()


_SHAPES: dict[str, Any] = {
    "measures": dict[str, Any],
    "order_by": tuple[str, ...],
    "keep": str,
    "splits": tuple[tuple[str, ...], ...],
    "windows": tuple[str, ...],
    "zone": str,
    "numbering": str,
    "tie_break": str,
    "details": tuple[str, ...],
}


def _measures(given: dict[str, MeasureSpec]) -> dict[str, Measure]:
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
    """Compiles, and reads only values: a measure's name means the value of that name.

    So it may be read by another measure only where that measure is just this value.
    """
    field = f"measures.{name}"
    expression = CompiledMeasure(name, measure, field).expression
    for other in expression.numbers + expression.texts if expression else ():
        if other != name and other in measures and measures[other].value != other:
            reason = f"refers to the measure {other!r}; a measure is made of values only"
            raise SpecError(field, reason)


def _column(text: str, index: int, names: list[str], measures: dict[str, Measure]) -> Column:
    field = f"order_by[{index}]"
    words = text.split()
    if len(words) != 2 or words[1] not in ("asc", "desc"):
        name = words[0] if words else "score"
        raise SpecError(field, f"{text!r} has no direction; write {name + ' desc'!r} or 'asc'")
    check_choice(words[0], names, field)
    return Column(names.index(words[0]), words[1] == "desc", measures[words[0]].type == "float")


def _check_splits(splits: tuple[tuple[str, ...], ...]) -> None:
    check_count(splits, 1, MAX_SPLITS, "splits")
    for index, split in enumerate(splits):
        field = f"splits[{index}]"
        _check_list(split, field, 0, MAX_SPLIT_TAGS)
        for place, name in enumerate(split):
            check_value_name(name, f"{field}[{place}]")
            if name in RESERVED_TAGS:
                raise SpecError(f"{field}[{place}]", f"{name!r} cannot be a tag's name")
    check_unique([sorted(split) for split in splits], "splits")


def _check_list(items: tuple[str, ...], field: str, least: int, most: int) -> None:
    check_count(items, least, most, field)
    check_unique(items, field)


def _formula(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    return f"function {value.__module__}.{value.__qualname__}"
