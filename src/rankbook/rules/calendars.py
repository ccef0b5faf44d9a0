"""Calendar windows: periods made of whole days in a zone.

They differ only in their days: a `CalendarWindow` asks a subclass for the first day of a period,
the first day of the next, and how an id is written and read.

    daily     2026-11-30
    weekly    2026-W53         the ISO week, from Monday; its year is that of its Thursday
              2026-11-29       weeks from another weekday: the date of their first day
    monthly   2026-11
"""

from abc import ABC, abstractmethod
from datetime import date, timedelta

from rankbook.errors import NotFound, Refused
from rankbook.rules.periods import PeriodSpan
from rankbook.rules.zones import Zone

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


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

    span_at = period_at

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


class Weekly(CalendarWindow):
    """ISO weeks: ``2026-W53``."""

    name = "weekly"
    form = "2026-W49"

    def first_day(self, day: date) -> date:
        """Its Monday."""
        return day - timedelta(days=day.weekday())

    def next_first_day(self, first: date) -> date:
        """The next Monday."""
        return first + timedelta(days=7)

    def write_id(self, first: date) -> str:
        """The ISO year and week."""
        year, week, _day = first.isocalendar()
        return f"{year:04}-W{week:02}"

    def read_id(self, id: str) -> date:
        """The ISO year and week. Raises ValueError."""
        return date.fromisoformat(id)


class WeeksFrom(Weekly):
    """Weeks from another weekday, named by their first day: ``2026-11-29``."""

    def __init__(self, zone: Zone, weekday: str) -> None:
        super().__init__(zone)
        self._weekday = WEEKDAYS.index(weekday)
        day = date(2026, 11, 23) + timedelta(days=self._weekday)
        self.form = f"{day.isoformat()}, a {weekday.capitalize()}"

    def first_day(self, day: date) -> date:
        """The last such weekday."""
        return day - timedelta(days=(day.weekday() - self._weekday) % 7)

    def write_id(self, first: date) -> str:
        """The ISO date of the first day."""
        return first.isoformat()

    def read_id(self, id: str) -> date:
        """The ISO date. Raises ValueError for another weekday."""
        day = date.fromisoformat(id)
        if day.weekday() != self._weekday:
            raise ValueError(id)
        return day


class Monthly(CalendarWindow):
    """Calendar months: ``2026-11``."""

    name = "monthly"
    form = "2026-11"

    def first_day(self, day: date) -> date:
        """The first of its month."""
        return day.replace(day=1)

    def next_first_day(self, first: date) -> date:
        """The first of the next month."""
        return (first + timedelta(days=31)).replace(day=1)

    def write_id(self, first: date) -> str:
        """The ISO date without its day."""
        return first.isoformat()[:7]

    def read_id(self, id: str) -> date:
        """The ISO date of the first. Raises ValueError."""
        return date.fromisoformat(f"{id}-01")
