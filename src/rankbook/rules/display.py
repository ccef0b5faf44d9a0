"""How single things are shown to people: names that cannot act, numbers, instants.

The command and the pages share these. Each adds what only a terminal or only a browser needs.
"""

import unicodedata
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache

from rankbook.rules.zones import Zone, parse_zone

MARK = "\N{REPLACEMENT CHARACTER}"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
JOINERS = "\u200c\u200d"
NAME_CHARACTERS = 80
LONGEST_NAME = 1200
MOST_ACCENTS = 3

# controls, invisible formats (such as turning the direction round), surrogates, line separators
_ACTING = ("Cc", "Cf", "Cs", "Zl", "Zp")
_ACCENTS = ("Mn", "Me")


def clean(text: str, mark: str = "") -> str:
    """The text with `mark` in place of each character that acts or hides.

    Those are controls, marks of direction, zero-width characters and line separators. A joiner
    between two characters stays, as scripts and emoji need it. Half a surrogate pair always
    becomes a visible mark. Of a tower of combining accents three stay.
    """
    if text.isascii() and text.isprintable():
        return text
    kept: list[str] = []
    accents = 0
    for each in text:
        category = unicodedata.category(each)
        accents = accents + 1 if category in _ACCENTS else 0
        if category == "Cs":
            kept.append(MARK)
        elif category in _ACTING and not _joins(each, kept):
            kept.append(mark)
        elif accents <= MOST_ACCENTS:
            kept.append(each)
    return "".join(kept)


def _joins(character: str, before: Sequence[str]) -> bool:
    return character in JOINERS and bool(before) and before[-1] not in JOINERS


def visible_text(text: str) -> str:
    """The text with what acts or hides removed, also at its ends."""
    return clean(text).strip(" \N{NO-BREAK SPACE}" + JOINERS)


def short(text: str, most: int = NAME_CHARACTERS) -> str:
    """At most this many characters; an ellipsis says that there are more."""
    return text if len(text) <= most else text[: most - 1].rstrip() + ELLIPSIS


def name_of(profile: Mapping[str, str], player: str) -> str:
    """What a player is called: the profile's name if any of it is visible, else the id."""
    name = visible_text(profile.get("name", "")[:LONGEST_NAME])
    return name if _visible(name) else visible_text(player) or "(no name)"


def _visible(text: str) -> bool:
    return any(unicodedata.category(each)[0] not in "ZM" for each in text if each not in JOINERS)


def number(value: object, dash: str = "-") -> str:
    """A number with its thousands apart, every digit kept; text cleaned; `dash` for None."""
    if value is None:
        return dash
    if isinstance(value, str):
        return clean(value, MARK)
    return repr(value) if isinstance(value, float) and "e" in repr(value) else f"{value:,}"


def percent(share: float | None, digits: int, dash: str = "-") -> str:
    """A percentile to so many digits, without zeros at the end; `dash` for None."""
    return dash if share is None else f"{share:.{digits}f}".rstrip("0").rstrip(".")


def minute(at: datetime, zone: str = "UTC") -> str:
    """An instant to the minute, on the clock of a zone."""
    return f"{_local(at, zone):%Y-%m-%d %H:%M}"


def second(at: datetime, zone: str = "UTC") -> str:
    """An instant to the second, on the clock of a zone."""
    return f"{_local(at, zone):%Y-%m-%d %H:%M:%S}"


def iso(at: datetime) -> str:
    """An instant in RFC 3339, UTC, to the second."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _local(at: datetime, zone: str) -> datetime:
    try:
        return at.astimezone(_zone(zone).rules)
    except OverflowError:
        return at.astimezone(UTC)


@lru_cache(256)
def _zone(name: str) -> Zone:
    return parse_zone(name, "zone")
