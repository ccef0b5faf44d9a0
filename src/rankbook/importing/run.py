"""Importing files into a book: check each event, record in batches, rank at the end.

A batch is durable when it is recorded. If an import was stopped, run it again: recorded events are
recognised by their ids, and the next fold ranks what is not ranked yet.
"""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import TextIO

import msgspec

from rankbook.book import Rankbook
from rankbook.errors import EventConflict, Refused
from rankbook.importing.common import Fault, Row, Source, shown
from rankbook.importing.formats import FORMATS, Format

BATCH = 1000
MOST_LISTED = 1000
STDIN = "-"
UNNAMED = Format(lambda _source: iter(()), {}, names_players=True)

Told = Callable[[str, int, int | None], None]
"""Called with what is being done, how much of it is done, and how much there is, if known."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What an import did. `bad` counts all faults; `faults` lists the first 1,000 by line."""

    recorded: int
    known: int
    bad: int
    faults: tuple[Fault, ...]


class Importer:
    """One import into an open book: call `file` for each file, then `finish`."""

    def __init__(
        self, book: Rankbook, *, told: Told | None = None, batch: int | None = None
    ) -> None:
        """`told` is called with progress: "reading" in bytes or rows, "ranking" in events."""
        self._book = book
        self._batch = batch or BATCH
        self._told = told or (lambda _what, _done, _all: None)
        rules = book.spec.values.items()
        self._texts = frozenset([name for name, rule in rules if rule.type == "text"])
        self._recorded = 0
        self._known = 0
        self._bad = 0
        self._faults: list[Fault] = []

    def file(self, path: str, format: str, player: str | None = None) -> None:
        """Record the good lines of a file ("-" is standard input), and collect the faults of the
        others.

        A file that cannot be read is a fault, too. Raises `LogError` if nothing can be recorded.
        """
        before = len(self._faults)
        try:
            with _opened(path) as (stream, total):
                source = Source(stream, path, player, self._texts)
                self._read(FORMATS[format], source, stream, total)
        except _Unreadable as error:
            self._fault(Fault(file=path, line=0, column="", reason=str(error)))
        self._faults[before:] = sorted(self._faults[before:], key=lambda fault: fault.line)

    def source(self, name: str, player: str | None = None) -> Source:
        """A source without text, for `rows`."""
        return Source(StringIO(), name, player, self._texts)

    def rows(self, source: Source, items: Iterable[Row | Fault]) -> None:
        """Record rows as they come, and collect faults. Raises `LogError`, and what `items`
        raises."""
        before = len(self._faults)
        for done in self._take(UNNAMED, source, items):
            self._told("reading", done, None)
        self._faults[before:] = sorted(self._faults[before:], key=lambda fault: fault.line)

    def finish(self) -> Summary:
        """Rank what was recorded, and return the summary. Raises `StoreError`; then events are
        pending."""
        total = self._book.pending()
        done = 0

        def folded(events: int) -> None:
            nonlocal done
            done += events
            self._told("ranking", done, max(done, total))

        self._book.fold(progress=folded)
        return Summary(
            recorded=self._recorded,
            known=self._known,
            bad=self._bad,
            faults=tuple(self._faults),
        )

    def _read(self, format: Format, source: Source, stream: TextIO, total: int | None) -> None:
        for _line in self._take(format, source, _items(format, source)):
            self._told("reading", stream.buffer.tell() if total else 0, total)
        self._told("reading", total or 0, total)

    def _take(self, format: Format, source: Source, items: Iterable[Row | Fault]) -> Iterator[int]:
        """Record in batches. After each one, gives the line that it has reached."""
        rows: list[Row] = []
        for item in items:
            if isinstance(item, Fault):
                self._fault(item)
                continue
            if item.event.target and any(row.event.id == item.event.target for row in rows):
                self._record(format, source, rows)  # what it is about must be there
                rows = []
            if self._sound(format, source, item):
                rows.append(item)
            if len(rows) >= self._batch:
                self._record(format, source, rows)
                rows = []
                yield item.line
        self._record(format, source, rows)

    def _sound(self, format: Format, source: Source, row: Row) -> bool:
        try:
            self._book.check(row.event)
        except Refused as error:
            self._fault(source.fault(row.line, format.column(error.field), error.reason))
            return False
        return True

    def _record(self, format: Format, source: Source, rows: Sequence[Row]) -> None:
        """Record rows in one transaction. If ids conflict, halve the rows until only those in
        conflict are left."""
        if not rows:
            return
        try:
            recording = self._book.record([row.event for row in rows])
        except EventConflict as error:
            if len(rows) == 1:
                reason = f"{shown(error.event_id)} is already recorded with other content"
                self._fault(source.fault(rows[0].line, format.column("id"), reason))
                return
            middle = len(rows) // 2
            self._record(format, source, rows[:middle])
            self._record(format, source, rows[middle:])
        else:
            self._recorded += recording.new
            self._known += len(rows) - recording.new

    def _fault(self, fault: Fault) -> None:
        self._bad += 1
        if len(self._faults) < MOST_LISTED:
            self._faults.append(fault)


class _Unreadable(Exception):
    """A file that cannot be opened."""


@contextmanager
def _opened(path: str) -> Iterator[tuple[TextIO, int | None]]:
    """The file as text, and its size if it has one. A byte that is not UTF-8 stays visible."""
    try:
        stream = open(  # noqa: SIM115
            0 if path == STDIN else path,
            encoding="utf-8-sig",
            errors="surrogateescape",
            newline="",
            closefd=path != STDIN,
        )
    except (OSError, ValueError) as error:
        raise _Unreadable(_reason(error)) from error
    with stream:
        status = os.fstat(stream.fileno())
        yield stream, status.st_size if stat.S_ISREG(status.st_mode) else None


def _items(format: Format, source: Source) -> Iterator[Row | Fault]:
    """The rows and faults of a format. If the file fails later, that is the last fault."""
    try:
        yield from format.read(source)
    except OSError as error:
        yield source.fault(0, "", _reason(error))


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "there is no such file"
    if isinstance(error, IsADirectoryError):
        return "is a directory"
    if isinstance(error, PermissionError):
        return "may not be read"
    reason = error.strerror if isinstance(error, OSError) else None
    return f"cannot be read: {reason or error}"
