"""Keep rules: what one event does to one entry.

A rule is a function of the stored entry and a candidate. Folding the same events in any order
gives the same entry. "best", "latest" and "first" keep the greatest event under a total order, so
they need no memory of the others. `totals` has the rules that sum.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple, get_args

from rankbook.model import Value
from rankbook.rules.entry import KeptResult, decode, encode, pack_detail, stored_entry
from rankbook.rules.values import Scaled

Why = Literal[
    "new",
    "better",
    "earlier",
    "not-better",
    "newer",
    "older",
    "not-first",
    "added",
    "no-change",
    "overflow",
    "cooldown",
    "period_closed",
    "banned",
    "expired",
    "unchanged",
    "removed",
    "restored",
    "replaced",
]
WHYS: tuple[Why, ...] = get_args(Why)
"""Every answer. Receipts store the index of a word, so a new word goes to the end."""
CHANGED: frozenset[Why] = frozenset(
    ("new", "better", "earlier", "newer", "added", "removed", "restored", "replaced")
)
"""The answers of an event that changed the entry."""

KEEPS = ("best", "latest", "first", "total")


class Fact(NamedTuple):
    """A result as rules see it: who, what, when, and where in the log."""

    player: str
    values: Mapping[str, Value]
    profile: dict[str, str]
    sequence: int | None
    at_us: int
    event_id: str
    seq: int


class Verdict(NamedTuple):
    """What to do: store `key` and `value`. Where `key` is None, change nothing."""

    why: Why
    key: bytes | None
    value: bytes


class Candidate:
    """An event measured by a board: the entry that it would be. The value is made when asked."""

    __slots__ = ("_details", "_result", "_value", "fact", "group", "key", "measures", "sequence")

    def __init__(
        self,
        key: bytes,
        group: bytes,
        measures: tuple[Scaled, ...],
        fact: Fact,
        details: tuple[str, ...],
        sequence: int | None = None,
    ) -> None:
        """`group` is the part of the key that ties share; `details` are the values to keep.

        `sequence` is the event's, on boards whose latest result is the one with the highest.
        """
        self.key = key
        self.group = group
        self.measures = measures
        self.fact = fact
        self.sequence = sequence
        self._details = details
        self._result: KeptResult | None = None
        self._value: bytes | None = None

    @property
    def result(self) -> KeptResult:
        """The event as an entry shows it."""
        if self._result is None:
            fact, get = self.fact, self.fact.values.get
            details = tuple([pack_detail(get(name)) for name in self._details])
            self._result = KeptResult(
                self.measures, fact.at_us, fact.event_id, details, fact.profile
            )
        return self._result

    @property
    def value(self) -> bytes:
        """The bytes to store, encoded once for all the rankings that the event touches."""
        if self._value is None:
            result = self.result
            if self.sequence is not None:
                result = stored_entry(result, self.measures, sequence=self.sequence)
            self._value = encode(result)
        return self._value


Keep = Callable[[tuple[bytes, bytes] | None, Candidate], Verdict]

_NOT_BETTER = Verdict("not-better", None, b"")
_OLDER = Verdict("older", None, b"")
_NOT_FIRST = Verdict("not-first", None, b"")


def best(stored: tuple[bytes, bytes] | None, candidate: Candidate) -> Verdict:
    """Keep the best whole event; among equals the earliest, then the smaller event id.

    The stored value is decoded only where the measures are equal.
    """
    if stored is None:
        return Verdict("new", candidate.key, candidate.value)
    group = candidate.group
    held = stored[0][: len(group)]
    if held < group:
        return _NOT_BETTER
    if group < held:
        return Verdict("better", candidate.key, candidate.value)
    return _earlier(stored[1], candidate, _NOT_BETTER)


def latest(stored: tuple[bytes, bytes] | None, candidate: Candidate) -> Verdict:
    """Keep the newest whole event, whatever its measures; reached-at is its own.

    Newest means the greatest (has a sequence, sequence, at, event id). So an event with a
    sequence is newer than every event without one: comparing such a pair by time would not be
    transitive, and the entry would depend on the order of delivery.
    """
    if stored is None:
        return Verdict("new", candidate.key, candidate.value)
    held, fact = decode(stored[1]), candidate.fact
    mine = _recency(candidate.sequence, fact.at_us, fact.event_id)
    if mine > _recency(held.sequence, held.reached_at_us, held.event_id):
        return Verdict("newer", candidate.key, candidate.value)
    return _OLDER


def first(stored: tuple[bytes, bytes] | None, candidate: Candidate) -> Verdict:
    """Keep the earliest whole event by (at, event id), whatever its measures."""
    if stored is None:
        return Verdict("new", candidate.key, candidate.value)
    return _earlier(stored[1], candidate, _NOT_FIRST)


def _earlier(value: bytes, candidate: Candidate, otherwise: Verdict) -> Verdict:
    held, fact = decode(value), candidate.fact
    if (fact.at_us, fact.event_id) < (held.reached_at_us, held.event_id):
        return Verdict("earlier", candidate.key, candidate.value)
    return otherwise


def _recency(sequence: int | None, at_us: int, event_id: str) -> tuple[bool, int, int, str]:
    return sequence is not None, sequence or 0, at_us, event_id
