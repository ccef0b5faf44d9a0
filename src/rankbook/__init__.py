"""Rankbook: leaderboards that are true.

`Rankbook.open(directory)` opens a book; `submit` records an event and ranks it; `ranking(...)` and
`bundle(...)` read standings; `verify` holds every ranking against the log.
"""

from rankbook.book import (
    BundleReading,
    Disagreement,
    Examination,
    Rankbook,
    RankingView,
    Verification,
)
from rankbook.errors import (
    BookError,
    Corrupt,
    EventConflict,
    LogError,
    NotFound,
    RankbookError,
    RebuildNeeded,
    Refused,
    SpecError,
    StoreError,
)
from rankbook.model import Entry, Event, Period, Placement, Receipt, Standings
from rankbook.rules import Board, BookSpec, Bundle, BundleRanking, Measure, ValueRule
from rankbook.store.memory import MemoryStore

__all__ = [
    "Board",
    "BookError",
    "BookSpec",
    "Bundle",
    "BundleRanking",
    "BundleReading",
    "Corrupt",
    "Disagreement",
    "Entry",
    "Event",
    "EventConflict",
    "Examination",
    "LogError",
    "Measure",
    "MemoryStore",
    "NotFound",
    "Period",
    "Placement",
    "Rankbook",
    "RankbookError",
    "RankingView",
    "RebuildNeeded",
    "Receipt",
    "Refused",
    "SpecError",
    "Standings",
    "StoreError",
    "ValueRule",
    "Verification",
]
