"""The book: where rules, log and store meet."""

from rankbook.book.book import Rankbook, system_clock
from rankbook.book.follower import Followed, Follower, Trouble
from rankbook.book.read.bundles import BundleReading
from rankbook.book.read.view import RankingView
from rankbook.book.submit.retry import submit_with_retry
from rankbook.book.upkeep.doctor import Examination
from rankbook.book.upkeep.verify import Disagreement, Verification

__all__ = [
    "BundleReading",
    "Disagreement",
    "Examination",
    "Followed",
    "Follower",
    "Rankbook",
    "RankingView",
    "Trouble",
    "Verification",
    "submit_with_retry",
    "system_clock",
]
