"""Ranks for receipts: where entries stand before a step, and where they will stand after it.

They are computed before the step is published. A publish holds only if nothing has moved. So the
ranks after it are those before it, minus what the step removes, plus what it adds.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from rankbook.book.fold.apply import Outcome
from rankbook.book.fold.rank_changes import (
    Rank,
    RankChanges,
    Ranks,
    bounds_of,
    changes_of,
    ranks_of,
)
from rankbook.book.fold.step import StepState
from rankbook.book.measure import MeasuredResult
from rankbook.rules import BoardRules
from rankbook.store.base import CountBefore, Counts, Query, RankingId

Bound = bytes | None
BoundCounts = Mapping[bytes, tuple[int, int]]

NOWHERE: Ranks = (None, None)


def no_ranks(outcomes: Iterable[Sequence[Outcome]]) -> list[list[Ranks]]:
    """No ranks: (None, None) for every outcome."""
    return [[NOWHERE] * len(each) for each in outcomes]


def predict_ranks(step: StepState, outcomes: Sequence[Sequence[Outcome]]) -> list[list[Ranks]]:
    """The 1-based ranks (before the step, after it) of every outcome's entry, from one read.

    Counts that the step has loaded are not read again. Raises `PositionMoved` if the store has
    moved on.
    """
    rankings: dict[str, _SharedRanks | _AnyRanks] = {}
    for each in outcomes:
        for outcome in each:
            if outcome.id.name not in rankings:
                kind = _SharedRanks if has_shared_ranks(outcome.rules) else _AnyRanks
                rankings[outcome.id.name] = kind(step, outcome.rules, outcome.id)
    counts = _count(step, rankings)
    ranks = {name: each.ranks(counts[name]) for name, each in rankings.items()}
    return [[ranks[o.id.name].get(o.member, NOWHERE) for o in each] for each in outcomes]


def has_shared_ranks(rules: BoardRules) -> bool:
    """Whether one count gives a rank on the board: 1 + the entries before the entry's group."""
    return rules.board.numbering == "competition" and rules.board.size is None


def load_with_counts(step: StepState, result: MeasuredResult) -> None:
    """Load the entries that a step of this single result reads, and the counts for its ranks, in
    one call.

    These counts suffice if each entry either stays or becomes the candidate.
    """
    step.load_counted(
        [
            (id, touched.candidate.group)
            for touched in result.touched
            for _ranking, id in touched.rankings
        ]
    )


def _count(
    step: StepState, rankings: Mapping[str, "_SharedRanks | _AnyRanks"]
) -> dict[str, dict[bytes, tuple[int, int]]]:
    """(entries, groups) before the bounds of each ranking. Asks the store for those not loaded."""
    counts: dict[str, dict[bytes, tuple[int, int]]] = {}
    queries: list[Query] = []
    for name, each in rankings.items():
        known = step.counts(each.query.ranking)
        if known and all(bound in known for bound in each.query.bounds):
            counts[name] = {bound: (known[bound], 0) for bound in each.query.bounds}
        elif each.query.bounds:
            queries.append(each.query)
        else:
            counts[name] = {}
    if queries:
        for query, answer in zip(queries, step.read(queries).answers, strict=True):
            if isinstance(query, CountBefore) and isinstance(answer, Counts):
                found = dict(zip(query.bounds, answer.before, strict=True))
                counts[query.ranking.name] = found
    return counts


class _AnyRanks:
    """How a step changes the ranks of a ranking, under any numbering and size."""

    def __init__(self, step: StepState, rules: BoardRules, id: RankingId) -> None:
        self._changes: RankChanges = changes_of(step, rules, id)
        self.query = CountBefore(id, bounds_of(self._changes), rules.board.numbering == "dense")

    def ranks(self, counts: BoundCounts) -> Mapping[bytes, Ranks]:
        """The ranks of each member, from (entries, groups) before each bound of the query."""
        return ranks_of(self._changes, counts)


class _SharedRanks:
    """How a step changes the ranks of a ranking in which ties share one: one pass over its
    entries."""

    def __init__(self, step: StepState, _rules: BoardRules, id: RankingId) -> None:
        before, after = step.entries(id)
        width = id.group_bytes
        self._groups: dict[bytes, tuple[Bound, Bound]] = {}
        self._taken: list[bytes] = []
        self._given: list[bytes] = []
        for member, old in before.items():
            new = after[member]
            was = None if old is None else old.key[:width]
            if new is old:
                self._groups[member] = was, was
                continue
            now = None if new is None else new.key[:width]
            self._groups[member] = was, now
            if was != now:
                if was is not None:
                    self._taken.append(was)
                if now is not None:
                    self._given.append(now)
        self._taken.sort()
        self._given.sort()
        named = {group for pair in self._groups.values() for group in pair if group is not None}
        self.query = CountBefore(id, tuple(sorted(named)), False)

    def ranks(self, counts: BoundCounts) -> Mapping[bytes, Ranks]:
        """The ranks of each member, from the entries before each group."""
        was: dict[Bound, Rank] = {None: None}
        now: dict[Bound, Rank] = {None: None}
        for group, (entries, _groups) in counts.items():
            was[group] = entries + 1
            change = bisect_left(self._given, group) - bisect_left(self._taken, group)
            now[group] = entries + 1 + change
        return {member: (was[old], now[new]) for member, (old, new) in self._groups.items()}
