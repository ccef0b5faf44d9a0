"""The book: where rules, log and store meet."""

from rankbook.book.book import Rankbook, system_clock
from rankbook.book.bundles import BundleReading
from rankbook.book.doctor import Examination
from rankbook.book.reading import RankingView
from rankbook.book.reconcile import Disagreement, Verification

__all__ = [
    "BundleReading",
    "Disagreement",
    "Examination",
    "Rankbook",
    "RankingView",
    "Verification",
    "system_clock",
]
