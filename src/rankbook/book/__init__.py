"""The book: where rules, log and store meet."""

from rankbook.book.book import Rankbook
from rankbook.book.clock import Clock, system_clock
from rankbook.book.directory import FILE, read_spec
from rankbook.book.events import content_of
from rankbook.book.follower import Followed, Follower, Trouble
from rankbook.book.read.bundles import BundleReading
from rankbook.book.read.freshness import Freshness
from rankbook.book.read.limits import MAX_LIMIT
from rankbook.book.read.reader import Reader
from rankbook.book.read.scores import MAX_BINS
from rankbook.book.read.view import AROUND, TOP, RankingView
from rankbook.book.state import period_name
from rankbook.book.submit.retry import submit_with_retry
from rankbook.book.upkeep.backup import restore
from rankbook.book.upkeep.compare import Disagreement, Verification
from rankbook.book.upkeep.doctor import Examination
from rankbook.book.upkeep.log_check import LogVerification, verify_log

__all__ = [
    "AROUND",
    "FILE",
    "MAX_BINS",
    "MAX_LIMIT",
    "TOP",
    "BundleReading",
    "Clock",
    "Disagreement",
    "Examination",
    "Followed",
    "Follower",
    "Freshness",
    "LogVerification",
    "Rankbook",
    "RankingView",
    "Reader",
    "Trouble",
    "Verification",
    "content_of",
    "period_name",
    "read_spec",
    "restore",
    "submit_with_retry",
    "system_clock",
    "verify_log",
]
