"""Looking for damage in a SQLite log, in the structure of its file."""

import sqlite3

from rankbook.errors import Corrupt
from rankbook.log.sqlite.schema import explain, sql

MOST_FAULTS = 100


def quick_faults(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with its pages, such as rows out of order. O(file)."""
    return _told(connection, "quick_check") or _positions(connection)


def thorough_faults(connection: sqlite3.Connection) -> list[str]:
    """The same, and whether indexes match rows, and whether a position is missing. O(file log
    file)."""
    return _told(connection, "integrity_check") or [
        *_positions(connection),
        *_missing(connection),
    ]


class Gaps:
    """Whether missing positions were deleted on purpose or lost to damage.

    A log numbers its events without a gap, so a gap is a reason to check the file once.
    """

    def __init__(self) -> None:
        self._explained = False

    def explain(self, connection: sqlite3.Connection, missing: int) -> None:
        """Raises `Corrupt` if the file is damaged; `missing` is the missing position."""
        if self._explained:
            return
        faults = [each for each in quick_faults(connection) if not _of_a_value(each)]
        if faults:
            raise Corrupt(f"the log lacks position {missing}: {faults[0]}")
        self._explained = True


def _told(connection: sqlite3.Connection, pragma: str) -> list[str]:
    try:
        rows = _rows(connection, f"PRAGMA {pragma}({MOST_FAULTS})")
    except sqlite3.DatabaseError as error:
        return [explain(error)]
    found = [" ".join(str(row[0]).split()) for row in rows]
    return [] if found == ["ok"] else found


def _of_a_value(fault: str) -> bool:
    """Whether a fault is about a value of another type, in a row that is where it belongs."""
    return " value in rankbook_event." in fault


def _positions(connection: sqlite3.Connection) -> list[str]:
    [(head, given)] = _rows(connection, sql.head.sql)
    if head <= given:
        return []
    return [f"there is a position {head}, and only those up to {given} were given"]


def _missing(connection: sqlite3.Connection) -> list[str]:
    """The first position of each run of missing positions."""
    expected = 1
    faults: list[str] = []
    for (seq,) in _rows(connection, sql.positions.sql):
        if seq != expected and len(faults) < MOST_FAULTS:
            faults.append(_run(expected, seq - 1))
        expected = seq + 1
    [(_head, given)] = _rows(connection, sql.head.sql)
    return [*faults, _run(expected, given)] if expected <= given else faults


def _run(first: int, last: int) -> str:
    return f"position {first} is missing" if first == last else f"{first} to {last} are missing"


def _rows(connection: sqlite3.Connection, statement: str) -> sqlite3.Cursor:
    """The rows as tuples, whatever row factory a caller's connection has."""
    cursor = connection.cursor()
    cursor.row_factory = None
    return cursor.execute(statement)
