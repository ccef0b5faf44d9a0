"""Keep "total": the sum of a player's events, or of the n best of them.

Sums are exact, so their order does not matter: integers and scaled decimals as they are, floats
as non-overlapping doubles of which only the first, the rounded sum, is shown (the error-free sums
of Shewchuk, 1997, brought into their one canonical form). The one exception is a sum that leaves
64 bits: the event that would take it there is not counted, and that is decided in log order.
"""

import math
from bisect import bisect
from collections.abc import Sequence

from msgspec.structs import astuple

from rankbook.rules.entry import KeptResult, StoredEntry, decode, encode, stored_entry
from rankbook.rules.folding import Candidate, Verdict
from rankbook.rules.numbers import MAX_INTEGER, MIN_INTEGER
from rankbook.rules.ordering import OrderCodec
from rankbook.rules.values import Scaled

Parts = tuple[float, ...]

_NO_CHANGE = Verdict("no-change", None, b"")
_NOT_BETTER = Verdict("not-better", None, b"")
_OVERFLOW = Verdict("overflow", None, b"")


class Total:
    """Sums each measure over all events.

    Time, event id, details and profile are those of the newest event, by (at, event id), that is
    not zero in every column of the order. Where all are zero, they are those of the earliest one,
    for zero is a score. So a measure outside the order is summed and never decides a tie.
    """

    def __init__(self, codec: OrderCodec, floats: Sequence[bool]) -> None:
        """`floats` says of each measure, in the board's order, whether it is a float."""
        self._codec = codec
        self._floats = tuple(floats)

    def __call__(self, stored: tuple[bytes, bytes] | None, candidate: Candidate) -> Verdict:
        """Add the candidate to what is stored."""
        ranks = self._codec.ranks(candidate.measures)
        if stored is None:
            alone = stored_entry(candidate.result, candidate.measures, counted=int(ranks))
            return Verdict("new", candidate.key, encode(alone))
        held = decode(stored[1])
        shown = _shown(held, candidate.result, ranks)
        adds = any(candidate.measures)
        if not adds and shown is held:
            return _NO_CHANGE
        try:
            measures, parts = self._sums(held, candidate.measures)
        except OverflowError:
            return _OVERFLOW
        entry = stored_entry(shown, measures, counted=held.counted + ranks, parts=parts)
        key = self._codec.key(measures, entry.reached_at_us)
        return Verdict("added" if adds else "earlier", key, encode(entry))

    def _sums(
        self, held: StoredEntry, added: Sequence[Scaled]
    ) -> tuple[tuple[Scaled, ...], tuple[Parts, ...]]:
        """The new measures, and the parts of each beyond them. Raises OverflowError."""
        beyond = held.parts or ((),) * len(added)
        sums = [
            add_float((old, *parts), new) if is_float else (_within(old + new),)
            for is_float, old, parts, new in zip(
                self._floats, held.measures, beyond, added, strict=True
            )
        ]
        rest = tuple([tuple(each[1:]) for each in sums])
        return tuple([each[0] for each in sums]), rest if any(rest) else ()


class BestOf:
    """Sums each measure over the player's `n` best events under the board's order.

    Among equals the earlier counts, then the smaller event id. An event that others displaced
    never returns, so the set, and with it the entry, does not depend on the order of delivery.
    Time, event id, details and profile are those of the newest counted event that is not zero in
    every column of the order, as `Total` has it.
    """

    def __init__(self, codec: OrderCodec, floats: Sequence[bool], n: int) -> None:
        """`floats` as `Total` has it."""
        self._codec = codec
        self._floats = tuple(floats)
        self._n = n

    def __call__(self, stored: tuple[bytes, bytes] | None, candidate: Candidate) -> Verdict:
        """Count the candidate if it is among the best. O(n)."""
        held = None if stored is None else decode(stored[1])
        results = list(held.results) if held else []
        mine = candidate.result
        if any(each.event_id == mine.event_id for each in results):
            return _NO_CHANGE
        place = bisect(results, self._rank(mine), key=self._rank)
        if place == self._n:
            return _NOT_BETTER
        results.insert(place, mine)
        try:
            entry = self._entry(results[: self._n])
        except OverflowError:
            return _OVERFLOW
        key = self._codec.key(entry.measures, entry.reached_at_us)
        if held is None:
            return Verdict("new", key, encode(entry))
        # A zero may join the set unseen: it counts once others are below it.
        same = _line(held) == _line(entry)
        return Verdict("no-change" if same else "added", key, encode(entry))

    def _rank(self, result: KeptResult) -> tuple[bytes, int, str]:
        group = self._codec.key(result.measures, 0)[: self._codec.group_bytes]
        return group, result.reached_at_us, result.event_id

    def _entry(self, results: list[KeptResult]) -> StoredEntry:
        columns = zip(*[each.measures for each in results], strict=True)
        measures = tuple(
            [
                math.fsum(column) if is_float else _within(sum(column))
                for is_float, column in zip(self._floats, columns, strict=True)
            ]
        )
        ranked = [each for each in results if self._codec.ranks(each.measures)]
        shown = max(ranked, key=_when) if ranked else min(results, key=_when)
        return stored_entry(shown, measures, results=tuple(results))


def add_float(parts: Sequence[float], number: float) -> Parts:
    """The exact sum of doubles as doubles: each is the rest's correctly rounded sum.

    So equal sums have equal parts, whichever numbers made them. Raises OverflowError.
    """
    terms = [*parts, number]
    made = [math.fsum(terms)]
    while made[-1]:
        terms.append(-made[-1])
        made.append(math.fsum(terms))
    return tuple(made[:-1]) or (0.0,)


def _shown(held: StoredEntry, result: KeptResult, ranks: bool) -> KeptResult:
    """Whose time, details and profile the entry shows, of what is stored and a result."""
    if not ranks:
        return held if held.counted or _when(held) <= _when(result) else result
    return held if held.counted and _when(held) > _when(result) else result


def _when(result: KeptResult) -> tuple[int, str]:
    return result.reached_at_us, result.event_id


def _line(entry: KeptResult) -> tuple[object, ...]:
    return astuple(entry)[: len(KeptResult.__struct_fields__)]


def _within(number: Scaled) -> Scaled:
    if MIN_INTEGER <= number <= MAX_INTEGER:
        return number
    raise OverflowError
