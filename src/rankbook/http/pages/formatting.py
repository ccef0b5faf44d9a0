"""How single things are written on a page: names that cannot act, numbers, instants, labels."""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo

from rankbook.model import Period

NAME_CHARACTERS = 80
TITLE_CHARACTERS = 300
MOST_MARKS = 3
DASH = "\N{EN DASH}"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_FIGURE = "\N{FIGURE SPACE}"
_POINT = "\N{PUNCTUATION SPACE}"
_JOINERS = "\u200c\u200d"
_ACTING = ("Cc", "Cf", "Cs", "Zl", "Zp")

_WINDOWS = {
    "all-time": "All time",
    "daily": "Today",
    "weekly": "This week",
    "monthly": "This month",
    "season": "Season",
}
_PERIODS = {"daily": "Days", "weekly": "Weeks", "monthly": "Months", "season": "Seasons"}


def clean(text: str) -> str:
    """The text without what acts or hides: controls, marks of direction, zero-width characters.

    Joiners between letters stay, as scripts and emoji need them. What cannot be encoded is
    replaced, and a tower of combining marks is cut.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    kept: list[str] = []
    marks = 0
    for each in text:
        category = unicodedata.category(each)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if category == "Cs":
            kept.append("\N{REPLACEMENT CHARACTER}")
        elif marks <= MOST_MARKS and (category not in _ACTING or _joins(each, kept)):
            kept.append(each)
    return "".join(kept).strip(" \N{NO-BREAK SPACE}" + _JOINERS)


def _joins(character: str, before: Sequence[str]) -> bool:
    return character in _JOINERS and bool(before) and before[-1] not in _JOINERS


def short(text: str, most: int = NAME_CHARACTERS) -> str:
    """At most this many characters; an ellipsis says that there are more."""
    return text if len(text) <= most else text[: most - 1].rstrip() + ELLIPSIS


def name_of(profile: Mapping[str, str], player: str) -> str:
    """What a player is called: the profile's name where something of it can be seen, or the id."""
    name = clean(profile.get("name", "")[: 4 * TITLE_CHARACTERS])
    return name if _visible(name) else clean(player) or "(no name)"


def _visible(text: str) -> bool:
    return any(unicodedata.category(each)[0] not in "ZM" for each in text if each not in _JOINERS)


def number(value: object) -> str:
    """A number with its thousands apart, every digit kept; text as it is; None as a dash."""
    if value is None:
        return DASH
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float) and "e" in repr(value):
        return repr(value)
    return f"{value:,}".replace("-", "\N{MINUS SIGN}")


def aligned(values: Sequence[object]) -> list[str]:
    """Numbers that stand point under point when they are set flush right in tabular figures."""
    texts = [number(value) for value in values]
    decimals = [len(text.partition(".")[2]) for text in texts]
    most = max(decimals, default=0)
    return [
        text + (_POINT if most and not each else "") + _FIGURE * (most - each)
        for text, each in zip(texts, decimals, strict=True)
    ]


@lru_cache(256)
def zone(name: str) -> tzinfo:
    """The zone of a board's `zone`, which was checked when the board was made."""
    if name in ("UTC", "Z"):
        return UTC
    if name[0] in "+-":
        hours, minutes = name[1:].split(":")
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-offset if name[0] == "-" else offset)
    return ZoneInfo(name)


def moment(at: datetime, zone_name: str = "UTC") -> str:
    """An instant to the minute, on the clock of a zone."""
    return f"{_local(at, zone_name):%Y-%m-%d %H:%M}"


def second(at: datetime, zone_name: str = "UTC") -> str:
    """An instant to the second, on the clock of a zone."""
    return f"{_local(at, zone_name):%Y-%m-%d %H:%M:%S}"


def _local(at: datetime, zone_name: str) -> datetime:
    try:
        return at.astimezone(zone(zone_name))
    except OverflowError:
        return at.astimezone(UTC)


def iso(at: datetime) -> str:
    """An instant in RFC 3339, UTC, to the second."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def tags_text(tags: Mapping[str, str]) -> str:
    """Tags as a label: their values; `Overall` for none."""
    return " · ".join([short(clean(value), 32) for value in tags.values()]) or "Overall"


def window_text(window: str, period: Period | None = None) -> str:
    """A window as a label, in its running period; of a season its name."""
    if window == "season" and period is not None:
        return period.id
    return _WINDOWS.get(window, window)


def periods_text(window: str) -> str:
    """A window as a label for all of its periods."""
    return _PERIODS.get(window, window)


def past_text(window: str, period: str) -> str:
    """A period as a label; all-time is its own period."""
    return _WINDOWS["all-time"] if window == period else period


def share(percent: float | None) -> str:
    """A percentile to one digit; a dash for None."""
    return DASH if percent is None else f"{percent:.1f}".rstrip("0").rstrip(".")


def size(count: float) -> str:
    """Bytes in the unit that suits them."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count /= 1024
    return f"{count:,.1f} TiB"
