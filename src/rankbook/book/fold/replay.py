"""Folding one player again from the log, for voids, corrections, bans and forgetting.

An entry of `best` has forgotten the worse results, so no rule can take a result back. Instead all
of the player's events are folded again, as far as the log has come. Entries that come out different
are replaced.
"""

from collections.abc import Iterable
from typing import NamedTuple

from rankbook.book import events
from rankbook.book.fold.apply import Decider, Outcome, within_cooldown
from rankbook.book.fold.step import StepState
from rankbook.book.measure import MeasuredResult, Measurer
from rankbook.log.base import Log, Recorded
from rankbook.rules import ABOUT_A_RESULT, BoardRules, Fact, Ranking, Why
from rankbook.store.base import RankingId, Stored

# The kinds of events after which a player is folded anew.
REPLAYED = ("ban", "unban", *ABOUT_A_RESULT, "forget")


class TouchedRanking(NamedTuple):
    """A ranking that the player's results have touched."""

    rules: BoardRules
    ranking: Ranking
    id: RankingId


class History(NamedTuple):
    """A player's events as they now count: results in log order, with later corrections and voids.

    `during_ban` are results that came during a ban.
    """

    results: list[Recorded]
    voided: set[str]
    corrected: dict[str, Recorded]
    during_ban: set[str]
    banned: bool


def history(recorded: Iterable[Recorded]) -> History:
    """Read a player's events, in log order."""
    results: list[Recorded] = []
    voided: set[str] = set()
    corrected: dict[str, Recorded] = {}
    during_ban: set[str] = set()
    banned = False
    for event in recorded:
        if event.kind == "result":
            results.append(event)
            if banned:
                during_ban.add(event.id)
        elif event.kind in ("ban", "unban"):
            banned = event.kind == "ban"
        elif event.kind == "void":
            voided.add(events.body(event).target)
        elif event.kind == "unvoid":
            voided.discard(events.body(event).target)
        elif event.kind == "correct":
            corrected[events.body(event).target] = event
        elif event.kind == "forget":
            results, voided, corrected, during_ban, banned = [], set(), {}, set(), False
    return History(results, voided, corrected, during_ban, banned)


def replay(
    measurer: Measurer, decider: Decider, step: StepState, log: Log, event: Recorded
) -> list[Outcome]:
    """Fold the player of `event` again, up to and including it. Returns what changed in every
    ranking touched.

    O(events of the player). Events that cannot be read do not count. Entries that stay the same
    have the outcome "unchanged".
    """
    member = event.player.encode()
    everything = _remembered(log.of_player(event.player, event.seq), event)
    said = history(everything)
    places: dict[str, TouchedRanking] = {}
    originals = {each.id: each for each in everything if each.kind == "result"}
    for original in originals.values():
        _add_rankings(places, measurer.measure(original))
    for each in everything:
        target = originals.get(events.body(each).target) if each.kind == "correct" else None
        if target is not None:
            _add_rankings(places, measurer.measure(target, _corrected(target, each)))
    for place in places.values():
        step.want(place.id, member)
    step.load()
    final = {} if said.banned else _final(measurer, decider, step, said)
    return [
        _replace(decider, step, place, member, final.get(name)) for name, place in places.items()
    ]


def _remembered(theirs: Iterable[Recorded], event: Recorded) -> list[Recorded]:
    """A player's readable events, from the last forget before `event` on. So it makes no difference
    whether earlier ones have been erased yet."""
    kept: list[Recorded] = []
    for each in theirs:
        if not events.readable(each):
            continue
        if each.kind == "forget" and each.seq < event.seq:
            kept.clear()
        else:
            kept.append(each)
    return kept


def _add_rankings(places: dict[str, TouchedRanking], result: MeasuredResult) -> None:
    for each in result.touched:
        for ranking, id in each.rankings:
            places.setdefault(ranking.name, TouchedRanking(each.rules, ranking, id))


def _final(
    measurer: Measurer, decider: Decider, step: StepState, said: History
) -> dict[str, Stored]:
    """The entries that result from the player's results, by ranking."""
    final: dict[str, Stored] = {}
    cooled: dict[str, int] = {}
    for recorded in said.results:
        original = measurer.measure(recorded)
        cooling = {
            each.rules.board.name: _cooling(each.rules, original.fact, cooled)
            for each in original.touched
            if recorded.id not in said.during_ban
        }
        if recorded.id in said.voided or recorded.id in said.during_ban:
            continue
        result = original
        if recorded.id in said.corrected:
            result = measurer.measure(recorded, _corrected(recorded, said.corrected[recorded.id]))
        for each in result.touched:
            rules = each.rules
            for ranking, _id in each.rankings:
                closed = decider.why_closed(step, rules, ranking, recorded)
                if closed or cooling.get(rules.board.name):
                    continue
                verdict = rules.fold(final.get(ranking.name), each.candidate)
                if verdict.key is not None:
                    final[ranking.name] = Stored(verdict.key, verdict.value)
    return final


def _cooling(rules: BoardRules, fact: Fact, cooled: dict[str, int]) -> bool:
    """The decider's cooldown, over the results of one player in log order."""
    last = cooled.get(rules.board.name)
    if last is not None and within_cooldown(rules, last, fact.at_us):
        return True
    cooled[rules.board.name] = fact.at_us
    return False


def _corrected(recorded: Recorded, correction: Recorded) -> Fact:
    """The result with the values of its correction, and with its profile if it has one."""
    original, said = events.fact(recorded), events.body(correction)
    return original._replace(values=said.values, profile=said.profile or original.profile)


def _replace(
    decider: Decider, step: StepState, place: TouchedRanking, member: bytes, entry: Stored | None
) -> Outcome:
    rules, ranking, id = place
    before = step.get(id, member)
    old = None if before is None else before.key
    new = None if entry is None else entry.key
    if entry == before:
        return Outcome(rules, ranking, id, member, "unchanged", old, new)
    if entry is None:
        step.remove(id, member)
        return Outcome(rules, ranking, id, member, "removed", old, new)
    step.put(id, member, entry)
    if before is None:
        decider.periods.note_first_entry(step, rules, ranking, id)
    why: Why = "restored" if before is None else "replaced"
    return Outcome(rules, ranking, id, member, why, old, new)
