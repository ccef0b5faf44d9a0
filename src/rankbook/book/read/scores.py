"""Reads by score: a range of scores, percentiles, histograms."""

from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise

import msgspec

from rankbook.book.read.limits import checked
from rankbook.book.read.source import RankingSource
from rankbook.errors import Refused
from rankbook.model import Bin, Number, Standings
from rankbook.store.base import (
    ByPosition,
    CountBefore,
    Counts,
    FromBound,
    Slice,
    after_prefix,
    sliced,
)

MAX_BINS = 1000


def scores(view: RankingSource, low: Number | None, high: Number | None, limit: int) -> Standings:
    """At most `limit` entries with low <= score <= high, in rank order; None is no bound.

    `count` is still that of the whole ranking. Raises `Refused` for a bound that no score can be.
    """
    best, worst = (high, low) if descending(view) else (low, high)
    bound = b"" if best is None else view.rules.score_bound(best)
    found = view.ask(FromBound(view.id, bound, checked(limit), False, view.beside))
    if worst is not None:
        last = view.rules.score_bound(worst)
        rows = [row for row in found.rows if row.key[: len(last)] <= last]
        beside = found.beside[: len(rows)]
        found = msgspec.structs.replace(found, rows=rows, beside=beside)
    return view.standings(found)


def descending(view: RankingSource) -> bool:
    """Whether a higher score is better."""
    return view.rules.board.order_by[0].split()[1] == "desc"


def percentile_of(view: RankingSource, found: Slice) -> float | None:
    """The percentile of the entry in the answer to an entry query; None without one."""
    count = view.capped(found.count)
    if not view.numbers(found):
        return None
    ordinal = view.rules.board.numbering == "ordinal"
    better = found.start if ordinal else found.before
    return 100.0 if count == 1 else 100 * (count - 1 - better) / (count - 1)


def histogram(view: RankingSource, edges: Sequence[Number]) -> list[Bin]:
    """How many scores are below the first edge, between two edges, and from the last edge on.

    Edges ascend; a bin holds its lower edge. O(edges x log n), from one snapshot. Raises `Refused`.
    """
    if not 1 <= len(edges) <= MAX_BINS:
        raise Refused("edges", f"has {len(edges)}; there may be 1 to {MAX_BINS}")
    if any(low >= high for low, high in pairwise(edges)):
        raise Refused("edges", "do not ascend")
    better = _better(view, edges)
    bounds: list[Number | None] = [None, *edges, None]
    return [
        Bin(low=low, high=high, count=max(0, count))
        for low, high, count in zip(bounds, bounds[1:], better, strict=False)
    ]


def _better(view: RankingSource, edges: Sequence[Number]) -> list[int]:
    """The number of entries in each bin between the edges."""
    down = descending(view)
    bounds = [view.rules.score_bound(edge) for edge in edges]
    asked = tuple([after_prefix(bound) for bound in bounds] if down else bounds)
    [answer] = view.store.read([CountBefore(view.id, asked)]).answers
    if not isinstance(answer, Counts):
        raise TypeError("the store answered another question")
    total = view.capped(answer.count)
    cut = [min(before, total) for before, _groups in answer.before]
    below = [total - before for before in cut] if down else cut
    steps = [0, *below, total]
    return [high - low for low, high in pairwise(steps)]


def automatic(view: RankingSource, bins: int) -> list[Bin]:
    """A histogram of `bins` equal steps from the lowest to the highest score. Empty if there are no
    entries.

    It takes several reads, so call it in one snapshot. Raises `Refused` for a wrong number of bins.
    """
    if not 1 <= bins <= MAX_BINS:
        raise Refused("bins", f"is {bins}; there may be 1 to {MAX_BINS}")
    ends = _ends(view)
    if ends is None:
        return []
    low, high = ends
    edges = _edges(low, high, bins)
    if len(edges) < 2:
        return [Bin(low=low, high=high, count=view.count())]
    counted = histogram(view, edges[:-1])[1:]
    return [
        Bin(low=each.low, high=upper, count=each.count)
        for each, upper in zip(counted, edges[1:], strict=True)
    ]


def _ends(view: RankingSource) -> tuple[Number, Number] | None:
    """The lowest and the highest score. None if there are no entries."""
    count = view.capped(view.ask(ByPosition(view.id, 0, 0)).count)
    if count == 0:
        return None
    asked = [ByPosition(view.id, 0, 1), ByPosition(view.id, count - 1, 1)]
    first, last = [sliced(answer) for answer in view.store.read(list(asked)).answers]
    pair = [view.rules.key_score(each.rows[0].key) for each in (first, last)]
    return min(pair), max(pair)


def _edges(low: Number, high: Number, bins: int) -> list[Number]:
    """Equal steps between the ends, as numbers that a score can be."""
    if low == high:
        return [low]
    if isinstance(low, int) and isinstance(high, int):
        return [*_steps(low, high, bins)]
    if isinstance(low, Decimal) or isinstance(high, Decimal):
        places = max(-int(Decimal(each).as_tuple().exponent) for each in (low, high))
        unit = Decimal(1).scaleb(-places)
        whole = _steps(int(Decimal(low) / unit), int(Decimal(high) / unit), bins)
        return [each * unit for each in whole]
    parts = [step / bins for step in range(1, bins)]
    inner = {low * (1 - part) + high * part for part in parts}
    return [low, *sorted(each for each in inner if low < each < high), high]


def _steps(low: int, high: int, bins: int) -> list[int]:
    """Integer edges from `low` to past `high` in at most `bins` equal steps."""
    step = max(1, -(-(high - low + 1) // bins))
    return [*range(low, high + 1, step), high + 1]
