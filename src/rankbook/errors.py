"""Every error that Rankbook raises, as one tree.

    RankbookError
    |-- SpecError            a board, bundle or book specification is wrong (names the field)
    |-- ConfigError          the calling program is wrong: a connection, a query, a missing id
    |-- Refused              an event breaks a rule of the book; nothing was recorded
    |-- EventConflict        the id is known with other content; nothing was recorded
    |-- NotFound             no such board, window, period, tag, bundle or player; says what exists
    |-- BookError            the directory is no book, is newer than this program, or is read-only
    |   `-- RebuildNeeded    the stored rankings were made under another specification
    |-- LogError             the log cannot be used now (down, full, locked)
    `-- StoreError           the store cannot be used now (down, full, locked)
        |-- StoreDown        it cannot be reached or does not serve now, and may later
        |-- PositionMoved    another fold published first; read again and retry
        `-- Corrupt          stored bytes break an invariant; `verify` and `rebuild` mend

Each adapter turns its driver's errors into these in one place; faces map the tree once.
"""


class RankbookError(Exception):
    """Base of all errors that Rankbook raises on purpose."""


class SpecError(RankbookError):
    """A specification is wrong. `field` is its path, such as ``board[0].order_by[1]``."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


class ConfigError(RankbookError):
    """The calling program is wrong, whoever's event it was. `field` names its argument.

    Unlike `Refused`, its text is for the programmer and not for players.
    """

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


class Refused(RankbookError):
    """An event was refused before anything was written. `field` is the value's or field's name."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}" if field else reason)
        self.field = field
        self.reason = reason


class EventConflict(RankbookError):
    """An event id is already recorded with other content. Nothing was written."""

    def __init__(self, event_id: str) -> None:
        super().__init__(f"event {event_id!r} is already recorded with other content")
        self.event_id = event_id


class NotFound(RankbookError):
    """A board, window, period, tag, bundle or player that does not exist."""


class BookError(RankbookError):
    """The book cannot be opened: no book there, newer than this program, or read-only."""


class RebuildNeeded(BookError):
    """The stored rankings were made under another specification; rebuild before reading."""


class LogError(RankbookError):
    """The log cannot be used now."""


class StoreError(RankbookError):
    """The store cannot be used now."""


class StoreDown(StoreError):
    """The store cannot be reached, or does not serve now; it may by itself later."""


class PositionMoved(StoreError):
    """A publish expected another position: somebody else published first."""


class Corrupt(StoreError):
    """Stored bytes break an invariant of the format."""
