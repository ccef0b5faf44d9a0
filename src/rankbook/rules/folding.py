"""Keep rules: what one event does to one entry.

A rule is a function of what is stored and a candidate. Folding the same events in any order, and
any of them twice, must give the same entry.
"""

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

from rankbook.model import Value
from rankbook.rules.standing import Scaled, Standing, decode, encode

Why = Literal["new", "better", "earlier", "not-better"]


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
    """What to do: store `key` and `value`, or leave all as it is when `key` is None."""

    why: Why
    key: bytes | None
    value: bytes


class Candidate:
    """An event measured by a board: the entry that it would be. The value is made when asked."""

    __slots__ = ("_details", "_value", "fact", "group", "key", "measures")

    def __init__(
        self,
        key: bytes,
        group: bytes,
        measures: tuple[Scaled, ...],
        fact: Fact,
        details: tuple[str, ...],
    ) -> None:
        """`group` is the part of the key that ties share; `details` are the names to keep."""
        self.key = key
        self.group = group
        self.measures = measures
        self.fact = fact
        self._details = details
        self._value: bytes | None = None

    @property
    def value(self) -> bytes:
        """The bytes to store, encoded once for all the rankings that the event touches."""
        if self._value is None:
            fact, get = self.fact, self.fact.values.get
            details = tuple([get(name) for name in self._details])
            self._value = encode(
                Standing(self.measures, fact.at_us, fact.event_id, details, fact.profile)
            )
        return self._value


Keep = Callable[[tuple[bytes, bytes] | None, Candidate], Verdict]

_NOT_BETTER = Verdict("not-better", None, b"")


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
    return _earlier(stored[1], candidate)


def _earlier(value: bytes, candidate: Candidate) -> Verdict:
    standing, fact = decode(value), candidate.fact
    if (fact.at_us, fact.event_id) < (standing.reached_at_us, standing.event_id):
        return Verdict("earlier", candidate.key, candidate.value)
    return _NOT_BETTER


KEEPS: dict[str, Keep] = {"best": best}
