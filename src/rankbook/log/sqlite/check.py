"""Looking for damage in a SQLite log: what the file's own structure gives away."""

import sqlite3

from rankbook.errors import Corrupt

MOST_FAULTS = 100


def quick_faults(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with its pages, such as rows out of order. O(file)."""
    cursor = connection.cursor()
    cursor.row_factory = None
    found = [str(row[0]) for row in cursor.execute(f"PRAGMA quick_check({MOST_FAULTS})")]
    return [] if found == ["ok"] else found


class Gaps:
    """Whether positions that are missing were deleted by somebody, or are lost to damage.

    A log gives its positions without a gap, so one is a reason to check the file, once.
    """

    def __init__(self) -> None:
        self._explained = False

    def explain(self, connection: sqlite3.Connection, missing: int) -> None:
        """Raises `Corrupt` where the file is damaged; `missing` is the position that lacks."""
        if self._explained:
            return
        faults = quick_faults(connection)
        if faults:
            raise Corrupt(f"the log lacks position {missing}: {faults[0]}")
        self._explained = True
