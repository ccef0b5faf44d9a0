"""Freshness: whether an earlier answer may still be shown. Both caches decide by it.

An answer lasts until one of its periods begins, ends or closes. Until then there are three cases:

- A store that counts its writes says, at almost no cost, that there were none.
- The versions of rankings say which of them a fold has changed.
- A repair changes rankings but not their versions. The number of writes tells it from a fold. If
  the store does not count writes, the whole answer is read again after a second.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from rankbook.book import state
from rankbook.book.read.view import RankingView
from rankbook.store.base import ByPosition, Counted, Reads

TRUSTED_US = 1_000_000


class Versions(NamedTuple):
    """The versions of the rankings that an answer shows, and of what seals periods.

    The version of a ranking is the log position of the last step that changed it.
    """

    shown: tuple[int, ...] = ()
    seals: tuple[int, ...] = ()


class Freshness:
    """What store and clock said just before an answer was read whole, and the versions read
    since."""

    def __init__(
        self,
        store: Reads,
        views: Sequence[RankingView],
        now_us: int,
        max_age_seconds: float = math.inf,
    ) -> None:
        """`views` are the rankings of the answer. Make it before you read them."""
        self._store = store
        self._views = views
        self._counted = store if isinstance(store, Counted) else None
        self.writes = self.count_writes()
        self.position = 0
        self.versions = Versions()
        self.read_us = now_us
        self.until_us = min(
            [now_us + max_age_seconds * 1e6, *[boundary_us(view, now_us) for view in views]]
        )

    @property
    def counts(self) -> bool:
        """Whether the store counts its writes."""
        return self._counted is not None

    def count_writes(self) -> int | None:
        """How often the store has been written to. None if it does not count."""
        return None if self._counted is None else self._counted.writes()

    def lasts(self, now_us: int) -> bool:
        """Whether the clock is before the end, and has not been set back before the beginning."""
        return self.read_us <= now_us < self.until_us

    def may_miss_repair(self, now_us: int, writes: int | None, folds: int | None = None) -> bool:
        """Whether the `writes` until now may include something other than folds, such as a repair.

        `folds` is how many of the writes since are known to be folds.
        """
        if writes is None or self.writes is None or folds is None:
            return now_us >= self.read_us + TRUSTED_US
        return writes != self.writes + folds

    def read_versions(self) -> Versions:
        """Note the current versions of the rankings. Read them before you read the rankings."""
        if self._views:
            self.position, self.versions = self._ask()
        return self.versions

    def holds(self, now_us: int, *, whole: bool = False) -> bool:
        """Whether the answer is still right: the versions of all its rankings are the same.

        With `whole` the answer shows parts of the whole store, so any write may have changed it.
        """
        if not self.lasts(now_us):
            return False
        writes = self.count_writes()
        if writes is not None and writes == self.writes:
            return True
        if self.may_miss_repair(now_us, writes) or whole:
            return False
        if self._views:
            position, versions = self._ask()
            repaired = self.counts and position == self.position
            if versions != self.versions or repaired:
                return False
            self.position = position
        self.writes = writes
        return True

    def _ask(self) -> tuple[int, Versions]:
        """The position and the versions, from one snapshot."""
        shown = [view.id for view in self._views]
        if any(view.beside is not None for view in self._views):
            shown.append(state.PROFILES)
        seals = [state.SEALS] if any(view.rules.board.seal for view in self._views) else []
        reading = self._store.read([ByPosition(id, 0, 0) for id in [*shown, *seals]])
        found = tuple([answer.version for answer in reading.answers])
        return reading.position, Versions(found[: len(shown)], found[len(shown) :])


def boundary_us(view: RankingView, now_us: int) -> float:
    """When a view next enters another period, or its period closes. Infinity for never."""
    span, rules = view.span, view.rules
    following = rules.window(view.ranking.window).next(span)
    instants = [
        span.start_us,
        span.end_us,
        rules.closes_at(span) if rules.board.seal else None,
        None if following is None else following.start_us,
    ]
    return min([each for each in instants if each is not None and each > now_us], default=math.inf)
