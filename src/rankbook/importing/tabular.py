"""Comma-separated text with a header: one record at a time, each with its line.

A quoted cell may hold line ends. A quote that is never closed would swallow the good lines after
it. So if a record over several lines is wrong, only its first line is a fault, and reading
continues at the second.
"""

import csv
from collections import deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rankbook.errors import Refused
from rankbook.importing.common import Fault, Line, Source, lines, shown, sound, too_long

MAX_RECORD_LINES = 100


class Record(NamedTuple):
    """The cells of one record by the header's names, and the line where it begins."""

    line: int
    cells: dict[str, str]


class _Feed:
    """Lines for the csv module, a bounded number for each record. It can go back to an earlier
    line."""

    def __init__(self, source: Source) -> None:
        self._fresh = lines(source.stream)
        self._waiting: deque[Line] = deque()
        self.taken: list[Line] = []

    def __iter__(self) -> "_Feed":
        return self

    def __next__(self) -> str:
        if len(self.taken) == MAX_RECORD_LINES:
            raise StopIteration
        line = self._waiting.popleft() if self._waiting else next(self._fresh)
        self.taken.append(line)
        return line.text

    def back_to_second(self) -> None:
        """Give all but the first line of the record again."""
        self._waiting.extendleft(reversed(self.taken[1:]))


def records(source: Source, required: Sequence[str]) -> Iterator[Record | Fault]:
    """The records of a text with a header that has the `required` columns.

    Without a good header there are only faults. Blank lines are skipped.
    """
    rows = _rows(source)
    header = next(rows, None)
    if header is None:
        yield source.fault(1, "", "the file is empty; it begins with a header")
        return
    wrong = [header] if isinstance(header, Fault) else list(_header(source, *header, required))
    if wrong or isinstance(header, Fault):
        yield from wrong
        return
    yield from _bodies(source, rows, [name.strip() for name in header[1]])


_Cells = tuple[int, list[str]]


def _rows(source: Source) -> Iterator[_Cells | Fault]:
    """Every record's line and cells. If a record has another width than the first, it is a
    fault."""
    feed = _Feed(source)
    reader = csv.reader(feed, strict=True)
    width = 0
    while True:
        feed.taken = []
        try:
            cells = next(reader)
            reason = _unlike(cells, width)
        except StopIteration:
            return
        except csv.Error as error:
            cells, reason = [], _explain(error)
        first = feed.taken[0]
        if not all(line.whole for line in feed.taken):
            reason = too_long()
        if reason:
            feed.back_to_second()
            yield source.fault(first.number, "", reason)
        elif not _blank(cells):
            width = width or len(cells)
            yield first.number, cells


def _blank(cells: list[str]) -> bool:
    return not cells or (len(cells) == 1 and not cells[0].strip())


def _unlike(cells: list[str], width: int) -> str:
    """Why this is no record of a table of that width; empty if it is one."""
    if not width or _blank(cells) or len(cells) == width:
        return ""
    return f"the line has {_fields(len(cells))}; the header has {_fields(width)}"


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"


def _explain(error: csv.Error) -> str:
    if "unexpected end of data" in str(error):
        return "a quote is opened and not closed"
    return f"the line is not CSV: {error}"


def _header(
    source: Source, line: int, names: list[str], required: Sequence[str]
) -> Iterator[Fault]:
    """The faults of a header."""
    there = [name.strip() for name in names]
    try:
        for index, name in enumerate(there, start=1):
            sound(name, f"column {index}")
            if not name:
                raise Refused(f"column {index}", "has no name in the header")
            if name in there[: index - 1]:
                raise Refused(name, "is in the header twice")
    except Refused as error:
        yield source.fault(line, error.field, error.reason)
        return
    for name in required:
        if name not in there:
            listed = shown(",".join(there))
            yield source.fault(line, name, f"is missing from the header, which is {listed}")


def _bodies(
    source: Source, rows: Iterator[_Cells | Fault], names: list[str]
) -> Iterator[Record | Fault]:
    for row in rows:
        if isinstance(row, Fault):
            yield row
            continue
        line, texts = row
        cells = dict(zip(names, texts, strict=True))
        try:
            for name, text in cells.items():
                sound(text, name)
        except Refused as error:
            yield source.fault(line, error.field, error.reason)
        else:
            yield Record(line, cells)
