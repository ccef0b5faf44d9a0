"""Periods: concrete spans of time, and what a window answers about them.

A window is a name and a few answers: the period of an instant, the period of an id, the one before
and the one after. Every instant is in at most one period of a window.
"""

from typing import NamedTuple, Protocol

from rankbook.errors import NotFound
from rankbook.rules.zones import Zone

ALL_TIME = "all-time"


class PeriodSpan(NamedTuple):
    """A period: its id and its instants [start, end) in microseconds; None is unbounded."""

    id: str
    start_us: int | None
    end_us: int | None


class Window(Protocol):
    """A way to cut time."""

    name: str
    zone: Zone

    def span_at(self, at_us: int) -> PeriodSpan | None:
        """The period of an instant, or None between seasons.

        Raises `Refused` at "at" at the ends of the calendar.
        """
        ...

    def period_at(self, at_us: int) -> PeriodSpan:
        """The same, raising `NotFound` where there is none."""
        ...

    def period(self, id: str) -> PeriodSpan:
        """The period with this id. Raises `NotFound` and says how ids are written."""
        ...

    def previous(self, span: PeriodSpan) -> PeriodSpan | None:
        """The period before this span, or None."""
        ...

    def next(self, span: PeriodSpan) -> PeriodSpan | None:
        """The period after this span, or None."""
        ...


class AllTime:
    """One period without bounds, whose id is the window's name."""

    name = ALL_TIME

    def __init__(self, zone: Zone) -> None:
        self.zone = zone
        self._span = PeriodSpan(ALL_TIME, None, None)

    def period_at(self, at_us: int) -> PeriodSpan:
        """The one period. O(1)."""
        return self._span

    span_at = period_at

    def period(self, id: str) -> PeriodSpan:
        """The one period. Raises `NotFound` for any other id."""
        if id != ALL_TIME:
            raise NotFound(f"no period {id!r} in window {ALL_TIME}; its only period is {ALL_TIME}")
        return self._span

    def previous(self, span: PeriodSpan) -> PeriodSpan | None:
        """None."""
        return None

    def next(self, span: PeriodSpan) -> PeriodSpan | None:
        """None."""
        return None


def closes_at(span: PeriodSpan, grace_us: int) -> int | None:
    """When the period closes: its end and the grace after it. None for one without an end."""
    return None if span.end_us is None else span.end_us + grace_us


def is_closed(span: PeriodSpan, received_us: int, grace_us: int) -> bool:
    """Whether the period has closed by this instant; at the very instant it has."""
    closing = closes_at(span, grace_us)
    return closing is not None and received_us >= closing


def current(window: Window, now_us: int) -> PeriodSpan | None:
    """The running period; between seasons the one that ended last, else the first to come."""
    span = window.span_at(now_us)
    if span is not None:
        return span
    moment = PeriodSpan("", now_us, now_us)
    return window.previous(moment) or window.next(moment)
