"""Windows: ways to cut time into periods.

A window is a name and four answers: the period of an instant, the period of an id, the one before
and the one after. Calendar windows differ only in their days: `CalendarWindow` asks a subclass for
the first day of a period, the first day of the next, and how an id is written and read.
"""

from abc import ABC, abstractmethod
from datetime import date, timedelta
from typing import NamedTuple, Protocol

from rankbook.errors import NotFound, Refused, SpecError
from rankbook.rules.zones import Zone

ALL_TIME = "all-time"


class PeriodSpan(NamedTuple):
    """A period: its id and its instants [start, end) in microseconds; None is unbounded."""

    id: str
    start_us: int | None
    end_us: int | None


class Window(Protocol):
    """A way to cut time. Every instant is in at most one period."""

    name: str
    zone: Zone

    def period_at(self, at_us: int) -> PeriodSpan:
        """The period of an instant. Raises `Refused` at "at" where there is none."""
        ...

    def period(self, id: str) -> PeriodSpan:
        """The period with this id. Raises `NotFound` and says how ids are written."""
        ...

    def previous(self, span: PeriodSpan) -> PeriodSpan | None:
        """The period before, or None."""
        ...

    def next(self, span: PeriodSpan) -> PeriodSpan | None:
        """The period after, or None."""
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


class CalendarWindow(ABC):
    """Periods made of whole days in a zone. Remembers the last period it was asked for."""

    name: str
    form: str
    """How an id looks, for error messages."""

    def __init__(self, zone: Zone) -> None:
        self.zone = zone
        self._last: tuple[int, int, PeriodSpan] = (0, 0, PeriodSpan("", 0, 0))

    @abstractmethod
    def first_day(self, day: date) -> date:
        """The first day of the period that holds the day."""

    @abstractmethod
    def next_first_day(self, first: date) -> date:
        """The first day of the period after the one that begins on `first`."""

    @abstractmethod
    def write_id(self, first: date) -> str:
        """The id of the period that begins on `first`."""

    @abstractmethod
    def read_id(self, id: str) -> date:
        """The first day of the period with this id. Raises ValueError."""

    def period_at(self, at_us: int) -> PeriodSpan:
        """The period of an instant: two comparisons while it stays in the last one asked for.

        Raises `Refused` at "at" at the ends of the calendar.
        """
        start, end, span = self._last
        if start <= at_us < end:
            return span
        try:
            self._last = self._find(at_us)
        except (OverflowError, ValueError):
            reason = f"is at the end of the calendar: it has no {self.name} period in {{}}"
            raise Refused("at", reason.format(self.zone.name)) from None
        return self._last[2]

    def period(self, id: str) -> PeriodSpan:
        """The period with this id. Raises `NotFound` for a malformed or impossible one."""
        try:
            first = self.read_id(id)
            found = self._span(first) if self.write_id(first) == id else None
        except (OverflowError, ValueError):
            found = None
        if found is None:
            raise NotFound(f"no period {id!r} in window {self.name}; its ids look like {self.form}")
        if found[0] == found[1]:
            raise NotFound(f"no period {id!r}: that day was left out in {self.zone.name}")
        return found[2]

    def previous(self, span: PeriodSpan) -> PeriodSpan | None:
        """The period before, or None at the beginning of the calendar."""
        return None if span.start_us is None else self._neighbour(span.start_us - 1)

    def next(self, span: PeriodSpan) -> PeriodSpan | None:
        """The period after, or None at the end of the calendar."""
        return None if span.end_us is None else self._neighbour(span.end_us)

    def _neighbour(self, at_us: int) -> PeriodSpan | None:
        try:
            return self._find(at_us)[2]
        except (OverflowError, ValueError, Refused):
            return None

    def _find(self, at_us: int) -> tuple[int, int, PeriodSpan]:
        first = self.first_day(self.zone.date_at(at_us))
        found = self._span(first)
        while at_us >= found[1]:  # a clock set back over midnight reads a day that has ended
            first = self.next_first_day(first)
            found = self._span(first)
        return found

    def _span(self, first: date) -> tuple[int, int, PeriodSpan]:
        start = self.zone.start_of(first)
        end = self.zone.start_of(self.next_first_day(first))
        return start, end, PeriodSpan(self.write_id(first), start, end)


class Daily(CalendarWindow):
    """Calendar days: ``2026-11-30``."""

    name = "daily"
    form = "2026-11-30"

    def first_day(self, day: date) -> date:
        """The day itself."""
        return day

    def next_first_day(self, first: date) -> date:
        """The next day."""
        return first + timedelta(days=1)

    def write_id(self, first: date) -> str:
        """The ISO date."""
        return first.isoformat()

    def read_id(self, id: str) -> date:
        """The ISO date. Raises ValueError."""
        return date.fromisoformat(id)


WINDOWS: dict[str, type[AllTime] | type[CalendarWindow]] = {ALL_TIME: AllTime, "daily": Daily}


def open_window(name: str, zone: Zone, field: str) -> Window:
    """The window of that name in the zone. Raises `SpecError` at `field`."""
    made = WINDOWS.get(name)
    if made is None:
        raise SpecError(field, f"no window {name!r}; there are: {', '.join(WINDOWS)}")
    return made(zone)
