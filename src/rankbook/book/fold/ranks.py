"""Ranks for receipts: where entries stand before a step, and where they will stand after it.

They are known before the step is published: a publish holds only if nothing moved, so the ranks
after it are those before it, less what the step takes away and plus what it puts in.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from rankbook.book.fold.apply import Outcome
from rankbook.book.fold.renumbering import Rank, RankChanges, Ranks, bounds_of, moves, ranks_of
from rankbook.book.fold.step import StepState
from rankbook.book.measure import MeasuredResult
from rankbook.rules import BoardRules
from rankbook.store.base import CountBefore, Counts, Query, RankingId

Bound = bytes | None


def no_ranks(outcomes: Iterable[Sequence[Outcome]]) -> list[list[Ranks]]:
    """No ranks: (None, None) for every outcome."""
    return [[(None, None)] * len(each) for each in outcomes]


def predict_ranks(working: StepState, outcomes: Sequence[Sequence[Outcome]]) -> list[list[Ranks]]:
    """The 1-based ranks (before the step, after it) of every outcome's entry, from one read.

    Raises `PositionMoved` when the store has moved on.
    """
    if not any(outcomes):
        return no_ranks(outcomes)
    if len(outcomes) == 1 and all(is_simple(each.rules) for each in outcomes[0]):
        return [_alone(working, outcomes[0])]
    steps: dict[str, _Shared | _Any] = {}
    for each in outcomes:
        for outcome in each:
            if outcome.id.name not in steps:
                kind = _Shared if is_simple(outcome.rules) else _Any
                steps[outcome.id.name] = kind(working, outcome.rules, outcome.id)
    queries: list[Query] = [step.query for step in steps.values()]
    ranks: dict[str, Mapping[bytes, Ranks]] = {}
    for (name, step), answer in zip(steps.items(), working.read(queries).answers, strict=True):
        before = answer.before if isinstance(answer, Counts) else []
        ranks[name] = step.ranks(dict(zip(step.query.bounds, before, strict=True)))
    nowhere = (None, None)
    return [[ranks[o.id.name].get(o.member, nowhere) for o in each] for each in outcomes]


class _Any:
    """What a step does to a ranking of any numbering and size."""

    def __init__(self, working: StepState, rules: BoardRules, id: RankingId) -> None:
        self._move: RankChanges = moves(working, rules, id)
        self.query = CountBefore(id, bounds_of(self._move), rules.board.numbering == "dense")

    def ranks(self, counts: Mapping[bytes, tuple[int, int]]) -> Mapping[bytes, Ranks]:
        """The ranks of each member, from (entries, groups) before each bound of the query."""
        return ranks_of(self._move, counts)


class _Shared:
    """What a step does to a ranking whose ranks are shared: in one pass over its entries."""

    def __init__(self, working: StepState, _rules: BoardRules, id: RankingId) -> None:
        before, after = working.moves(id)
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

    def ranks(self, counts: Mapping[bytes, tuple[int, int]]) -> Mapping[bytes, Ranks]:
        """The ranks of each member, from the entries before each group."""
        was: dict[Bound, Rank] = {None: None}
        now: dict[Bound, Rank] = {None: None}
        for group, (entries, _groups) in counts.items():
            was[group] = entries + 1
            change = bisect_left(self._given, group) - bisect_left(self._taken, group)
            now[group] = entries + 1 + change
        return {member: (was[old], now[new]) for member, (old, new) in self._groups.items()}


def is_simple(rules: BoardRules) -> bool:
    """Whether a rank on the board is one count: 1 + how many stand before the entry's group."""
    return rules.board.numbering == "competition" and rules.board.size is None


def load_counted(working: StepState, result: MeasuredResult) -> None:
    """Load what deciding about the only result of a step wants, with the counts that its ranks will
    take if each entry stays or becomes the candidate."""
    working.load_counted(
        [
            (id, touched.candidate.group)
            for touched in result.touched
            for _ranking, id in touched.rankings
        ]
    )


def _alone(working: StepState, outcomes: Sequence[Outcome]) -> list[Ranks]:
    """The shared ranks of the only event of a step: nobody else moves.

    An event does not touch a ranking twice.
    """
    pairs = [(_group(each, each.before), _group(each, each.after)) for each in outcomes]
    counts = _counts(working, outcomes, pairs)
    ranks: list[Ranks] = []
    for each, (old, new) in zip(outcomes, pairs, strict=True):
        was = None if old is None else counts[each.id.name, old] + 1
        now = None if new is None else counts[each.id.name, new] + 1
        if now is not None and old is not None and new is not None and old < new:
            now -= 1  # the entry itself was counted before its new place
        ranks.append((was, now))
    return ranks


def _counts(
    working: StepState, outcomes: Sequence[Outcome], pairs: Sequence[tuple[Bound, Bound]]
) -> dict[tuple[str, bytes], int]:
    """How many entries stand before each bound, by name of ranking; asked where not known."""
    counts: dict[tuple[str, bytes], int] = {}
    queries: list[CountBefore] = []
    for each, pair in zip(outcomes, pairs, strict=True):
        bounds = [bound for bound in dict.fromkeys(pair) if bound is not None]
        known = [working.count(each.id, bound) for bound in bounds]
        if None in known:
            queries.append(CountBefore(each.id, tuple(bounds), False))
        for bound, count in zip(bounds, known, strict=True):
            counts[each.id.name, bound] = count or 0
    if queries:
        for query, answer in zip(queries, working.read([*queries]).answers, strict=True):
            before = answer.before if isinstance(answer, Counts) else []
            for bound, (count, _groups) in zip(query.bounds, before, strict=True):
                counts[query.ranking.name, bound] = count
    return counts


def _group(outcome: Outcome, key: bytes | None) -> bytes | None:
    return None if key is None else key[: outcome.id.group_bytes]
