"""Results measured by the boards that they count on: once, on the way into the log or out of it."""

from collections.abc import Sequence

import msgspec

from rankbook.book import events
from rankbook.book.parts.partition import Scope
from rankbook.errors import Refused
from rankbook.log.base import Draft, Recorded, Recording
from rankbook.rules import BoardRules, Candidate, Fact, Ranking
from rankbook.store.base import RankingId

MAX_CACHED = 10_000

Pairs = tuple[tuple[Ranking, RankingId], ...]


class Touched(msgspec.Struct, frozen=True, gc=False):
    """A board that a result counts on: its candidate, and the rankings it goes to, by name.

    `declared` are the same rankings in the order of the board's windows and splits.
    """

    rules: BoardRules
    candidate: Candidate
    rankings: Pairs
    declared: tuple[Ranking, ...]


class MeasuredResult(msgspec.Struct, frozen=True, gc=False):
    """A recorded result, measured by every board that it counts on."""

    recorded: Recorded
    fact: Fact
    member: bytes
    touched: tuple[Touched, ...]


class Measurer:
    """Measures results for `boards`, which are all the boards of a book, or of one part of it.

    In a part, a board is touched also where the rankings are all elsewhere: what it remembers moves
    in every part.
    """

    def __init__(self, boards: Sequence[BoardRules], scope: Scope | None = None) -> None:
        self._scope = scope
        self._declared = tuple(boards)
        self._boards = sorted(boards, key=_by_name)
        self._place = {rules.board.name: place for place, rules in enumerate(boards)}
        self._pairs: dict[int, tuple[tuple[Ranking, ...], Pairs, tuple[Ranking, ...]]] = {}

    def admit(self, fact: Fact) -> tuple[Touched, ...]:
        """Measure what is to be recorded. Raises `Refused` where a board that counts it cannot
        rank it, or no board counts it."""
        touched: list[Touched] = []
        counted = False
        for rules in self._declared:
            admitted = rules.admit(fact)
            if admitted is None:
                continue
            counted = True
            rankings, candidate = admitted
            if rankings:
                touched.append(self._touched(rules, candidate, rankings))
        if not counted:
            raise Refused("values", "are such that no board counts the event")
        if len(touched) > 1:
            touched.sort(key=lambda each: _by_name(each.rules))
        return tuple(touched)

    def result(self, recorded: Recorded, fact: Fact | None = None) -> MeasuredResult:
        """Measure a result: by its own body, or as `fact` where it was corrected.

        A board that refuses it now, because it came later than the event, does not count it.
        """
        said = fact or events.fact(recorded)
        touched: list[Touched] = []
        for rules in self._boards:
            try:
                rankings = rules.rankings(said.values, said.at_us)
                if rankings:
                    touched.append(self._touched(rules, rules.candidate(said), rankings))
            except Refused:
                continue
        return MeasuredResult(recorded, said, said.player.encode(), tuple(touched))

    def narrowed(self, result: MeasuredResult) -> MeasuredResult:
        """What a result touches here, of which another measurer has measured all that it does."""
        touched = [
            self._touched(each.rules, each.candidate, each.declared)
            for each in result.touched
            if each.rules.board.name in self._place
        ]
        return MeasuredResult(result.recorded, result.fact, result.member, tuple(touched))

    def declared(self, result: MeasuredResult) -> list[Ranking]:
        """The rankings that a result touches, as the book declares boards, windows and splits."""
        touched: Sequence[Touched] = result.touched
        if len(touched) > 1:
            touched = sorted(touched, key=lambda each: self._place[each.rules.board.name])
        return [ranking for each in touched for ranking in each.declared]

    def _touched(
        self, rules: BoardRules, candidate: Candidate, rankings: tuple[Ranking, ...]
    ) -> Touched:
        """The rankings with their ids, by name. Cached under the tuple itself, which is kept."""
        found = self._pairs.get(id(rankings))
        if found is None or found[0] is not rankings:
            if len(self._pairs) > MAX_CACHED:
                self._pairs.clear()
            found = self._pairs[id(rankings)] = (rankings, *self._held(rules, rankings))
        return Touched(rules, candidate, found[1], found[2])

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


class Admitted(msgspec.Struct, frozen=True, gc=False):
    """What may be recorded; of a result, as it was measured."""

    draft: Draft
    fact: Fact | None = None
    touched: tuple[Touched, ...] = ()


def fresh_results(admitted: Sequence[Admitted], recording: Recording) -> list[MeasuredResult]:
    """The results of one recording as they were measured on the way in, where they are all of it:
    every event new, a result, and next to the one before in the log. Else none."""
    if not admitted or recording.new != len(admitted):
        return []
    first = recording.events[0].seq
    results: list[MeasuredResult] = []
    for place, (each, event) in enumerate(zip(admitted, recording.events, strict=True)):
        if each.fact is None or not first or event.seq != first + place:
            return []
        results.append(MeasuredResult(event, each.fact, each.fact.player.encode(), each.touched))
    return results
