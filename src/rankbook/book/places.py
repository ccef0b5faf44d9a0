"""Ranks for receipts: where entries stand before a step, and where they will stand after it.

They are known before the step is published: a publish holds only if nothing moved, so the ranks
after it are those before it, less what the step takes away and plus what it puts in.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from rankbook.book.deciding import Outcome
from rankbook.book.measuring import Result
from rankbook.book.working import Working
from rankbook.rules import BoardRules
from rankbook.store.base import CountBefore, Counts, Query, RankingId

Rank = int | None
Ranks = tuple[Rank, Rank]
Bound = bytes | None
_Bound = Callable[[bytes, bytes], bytes]


class _Moves(NamedTuple):
    """What a step does to one ranking: member -> key before it, and after it."""

    rules: BoardRules
    ranking: RankingId
    before: dict[bytes, bytes]
    after: dict[bytes, bytes]


def none(outcomes: Iterable[Sequence[Outcome]]) -> list[list[Ranks]]:
    """No ranks: (None, None) for every outcome."""
    return [[(None, None)] * len(each) for each in outcomes]


def predict(working: Working, outcomes: Sequence[Sequence[Outcome]]) -> list[list[Ranks]]:
    """The 1-based ranks (before the step, after it) of every outcome's entry, from one read.

    Raises `PositionMoved` when the store has moved on.
    """
    if not any(outcomes):
        return none(outcomes)
    if len(outcomes) == 1 and all(is_simple(each.rules) for each in outcomes[0]):
        return [_alone(working, outcomes[0])]
    moves: dict[str, _Moves] = {}
    for each in outcomes:
        for outcome in each:
            name = outcome.id.name
            if name not in moves:
                moves[name] = _moves(working, outcome.rules, outcome.id)
    bounds = {name: _bounds(move) for name, move in moves.items()}
    queries: list[Query] = [
        CountBefore(move.ranking, bounds[name], move.rules.board.numbering == "dense")
        for name, move in moves.items()
    ]
    reading = working.read(queries)
    ranks: dict[str, dict[bytes, Ranks]] = {}
    for (name, move), answer in zip(moves.items(), reading.answers, strict=True):
        if isinstance(answer, Counts):
            counts = dict(zip(bounds[name], answer.before, strict=True))
            ranks[name] = _capped(move, counts, _ranks(move, counts))
    nowhere = (None, None)
    return [[ranks[o.id.name].get(o.member, nowhere) for o in each] for each in outcomes]


def is_simple(rules: BoardRules) -> bool:
    """Whether a rank on the board is one count: 1 + how many stand before the entry's group."""
    return rules.board.numbering == "competition" and rules.board.size is None


def load(working: Working, result: Result) -> None:
    """Load what deciding about the only result of a step wants, with the counts that its ranks will
    take if each entry stays or becomes the candidate."""
    working.load_counted(
        [
            (id, touched.candidate.group)
            for touched in result.touched
            for _ranking, id in touched.rankings
        ]
    )


def _alone(working: Working, outcomes: Sequence[Outcome]) -> list[Ranks]:
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
    working: Working, outcomes: Sequence[Outcome], pairs: Sequence[tuple[Bound, Bound]]
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


def _moves(working: Working, rules: BoardRules, id: RankingId) -> _Moves:
    before, after = working.moves(id)
    return _Moves(
        rules,
        id,
        {member: entry.key for member, entry in before.items() if entry is not None},
        {member: entry.key for member, entry in after.items() if entry is not None},
    )


def _bounds(move: _Moves) -> tuple[bytes, ...]:
    """What must be counted in the ranking as it is."""
    numbering, group = move.rules.board.numbering, move.ranking.group_bytes
    pairs = [*move.before.items(), *move.after.items()]
    items = {key + member for member, key in pairs}
    if numbering == "ordinal":
        return tuple(sorted(items))
    prefixes = {key[:group] for _member, key in pairs}
    if numbering == "dense":
        prefixes |= {_after(prefix) for prefix in prefixes}
    if move.rules.board.size is not None:
        prefixes |= items
    return tuple(sorted(prefixes))


def _after(prefix: bytes) -> bytes:
    """The first bytes above everything that begins with `prefix`."""
    number = int.from_bytes(prefix, "big") + 1
    if number >> (8 * len(prefix)):
        return b"\xff" * (len(prefix) + 1)
    return number.to_bytes(len(prefix), "big")


def _ranks(move: _Moves, counts: Mapping[bytes, tuple[int, int]]) -> dict[bytes, Ranks]:
    group = move.ranking.group_bytes
    gone = [(m, k) for m, k in move.before.items() if move.after.get(m) != k]
    come = [(m, k) for m, k in move.after.items() if move.before.get(m) != k]
    if move.rules.board.numbering == "dense":
        births, deaths = _groups(gone, come, counts, group)
        return _numbered(move, lambda m, k: k[:group], counts, 1, deaths, births)
    if move.rules.board.numbering == "ordinal":
        return _places(move, counts)
    taken, given = (sorted(k[:group] for _m, k in pairs) for pairs in (gone, come))
    return _numbered(move, lambda m, k: k[:group], counts, 0, taken, given)


def _capped(
    move: _Moves, counts: Mapping[bytes, tuple[int, int]], ranks: dict[bytes, Ranks]
) -> dict[bytes, Ranks]:
    """Without the ranks of entries that stand beyond the board's size."""
    size = move.rules.board.size
    if size is None:
        return ranks
    places = _places(move, counts)
    return {
        member: (
            was if (places[member][0] or size + 1) <= size else None,
            now if (places[member][1] or size + 1) <= size else None,
        )
        for member, (was, now) in ranks.items()
    }


def _places(move: _Moves, counts: Mapping[bytes, tuple[int, int]]) -> dict[bytes, Ranks]:
    """The ordinal places."""
    gone = sorted(k + m for m, k in move.before.items() if move.after.get(m) != k)
    come = sorted(k + m for m, k in move.after.items() if move.before.get(m) != k)
    return _numbered(move, lambda m, k: k + m, counts, 0, gone, come)


def _numbered(
    move: _Moves,
    bound_of: _Bound,
    counts: Mapping[bytes, tuple[int, int]],
    column: int,
    taken: Sequence[bytes],
    given: Sequence[bytes],
) -> dict[bytes, Ranks]:
    """`taken` and `given`, ascending, are what the step subtracts from a count and adds to it.

    Members of one bound have one rank: it is counted once.
    """
    before = {member: bound_of(member, key) for member, key in move.before.items()}
    after = {member: bound_of(member, key) for member, key in move.after.items()}
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
    """The groups that the step brings into being, and those it empties, ascending."""
    change: dict[bytes, int] = {}
    for pairs, sign in ((gone, -1), (come, 1)):
        for _member, key in pairs:
            change[key[:group]] = change.get(key[:group], 0) + sign
    births: list[bytes] = []
    deaths: list[bytes] = []
    for prefix in sorted(change):
        size = counts[_after(prefix)][0] - counts[prefix][0]
        if size == 0 and change[prefix] > 0:
            births.append(prefix)
        elif size > 0 and size + change[prefix] == 0:
            deaths.append(prefix)
    return births, deaths
