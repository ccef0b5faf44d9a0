"""The book: where rules, log and store meet."""

from rankbook.book.book import Rankbook, system_clock
from rankbook.book.bundles import BundleReading
from rankbook.book.doctor import Examination
from rankbook.book.following import Followed, Follower, Trouble
from rankbook.book.reading import RankingView
from rankbook.book.reconcile import Disagreement, Verification
from rankbook.book.surely import submit_surely

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
    "submit_surely",
    "system_clock",
]
