"""What formats share: sources of text, rows and faults, and readers of numbers and times.

A reader raises `Refused` at the file's own column; `Source.rows` turns it into a `Fault`.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import NamedTuple, TextIO, TypeVar

import msgspec

from rankbook.errors import Refused
from rankbook.model import Event, EventLike, Value
from rankbook.rules import as_event, instant, micros, read_number

T = TypeVar("T")

MAX_LINE = 100_000
SHOWN = 60

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """A line or file that could not be imported. `line` is 0 for a whole file, `column` is "" for a
    line."""

    file: str
    line: int
    column: str
    reason: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return ": ".join([part for part in (place, self.column, self.reason) if part])


class Row(NamedTuple):
    """An event, and the number of its first line."""

    line: int
    event: Event


class Line(NamedTuple):
    """A line with its end, numbered from 1. If it is too long, it is cut, and `whole` is False."""

    number: int
    text: str
    whole: bool


class Source(NamedTuple):
    """A text to import: its name in messages, the player, and which values are text.

    `player` is None if the text itself names the player. `texts` are names of values that stay text
    even if they look like numbers.
    """

    stream: TextIO
    file: str
    player: str | None = None
    texts: frozenset[str] = frozenset()

    def fault(self, line: int, column: str, reason: str) -> Fault:
        """A fault in this source."""
        return Fault(file=self.file, line=line, column=column, reason=reason)

    def rows(
        self, items: Iterable[tuple[int, T] | Fault], make: Callable[[T], Event]
    ) -> Iterator[Row | Fault]:
        """A row for each item: a line's number, and what `make` turns into an event.

        If `make` raises `Refused`, that becomes a fault. Items that are faults stay.
        """
        for item in items:
            if isinstance(item, Fault):
                yield item
                continue
            line, content = item
            try:
                yield Row(line, make(content))
            except Refused as error:
                yield self.fault(line, error.field, error.reason)


def lines(stream: TextIO) -> Iterator[Line]:
    """The lines of a stream. Memory is bounded, because the rest of a long line is skipped."""
    number = 0
    while text := stream.readline(MAX_LINE):
        number += 1
        whole = len(text) < MAX_LINE or text.endswith("\n")
        yield Line(number, text, whole)
        while not whole:
            rest = stream.readline(MAX_LINE)
            whole = len(rest) < MAX_LINE or rest.endswith("\n")


def too_long() -> str:
    """The fault's reason for a line that was cut."""
    return f"the line has {MAX_LINE:,} characters or more"


def shown(text: str) -> str:
    """A text in quotes, escaped and cut to a length that fits a line."""
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")


def sound(text: str, column: str) -> str:
    """The text itself. Raises `Refused` for a NUL byte and for bytes that were not UTF-8."""
    if "\0" in text:
        raise Refused(column, "has a NUL byte in it")
    if not text.isascii() and any("\ud800" <= each <= "\udfff" for each in text):
        raise Refused(column, "is not valid UTF-8")
    return text


def number(text: str, column: str) -> int | float | Decimal:
    """A number as JSON writes it, exactly. Raises `Refused`; past the doubles it is an infinity."""
    if not text:
        raise Refused(column, "is empty; it is a number")
    if not _NUMBER.fullmatch(text):
        raise Refused(column, f"is {shown(text)}, not a number")
    return read_number(text)


def value(text: str) -> Value:
    """A number if JSON would write it so, else the text: 007 stays text."""
    return number(text, "") if _NUMBER.fullmatch(text) else text


def moment_ms(text: str, column: str) -> datetime:
    """A time in milliseconds since 1970 UTC. Raises `Refused`."""
    at_ms = number(text, column)
    if not isinstance(at_ms, int):
        raise Refused(column, f"is {shown(text)}, not a whole number of milliseconds")
    try:
        return instant(at_ms * 1000)
    except Refused as error:
        raise Refused(column, error.reason) from None


def dated(given: EventLike) -> Event:
    """The event that is meant. Raises `Refused` where it does not say when it was."""
    event = as_event(given)
    if event.at is None:
        raise Refused("at", "is missing")
    return event


class Occurrences:
    """Ids for events without one, made from the content and from how often it came before.

    The same text read again gives the same ids. Uses about 150 bytes for each event.
    """

    def __init__(self) -> None:
        self._seen: Counter[bytes] = Counter()

    def named(self, event: Event) -> Event:
        """The event with an id: its own, or `digest:` and 32 hex digits, and -2 for a second."""
        if event.id:
            return event
        digest = _digest(event)
        self._seen[digest] += 1
        count = self._seen[digest]
        again = f"-{count}" if count > 1 else ""
        return msgspec.structs.replace(event, id=f"digest:{digest.hex()}{again}")


def _digest(event: Event) -> bytes:
    at_us = None if event.at is None else micros(event.at)
    content: list[object] = [event.player, at_us, event.values, event.profile, event.sequence]
    if event.kind != "result":
        content += [event.kind, event.target]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=float)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()
