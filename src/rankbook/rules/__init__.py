"""The rules of leaderboards: pure functions of their arguments, with no store, log or clock."""

from rankbook.rules.arrivals import ABOUT_A_RESULT, WITHOUT_PLAYER, as_event
from rankbook.rules.board import Board
from rankbook.rules.boardrules import BoardRules
from rankbook.rules.book import BookSpec, Bundle, BundleRanking, load
from rankbook.rules.entry import StoredEntry
from rankbook.rules.folding import CHANGED, WHYS, Candidate, Fact, Verdict, Why
from rankbook.rules.instants import instant, micros, parse_instant
from rankbook.rules.limits import ValueRule, check_event
from rankbook.rules.numbering import ranks
from rankbook.rules.numbers import canonical_number, read_fraction, read_number
from rankbook.rules.options import micros_of
from rankbook.rules.periods import ALL_TIME, PeriodSpan, Window, closes_at, current, is_closed
from rankbook.rules.ranking import Ranking
from rankbook.rules.scoring import Measure
from rankbook.rules.seasons import Season
from rankbook.rules.specs import shaped, unknown_key
from rankbook.rules.wire import read_json, read_times

__all__ = [
    "ABOUT_A_RESULT",
    "ALL_TIME",
    "CHANGED",
    "WHYS",
    "WITHOUT_PLAYER",
    "Board",
    "BoardRules",
    "BookSpec",
    "Bundle",
    "BundleRanking",
    "Candidate",
    "Fact",
    "Measure",
    "PeriodSpan",
    "Ranking",
    "Season",
    "StoredEntry",
    "ValueRule",
    "Verdict",
    "Why",
    "Window",
    "as_event",
    "canonical_number",
    "check_event",
    "closes_at",
    "current",
    "instant",
    "is_closed",
    "load",
    "micros",
    "micros_of",
    "parse_instant",
    "ranks",
    "read_fraction",
    "read_json",
    "read_number",
    "read_times",
    "shaped",
    "unknown_key",
]
