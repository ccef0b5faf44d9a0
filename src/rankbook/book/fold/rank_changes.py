"""Ranks before and after a step, under any numbering and size, from counts before the step.

If ties share a rank and the ranking has no size, `ranks.py` has a shorter way to the same ranks.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from rankbook.book.fold.step import StepState
from rankbook.rules import BoardRules
from rankbook.store.base import RankingId, after_prefix

Rank = int | None
Ranks = tuple[Rank, Rank]
_Bound = Callable[[bytes, bytes], bytes]


class RankChanges(NamedTuple):
    """How a step changes one ranking: member -> key before it, and after it."""

    rules: BoardRules
    ranking: RankingId
    before: dict[bytes, bytes]
    after: dict[bytes, bytes]


def changes_of(step: StepState, rules: BoardRules, id: RankingId) -> RankChanges:
    """What the step has done to a ranking."""
    before, after = step.entries(id)
    return RankChanges(
        rules,
        id,
        {member: entry.key for member, entry in before.items() if entry is not None},
        {member: entry.key for member, entry in after.items() if entry is not None},
    )


def bounds_of(changes: RankChanges) -> tuple[bytes, ...]:
    """The bounds before which entries of the stored ranking must be counted."""
    numbering, group = changes.rules.board.numbering, changes.ranking.group_bytes
    pairs = [*changes.before.items(), *changes.after.items()]
    items = {key + member for member, key in pairs}
    if numbering == "ordinal":
        return tuple(sorted(items))
    prefixes = {key[:group] for _member, key in pairs}
    if numbering == "dense":
        prefixes |= {after_prefix(prefix) for prefix in prefixes}
    if changes.rules.board.size is not None:
        prefixes |= items
    return tuple(sorted(prefixes))


def ranks_of(changes: RankChanges, counts: Mapping[bytes, tuple[int, int]]) -> dict[bytes, Ranks]:
    """The ranks (before, after) of each member, from (entries, groups) before each bound."""
    return _capped(changes, counts, _ranks(changes, counts))


def _ranks(changes: RankChanges, counts: Mapping[bytes, tuple[int, int]]) -> dict[bytes, Ranks]:
    group = changes.ranking.group_bytes
    gone = [(m, k) for m, k in changes.before.items() if changes.after.get(m) != k]
    come = [(m, k) for m, k in changes.after.items() if changes.before.get(m) != k]
    if changes.rules.board.numbering == "dense":
        births, deaths = _groups(gone, come, counts, group)
        return _numbered(changes, lambda m, k: k[:group], counts, 1, deaths, births)
    if changes.rules.board.numbering == "ordinal":
        return _places(changes, counts)
    taken, given = (sorted(k[:group] for _m, k in pairs) for pairs in (gone, come))
    return _numbered(changes, lambda m, k: k[:group], counts, 0, taken, given)


def _capped(
    changes: RankChanges, counts: Mapping[bytes, tuple[int, int]], ranks: dict[bytes, Ranks]
) -> dict[bytes, Ranks]:
    """The ranks, without those of entries beyond the board's size."""
    size = changes.rules.board.size
    if size is None:
        return ranks
    places = _places(changes, counts)
    return {
        member: (
            was if (places[member][0] or size + 1) <= size else None,
            now if (places[member][1] or size + 1) <= size else None,
        )
        for member, (was, now) in ranks.items()
    }


def _places(changes: RankChanges, counts: Mapping[bytes, tuple[int, int]]) -> dict[bytes, Ranks]:
    """The ordinal places."""
    gone = sorted(k + m for m, k in changes.before.items() if changes.after.get(m) != k)
    come = sorted(k + m for m, k in changes.after.items() if changes.before.get(m) != k)
    return _numbered(changes, lambda m, k: k + m, counts, 0, gone, come)


def _numbered(
    changes: RankChanges,
    bound_of: _Bound,
    counts: Mapping[bytes, tuple[int, int]],
    column: int,
    taken: Sequence[bytes],
    given: Sequence[bytes],
) -> dict[bytes, Ranks]:
    """`taken` and `given`, ascending, are what the step subtracts from a count and adds to it.

    Members of one bound share a rank, so it is counted once.
    """
    before = {member: bound_of(member, key) for member, key in changes.before.items()}
    after = {member: bound_of(member, key) for member, key in changes.after.items()}
    was: dict[bytes | None, Rank] = {None: None}
    now: dict[bytes | None, Rank] = {None: None}
    for bound in set(before.values()):
        was[bound] = counts[bound][column] + 1
    for bound in set(after.values()):
        change = bisect_left(given, bound) - bisect_left(taken, bound)
        now[bound] = counts[bound][column] + 1 + change
    return {
        member: (was[before.get(member)], now[after.get(member)])
        for member in before.keys() | after.keys()
    }


def _groups(
    gone: Iterable[tuple[bytes, bytes]],
    come: Iterable[tuple[bytes, bytes]],
    counts: Mapping[bytes, tuple[int, int]],
    group: int,
) -> tuple[list[bytes], list[bytes]]:
    """The groups that the step creates, and those that it empties, ascending."""
    change: dict[bytes, int] = {}
    for pairs, sign in ((gone, -1), (come, 1)):
        for _member, key in pairs:
            change[key[:group]] = change.get(key[:group], 0) + sign
    births: list[bytes] = []
    deaths: list[bytes] = []
    for prefix in sorted(change):
        size = counts[after_prefix(prefix)][0] - counts[prefix][0]
        if size == 0 and change[prefix] > 0:
            births.append(prefix)
        elif size > 0 and size + change[prefix] == 0:
            deaths.append(prefix)
    return births, deaths
