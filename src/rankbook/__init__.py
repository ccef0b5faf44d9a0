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
from rankbook.model import (
    Bin,
    Closing,
    Entry,
    Event,
    Friend,
    Friends,
    Period,
    PeriodSummary,
    Placement,
    PlayerPeriod,
    Receipt,
    Standings,
)
from rankbook.rules import Board, BookSpec, Bundle, BundleRanking, Measure, Season, ValueRule
from rankbook.store.memory import MemoryStore

__all__ = [
    "Bin",
    "Board",
    "BookError",
    "BookSpec",
    "Bundle",
    "BundleRanking",
    "BundleReading",
    "Closing",
    "Corrupt",
    "Disagreement",
    "Entry",
    "Event",
    "EventConflict",
    "Examination",
    "Friend",
    "Friends",
    "LogError",
    "Measure",
    "MemoryStore",
    "NotFound",
    "Period",
    "PeriodSummary",
    "Placement",
    "PlayerPeriod",
    "Rankbook",
    "RankbookError",
    "RankingView",
    "RebuildNeeded",
    "Receipt",
    "Refused",
    "Season",
    "SpecError",
    "Standings",
    "StoreError",
    "ValueRule",
    "Verification",
]
