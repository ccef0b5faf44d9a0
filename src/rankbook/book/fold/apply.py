"""Applying a result: which entries it changes, and why it may not count.

Every decision follows from the log and its order, so a rebuild decides the same. A result is
recorded but not ranked in four cases: its player is banned, its period has closed, its period is no
longer kept, or it comes within the cooldown.
"""

from collections.abc import Sequence

import msgspec

from rankbook.book import state
from rankbook.book.fold.periods import Periods, period_name
from rankbook.book.fold.step import StepState
from rankbook.book.measure import MeasuredResult
from rankbook.log.base import Recorded
from rankbook.rules import BoardRules, Ranking, Why
from rankbook.store.base import RankingId, Stored


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What one event did in one ranking: the entry's key before and after."""

    rules: BoardRules
    ranking: Ranking
    id: RankingId
    member: bytes
    why: Why
    before: bytes | None
    after: bytes | None


class Decider:
    """Applies results to entries, for all boards of a book or for those of one part.

    `profiles` says whether any board of the book shows a player's current profile.
    """

    def __init__(self, boards: Sequence[BoardRules], profiles: bool) -> None:
        self.periods = Periods(boards)
        self._profiles = profiles

    def want(self, step: StepState, result: MeasuredResult) -> None:
        """Name the entries that `decide` will read, so that one load can read the entries of many
        results."""
        member = result.member
        step.want(state.BANS, member)
        for touched in result.touched:
            rules = touched.rules
            if rules.cooldown_us:
                step.want(state.cooldowns(rules.board.name), member)
            for ranking, id in touched.rankings:
                step.want(id, member)
                if rules.board.seal:
                    step.want(state.SEALS, period_name(ranking))

    def decide(self, step: StepState, recorded: Recorded, result: MeasuredResult) -> list[Outcome]:
        """Apply a recorded result to the entries; an outcome for each ranking it touches."""
        member = result.member
        self.periods.note_time(step, recorded)
        banned = step.get(state.BANS, member) is not None
        if self._profiles and result.fact.profile and not banned:
            put_profile(step, recorded, result.fact.profile)
        outcomes: list[Outcome] = []
        for touched in result.touched:
            rules = touched.rules
            cooling = not banned and _is_cooling(step, rules, result)
            plain = not banned and not cooling and self.periods.never_close(rules)
            for ranking, id in touched.rankings:
                why: Why | None = None
                if not plain:
                    why = "banned" if banned else self.why_closed(step, rules, ranking, recorded)
                    why = why or ("cooldown" if cooling else None)
                before = step.get(id, member)
                old = None if before is None else before.key
                if why:
                    outcomes.append(Outcome(rules, ranking, id, member, why, old, old))
                    continue
                verdict = rules.fold(before, touched.candidate)
                new = old
                if verdict.key is not None:
                    new = verdict.key
                    step.put(id, member, Stored(verdict.key, verdict.value))
                    if before is None:
                        self.periods.note_first_entry(step, rules, ranking, id)
                outcomes.append(Outcome(rules, ranking, id, member, verdict.why, old, new))
        return outcomes

    def why_closed(
        self, step: StepState, rules: BoardRules, ranking: Ranking, recorded: Recorded
    ) -> Why | None:
        """Why the ranking's period takes no result: "period_closed", "expired", or None."""
        if self.periods.never_close(rules):
            return None
        span = self.periods.span(rules, ranking)
        if span.end_us is None:
            return None
        if rules.board.seal:
            seal = step.get(state.SEALS, period_name(ranking))
            if rules.is_sealed(span, recorded.received_us):
                return "period_closed"
            if seal is not None and state.read_number(seal.key) < recorded.seq:
                return "period_closed"
        horizon = self.periods.horizon(step, rules, ranking.window)
        return "expired" if horizon is not None and (span.start_us or 0) < horizon else None


def put_profile(step: StepState, recorded: Recorded, profile: dict[str, str]) -> None:
    """Make this the player's current profile."""
    content = state.pack_profile(profile)
    step.put(state.PROFILES, recorded.player.encode(), state.marked(recorded.seq, content))


def shows_profiles(boards: Sequence[BoardRules]) -> bool:
    """Whether any of the boards shows a player's current profile."""
    return any(rules.board.profiles == "player" for rules in boards)


def within_cooldown(rules: BoardRules, last_us: int, at_us: int) -> bool:
    """Whether a result comes too soon after the last one that counted."""
    return 0 <= at_us - last_us < rules.cooldown_us


def _is_cooling(step: StepState, rules: BoardRules, result: MeasuredResult) -> bool:
    """Whether the result is within the player's cooldown; if not, it starts the next one."""
    if rules.cooldown_us == 0:
        return False
    id = state.cooldowns(rules.board.name)
    last = step.get(id, result.member)
    at_us = result.fact.at_us
    if last is not None and within_cooldown(rules, state.read_number(last.key), at_us):
        return True
    step.put(id, result.member, state.marked(at_us))
    return False
