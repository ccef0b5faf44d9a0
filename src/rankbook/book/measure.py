"""Measuring: each board measures a result once, before it is recorded or after it is read."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from rankbook.book import events
from rankbook.errors import Refused
from rankbook.log.base import Recorded
from rankbook.rules import BoardRules, Candidate, Fact, Ranking
from rankbook.store.base import RankingId

MAX_CACHED = 10_000

Pairs = tuple[tuple[Ranking, RankingId], ...]


class Scope(NamedTuple):
    """What one part holds of a whole book.

    `holds` says whether a ranking of this name is in the part. `profiles` says whether any board
    of the book shows a player's current profile.
    """

    holds: Callable[[str], bool]
    profiles: bool


class TouchedBoard(msgspec.Struct, frozen=True, gc=False):
    """A board that counts a result: the candidate entry, and the rankings that it may enter, by
    name.

    `declared` are the same rankings in the order of the board's windows and splits.
    """

    rules: BoardRules
    candidate: Candidate
    rankings: Pairs
    declared: tuple[Ranking, ...]


class MeasuredResult(msgspec.Struct, frozen=True, gc=False):
    """A result with its measures on every board that counts it, by the boards' names."""

    fact: Fact
    member: bytes
    touched: tuple[TouchedBoard, ...]


class Measurer:
    """Measures results for `boards`: all boards of a book, or with a `scope` those of one part.

    A part may measure a result for a board although other parts have the board's rankings, because
    every part keeps the fold's state of that board.
    """

    def __init__(self, boards: Sequence[BoardRules], scope: Scope | None = None) -> None:
        self._scope = scope
        self._declared = tuple(boards)
        self._boards = sorted(boards, key=_by_name)
        self._place = {rules.board.name: place for place, rules in enumerate(boards)}
        self._pairs: dict[int, tuple[tuple[Ranking, ...], Pairs, tuple[Ranking, ...]]] = {}

    def validate(self, fact: Fact, *, correction: bool = False) -> MeasuredResult:
        """Measure a result that is to be recorded.

        Raises `Refused` if a board that counts it cannot rank it. If no board counts it, only a
        `correction` may be so: it takes the result out of the rankings.
        """
        touched: list[TouchedBoard] = []
        counted = False
        for rules in self._declared:
            admitted = rules.admit(fact)
            if admitted is None:
                continue
            counted = True
            rankings, candidate = admitted
            if rankings:
                touched.append(self._touched(rules, candidate, rankings))
        if not counted and not correction:
            raise Refused("values", "are such that no board counts the event")
        if len(touched) > 1:
            touched.sort(key=lambda each: _by_name(each.rules))
        return MeasuredResult(fact, fact.player.encode(), tuple(touched))

    def measure(self, recorded: Recorded, fact: Fact | None = None) -> MeasuredResult:
        """Measure a recorded result: by its own body, or by `fact` if it was corrected.

        If a board was added after the event and refuses it, the board does not count it. Raises
        `events.Unreadable`.
        """
        said = fact or events.fact(recorded)
        touched: list[TouchedBoard] = []
        for rules in self._boards:
            try:
                rankings = rules.rankings(said.values, said.at_us)
                if rankings:
                    touched.append(self._touched(rules, rules.candidate(said), rankings))
            except Refused:
                continue
        return MeasuredResult(said, said.player.encode(), tuple(touched))

    def narrow(self, result: MeasuredResult) -> MeasuredResult:
        """The part of a measured result that concerns these boards."""
        touched = [
            self._touched(each.rules, each.candidate, each.declared)
            for each in result.touched
            if each.rules.board.name in self._place
        ]
        return MeasuredResult(result.fact, result.member, tuple(touched))

    def declared(self, result: MeasuredResult) -> list[Ranking]:
        """The rankings that a result touches, as the book declares boards, windows and splits."""
        touched: Sequence[TouchedBoard] = result.touched
        if len(touched) > 1:
            touched = sorted(touched, key=lambda each: self._place[each.rules.board.name])
        return [ranking for each in touched for ranking in each.declared]

    def _touched(
        self, rules: BoardRules, candidate: Candidate, rankings: tuple[Ranking, ...]
    ) -> TouchedBoard:
        """The rankings with their ids, by name. The cache keeps the tuple whose id is its key."""
        found = self._pairs.get(id(rankings))
        if found is None or found[0] is not rankings:
            if len(self._pairs) > MAX_CACHED:
                self._pairs.clear()
            found = self._pairs[id(rankings)] = (rankings, *self._held(rules, rankings))
        return TouchedBoard(rules, candidate, found[1], found[2])

    def _held(
        self, rules: BoardRules, rankings: tuple[Ranking, ...]
    ) -> tuple[Pairs, tuple[Ranking, ...]]:
        scope = self._scope
        held = rankings if scope is None else tuple([r for r in rankings if scope.holds(r.name)])
        pairs = [
            (each, RankingId(each.name, rules.key_bytes, rules.group_bytes))
            for each in sorted(held, key=lambda ranking: ranking.name)
        ]
        return tuple(pairs), held


def _by_name(rules: BoardRules) -> str:
    """The order of boards by their rankings' names, which stored receipts follow."""
    return f"{rules.board.name}/"
