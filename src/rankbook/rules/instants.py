"""Instants: microseconds since 1970-01-01 UTC inside, datetimes with a zone outside."""

import re
from datetime import UTC, datetime, timedelta

import msgspec

from rankbook.errors import Refused

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FINER = re.compile(r"(\.\d{6})\d+", re.ASCII)
_SHOWN = 60


def micros(at: datetime, field: str = "at") -> int:
    """The instant in microseconds, exactly. Raises `Refused` at `field` without a zone."""
    if at.tzinfo is None or at.utcoffset() is None:
        raise Refused(field, "has no zone; write it as in 2026-11-30T18:30:00Z")
    try:
        at.astimezone(UTC)
    except OverflowError:
        raise Refused(field, "is outside the years 1 to 9999") from None
    return (at - EPOCH) // _MICROSECOND


def instant(at_us: int) -> datetime:
    """The instant as a UTC datetime. Raises `Refused` at "at" outside the years 1 to 9999."""
    try:
        return EPOCH + timedelta(microseconds=at_us)
    except OverflowError:
        raise Refused("at", "is outside the years 1 to 9999") from None


def parse_instant(text: str, field: str = "at") -> datetime:
    """The time in an RFC 3339 text, cut to microseconds. Raises `Refused`, also without a zone.

    A parser that rounds would move the last nanosecond of a day into the next one.
    """
    try:
        at = msgspec.convert(_FINER.sub(r"\1", text, count=1), datetime)
    except msgspec.ValidationError:
        shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
        raise Refused(field, f"is {shown!r}, not a time such as 2026-11-30T18:30:00Z") from None
    micros(at, field)
    return at
