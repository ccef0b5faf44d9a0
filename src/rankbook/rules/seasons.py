"""The window "season": periods that a board names itself, each with a start and an end.

A moment is an instant with its offset, ``2026-03-01T12:00:00Z``, or a date, which is the beginning
of that day in the board's zone. A season is [start, end): one that ends on 2026-12-01 has November
30 as its last day. Between seasons time may pass: such an instant is in no period.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from datetime import date, datetime
from itertools import pairwise
from typing import Any

import msgspec

from rankbook.errors import NotFound, Refused, SpecError
from rankbook.rules.instants import instant, micros
from rankbook.rules.periods import PeriodSpan
from rankbook.rules.specs import check_unique_names, check_value_name
from rankbook.rules.zones import Zone

SEASON = "season"
MAX_SEASONS = 1000

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([Tt ].+)?", re.ASCII)
_FORMS = "write an instant such as 2026-03-01T12:00:00Z, or a date"


class Season(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named season: its start and end as texts, dates, or datetimes with a zone.

    Checked and brought into dates and datetimes when made; a date has the board's zone.
    """

    name: str
    start: Any
    end: Any

    def __post_init__(self) -> None:
        """Raises `SpecError` for a bad name or something that is no moment."""
        check_value_name(self.name, "name")
        for field in ("start", "end"):
            msgspec.structs.force_setattr(self, field, _moment(getattr(self, field), field))

    def span(self, zone: Zone) -> PeriodSpan:
        """Its instants. Raises `SpecError` at "start" or "end"."""
        start, end = _micros(self.start, zone, "start"), _micros(self.end, zone, "end")
        if end <= start:
            raise SpecError("end", f"{self.end} is not after the start, {self.start}")
        return PeriodSpan(self.name, start, end)


def _moment(given: object, field: str) -> date:
    moment = given
    if isinstance(given, str) and _MOMENT.fullmatch(given):
        try:
            kind = date if len(given) == len("2026-03-01") else datetime
            moment = kind.fromisoformat(given)
        except ValueError:
            raise SpecError(field, f"there is no {given}; {_FORMS}") from None
    if not isinstance(moment, date):
        raise SpecError(field, f"{given!r} is no moment; {_FORMS}")
    if isinstance(moment, datetime) and moment.utcoffset() is None:
        raise SpecError(field, f"{given} has no zone; {_FORMS}")
    return moment


def _micros(moment: date, zone: Zone, field: str) -> int:
    try:
        return micros(moment) if isinstance(moment, datetime) else zone.start_of(moment)
    except (Refused, OverflowError, ValueError):
        raise SpecError(field, f"{moment} is outside the years 1 to 9999") from None


def season_spans(seasons: Sequence[Season], zone: Zone, field: str) -> tuple[PeriodSpan, ...]:
    """Their spans in the order of time. Raises `SpecError` at the season's field.

    A name given twice, and a season that starts before another has ended, are faults.
    """
    spans: list[PeriodSpan] = []
    for index, season in enumerate(seasons):
        try:
            spans.append(season.span(zone))
        except SpecError as error:
            raise SpecError(f"{field}[{index}].{error.field}", error.reason) from error
    check_unique_names(seasons, field)
    ordered = sorted(spans, key=_start)
    for before, after in pairwise(ordered):
        if _start(after) < (before.end_us or 0):
            place = f"{field}[{spans.index(after)}].start"
            raise SpecError(place, f"the season {before.id!r} has not ended then")
    return tuple(ordered)


def _start(span: PeriodSpan) -> int:
    return span.start_us or 0


class SeasonWindow:
    """A board's seasons as periods, whose ids are the seasons' names."""

    name = SEASON

    def __init__(self, zone: Zone, spans: Sequence[PeriodSpan]) -> None:
        """`spans` stand in the order of time and do not overlap."""
        self.zone = zone
        self.spans = tuple(spans)
        self._starts = [_start(span) for span in self.spans]
        self._by_name = {span.id: span for span in self.spans}

    def span_at(self, at_us: int) -> PeriodSpan | None:
        """The season of an instant, or None between seasons. O(log n)."""
        index = bisect_right(self._starts, at_us) - 1
        if index < 0 or at_us >= (self.spans[index].end_us or 0):
            return None
        return self.spans[index]

    def period_at(self, at_us: int) -> PeriodSpan:
        """The season of an instant. Raises `NotFound` between seasons."""
        span = self.span_at(at_us)
        if span is None:
            raise NotFound(f"no season at {instant(at_us).isoformat()}; {self._there()}")
        return span

    def period(self, id: str) -> PeriodSpan:
        """The season of that name. Raises `NotFound` and lists them."""
        try:
            return self._by_name[id]
        except KeyError:
            raise NotFound(f"no season {id!r}; {self._there()}") from None

    def previous(self, span: PeriodSpan) -> PeriodSpan | None:
        """The last season that ended by then, or None."""
        if span.start_us is None:
            return None
        before = [each for each in self.spans if (each.end_us or 0) <= span.start_us]
        return before[-1] if before else None

    def next(self, span: PeriodSpan) -> PeriodSpan | None:
        """The first season that starts from then on, or None."""
        if span.end_us is None:
            return None
        after = [each for each in self.spans if _start(each) >= span.end_us]
        return after[0] if after else None

    def _there(self) -> str:
        return f"there are: {', '.join(self._by_name)}"
