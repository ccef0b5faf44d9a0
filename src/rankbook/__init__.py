"""Rankbook: leaderboards that are true.

`Rankbook.open(directory)` opens a book; `submit` records an event and ranks it; `ranking(...)` and
`bundle(...)` read standings; `verify` holds every ranking against the log.
"""

from rankbook.book import (
    BundleReading,
    Disagreement,
    Examination,
    Followed,
    Follower,
    Rankbook,
    RankingView,
    Trouble,
    Verification,
    submit_with_retry,
)
from rankbook.errors import (
    BookError,
    ConfigError,
    Corrupt,
    EventConflict,
    LogError,
    NotFound,
    RankbookError,
    RebuildNeeded,
    Refused,
    SpecError,
    StoreDown,
    StoreError,
)
from rankbook.model import (
    Bin,
    Closing,
    Entry,
    Event,
    EventOutcome,
    Friend,
    Friends,
    Lag,
    Period,
    PeriodSummary,
    Placement,
    PlayerPeriod,
    PlayerStanding,
    Receipt,
    SetAside,
    Standings,
)
from rankbook.rules import Board, BookSpec, Bundle, BundleRanking, Measure, Season, ValueRule
from rankbook.store.embedded import PlainKernelWarning
from rankbook.store.embedded import warn_if_plain as _warn_if_plain
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
    "ConfigError",
    "Corrupt",
    "Disagreement",
    "Entry",
    "Event",
    "EventConflict",
    "EventOutcome",
    "Examination",
    "Followed",
    "Follower",
    "Friend",
    "Friends",
    "Lag",
    "LogError",
    "Measure",
    "MemoryStore",
    "NotFound",
    "Period",
    "PeriodSummary",
    "Placement",
    "PlainKernelWarning",
    "PlayerPeriod",
    "PlayerStanding",
    "Rankbook",
    "RankbookError",
    "RankingView",
    "RebuildNeeded",
    "Receipt",
    "Refused",
    "Season",
    "SetAside",
    "SpecError",
    "Standings",
    "StoreDown",
    "StoreError",
    "Trouble",
    "ValueRule",
    "Verification",
    "submit_with_retry",
]

_warn_if_plain()
