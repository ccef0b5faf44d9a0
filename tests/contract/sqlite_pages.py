"""Damaging a log in SQLite where a disk would: inside the b-tree page that holds its events."""

import sqlite3
from pathlib import Path
from typing import NamedTuple

LEAF = 13  # a page of table rows without children


class Cell(NamedTuple):
    """Where an event's row is in the file: its rowid, and the record of its columns."""

    rowid_at: int
    record_at: int
    end: int


def cells(path: Path) -> dict[int, Cell]:
    """The cells of a log that is closed and fits on one page, by position."""
    with sqlite3.connect(path) as connection:
        [(root,)] = connection.execute(
            "SELECT rootpage FROM sqlite_schema WHERE name = 'rankbook_event'"
        )
        [(size,)] = connection.execute("PRAGMA page_size")
    connection.close()
    content = path.read_bytes()
    start = (root - 1) * size
    assert content[start] == LEAF, "the log has more than one page"
    found = {}
    for number in range(int.from_bytes(content[start + 3 : start + 5], "big")):
        pointer = start + 8 + 2 * number
        at = start + int.from_bytes(content[pointer : pointer + 2], "big")
        length, rowid_at = varint(content, at)
        rowid, record_at = varint(content, rowid_at)
        found[rowid] = Cell(rowid_at, record_at, record_at + length)
    return found


def varint(content: bytes, at: int) -> tuple[int, int]:
    """A number of SQLite's format, and where it ends; enough for those below 2**56."""
    value = 0
    while True:
        value = value << 7 | content[at] & 0x7F
        at += 1
        if content[at - 1] < 0x80:
            return value, at


def overwrite(path: Path, at: int, new: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(new)


def move(path: Path, old: int, new: int) -> None:
    """Give the event at one position another one, both below 128, with nothing else changed."""
    overwrite(path, cells(path)[old].rowid_at, bytes([new]))


def replace(path: Path, position: int, old: bytes, new: bytes) -> None:
    """Replace bytes of an event by as many others."""
    cell = cells(path)[position]
    at = path.read_bytes().index(old, cell.record_at, cell.end)
    assert len(old) == len(new)
    overwrite(path, at, new)


def retype(path: Path, position: int, column: int, kinds: dict[int, int] | None = None) -> None:
    """Change what a column (0 is the position) of an event is stored as, and none of its bytes.

    `kinds` has SQLite's number of the new kind for each old one; without it, a text becomes a blob
    and a blob a text.
    """
    cell = cells(path)[position]
    content = path.read_bytes()
    _length, at = varint(content, cell.record_at)
    for _column in range(column):
        _kind, at = varint(content, at)
    kind = content[at]
    assert kind < 0x80
    overwrite(path, at, bytes([kinds[kind] if kinds else kind ^ 1]))
