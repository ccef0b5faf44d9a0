"""Zones: fixed offsets and IANA names, and when a calendar day begins in them.

A day begins at the first instant when the zone's clock reads its date (or a later one), and ends
where the next day begins. So days never overlap, every instant is in exactly one, and a clock that
is set back over midnight does not bring yesterday back.
"""

import re
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

from rankbook.errors import SpecError
from rankbook.rules.instants import EPOCH, instant

_OFFSET = re.compile(r"([+-])(\d\d):([0-5]\d)")
_MAX_OFFSET_MINUTES = 14 * 60
_MACHINE_NAMES = ("localtime", "posixrules", "Factory")
_MICROSECOND = timedelta(microseconds=1)


class Zone:
    """A time zone by the name it was given; `rules` is what datetimes take for it."""

    def __init__(self, name: str, rules: tzinfo) -> None:
        self.name = name
        self.rules = rules

    def date_at(self, at_us: int) -> date:
        """The date on the zone's clock. Raises OverflowError at the ends of the calendar."""
        return instant(at_us).astimezone(self.rules).date()

    def start_of(self, day: date) -> int:
        """The instant (microseconds) at which the day begins. Raises OverflowError, ValueError."""
        midnight = datetime.combine(day, time())
        first = self._micros(midnight)
        second = self._micros(midnight.replace(fold=1))
        # Equal on most days. The clock may show midnight twice (second is later): the first
        # counts. It may skip midnight (second is earlier): the day begins at the jump.
        return first if second >= first else self._jump(second, first, day)

    def _micros(self, local: datetime) -> int:
        return (local.replace(tzinfo=self.rules).astimezone(UTC) - EPOCH) // _MICROSECOND

    def _jump(self, before: int, after: int, day: date) -> int:
        while after - before > 1:
            middle = (before + after) // 2
            if self.date_at(middle) >= day:
                after = middle
            else:
                before = middle
        return after


def parse_zone(text: str, field: str) -> Zone:
    """A zone from "+05:30", "UTC", "Z" or an IANA name. Raises `SpecError` at `field`."""
    if text in ("UTC", "Z"):
        return Zone(text, UTC)
    match = _OFFSET.fullmatch(text)
    if match:
        return Zone(text, _fixed(match, field))
    return Zone(text, _named(text, field))


def _fixed(match: re.Match[str], field: str) -> tzinfo:
    minutes = int(match[2]) * 60 + int(match[3])
    if minutes > _MAX_OFFSET_MINUTES:
        raise SpecError(field, f"the offset {match[0]} is past 14:00")
    return timezone(timedelta(minutes=minutes if match[1] == "+" else -minutes))


def _named(text: str, field: str) -> tzinfo:
    try:
        if text in _MACHINE_NAMES:
            raise ValueError(text)
        return ZoneInfo(text)
    except (KeyError, ValueError, OSError) as error:
        reason = f"no zone {text!r}; write +05:30, UTC or a name such as Asia/Kolkata"
        raise SpecError(field, reason) from error
