"""The rules of leaderboards: pure functions of their arguments, with no store, log or clock."""

from rankbook.rules.board import Board
from rankbook.rules.boardrules import BoardRules
from rankbook.rules.config import BookSpec, Bundle, BundleRanking, load
from rankbook.rules.door import ValueRule, check_event
from rankbook.rules.folding import Candidate, Fact, Verdict
from rankbook.rules.instants import instant, micros
from rankbook.rules.numbering import ranks
from rankbook.rules.ranking import Ranking
from rankbook.rules.scoring import Measure
from rankbook.rules.standing import Standing
from rankbook.rules.windows import PeriodSpan, Window

__all__ = [
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
    "Standing",
    "ValueRule",
    "Verdict",
    "Window",
    "check_event",
    "instant",
    "load",
    "micros",
    "ranks",
]
