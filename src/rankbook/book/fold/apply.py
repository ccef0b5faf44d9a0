"""What events do to entries: the rules applied over the state that a fold remembers.

Everything is decided from the log alone and in its order, so that a rebuild decides the same: a
result of a banned player, one that came after its period had closed, one older than the periods
that are kept, or one within the cooldown is recorded and not ranked.
"""

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from rankbook.book import state
from rankbook.book.fold.step import StepState
from rankbook.book.measure import MeasuredResult, Measurer
from rankbook.book.parts.partition import Scope
from rankbook.errors import Refused
from rankbook.log.base import Recorded
from rankbook.rules import (
    BoardRules,
    PeriodSpan,
    Ranking,
    Why,
    Window,
)
from rankbook.store.base import RankingId, Stored


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What one event did to one ranking: the entry's key before and after."""

    rules: BoardRules
    ranking: Ranking
    id: RankingId
    member: bytes
    why: Why
    before: bytes | None
    after: bytes | None


class Decider:
    """Decides about results. `boards` are all the boards of a book, or those of a part of it."""

    def __init__(self, boards: Sequence[BoardRules], scope: Scope | None = None) -> None:
        measurer = Measurer(boards, scope)
        self.result, self.declared = measurer.result, measurer.declared
        self.narrowed = measurer.narrowed
        self._open = {rules.board.name for rules in boards if not _may_close(rules)}
        self._spans: dict[str, PeriodSpan] = {}
        self._horizons: dict[tuple[bytes, bytes], int | None] = {}
        self._kept = tuple(
            [
                (rules, window)
                for rules in boards
                for window in rules.windows
                if rules.board.periods_kept(window)
            ]
        )
        self._profiles = keeps_profiles(boards) if scope is None else scope.profiles

    def want(self, working: StepState, result: MeasuredResult) -> None:
        """Say which entries deciding about the result reads, to be read at once."""
        member = result.member
        working.want(state.BANS, member)
        for touched in result.touched:
            rules = touched.rules
            if rules.cooldown_us:
                working.want(state.cooldowns(rules.board.name), member)
            for ranking, id in touched.rankings:
                working.want(id, member)
                if rules.board.seal:
                    working.want(state.SEALS, _period(ranking))

    def decide(self, working: StepState, result: MeasuredResult) -> list[Outcome]:
        """Apply a result to the entries."""
        member = result.member
        self.note_time(working, result.recorded.at_us)
        banned = working.get(state.BANS, member) is not None
        if self._profiles and result.fact.profile and not banned:
            self.profile(working, result.recorded, result.fact.profile)
        outcomes: list[Outcome] = []
        for touched in result.touched:
            cooling = not banned and self._cooling(working, touched.rules, result)
            plain = not banned and not cooling and touched.rules.board.name in self._open
            for ranking, id in touched.rankings:
                why = None
                if not plain:
                    why = self._kept_out(working, touched.rules, ranking, result, banned, cooling)
                before = working.get(id, member)
                old = None if before is None else before.key
                if why:
                    outcomes.append(Outcome(touched.rules, ranking, id, member, why, old, old))
                    continue
                verdict = touched.rules.fold(before, touched.candidate)
                new = old
                if verdict.key is not None:
                    new = verdict.key
                    working.put(id, member, Stored(verdict.key, verdict.value))
                    if before is None:
                        self.note_first_entry(working, touched.rules, ranking, id)
                outcomes.append(Outcome(touched.rules, ranking, id, member, verdict.why, old, new))
        return outcomes

    def profile(self, working: StepState, recorded: Recorded, profile: dict[str, str]) -> None:
        """Make this the player's current profile."""
        content = state.pack_profile(profile)
        member = recorded.player.encode()
        working.put(state.PROFILES, member, state.marked(recorded.seq, content))

    # --- what keeps a result out -----------------------------------------------------------------

    def _kept_out(
        self,
        working: StepState,
        rules: BoardRules,
        ranking: Ranking,
        result: MeasuredResult,
        banned: bool,
        cooling: bool,
    ) -> Why | None:
        if banned:
            return "banned"
        return self.why_closed(working, rules, ranking, result) or ("cooldown" if cooling else None)

    def why_closed(
        self, working: StepState, rules: BoardRules, ranking: Ranking, result: MeasuredResult
    ) -> Why | None:
        """Why the ranking's period takes no result: "period_closed", "expired", or None."""
        board = rules.board
        if board.name in self._open:
            return None
        span = self.span(rules, ranking)
        if span.end_us is None:
            return None
        if board.seal:
            sealed = working.get(state.SEALS, _period(ranking))
            if rules.is_sealed(span, result.recorded.received_us):
                return "period_closed"
            if sealed is not None and state.read_number(sealed.key) < result.recorded.seq:
                return "period_closed"
        horizon = self._horizon(working, rules, ranking.window)
        return "expired" if horizon is not None and (span.start_us or 0) < horizon else None

    def _cooling(self, working: StepState, rules: BoardRules, result: MeasuredResult) -> bool:
        """Whether the result is within the cooldown of the player's last one; if not, it starts
        the next."""
        if rules.cooldown_us == 0:
            return False
        id = state.cooldowns(rules.board.name)
        last = working.get(id, result.member)
        at_us = result.fact.at_us
        if last is not None and within_cooldown(rules, state.read_number(last.key), at_us):
            return True
        working.put(id, result.member, state.marked(at_us))
        return False

    # --- periods ---------------------------------------------------------------------------------

    def span(self, rules: BoardRules, ranking: Ranking) -> PeriodSpan:
        """The period of a ranking."""
        found = self._spans.get(ranking.name)
        if found is None:
            if len(self._spans) > 10_000:
                self._spans.clear()
            found = rules.window(ranking.window).period(ranking.period)
            self._spans[ranking.name] = found
        return found

    def note_first_entry(
        self, working: StepState, rules: BoardRules, ranking: Ranking, id: RankingId
    ) -> None:
        """A player has their first entry in a ranking: remember the ranking and its period."""
        catalog = state.catalog(ranking.board, ranking.window)
        name = ranking.name.encode()
        if working.get(catalog, name) is not None:
            return
        span = self.span(rules, ranking)
        working.put(catalog, name, state.marked(span.start_us, _shape(id)))
        closes_us = rules.closes_at(span) if rules.board.seal else None
        if closes_us is not None and working.get(state.SEALS, _period(ranking)) is None:
            working.put(state.OPEN, _period(ranking), state.marked(closes_us))

    def note_time(self, working: StepState, at_us: int) -> None:
        """A result of this time has come: drop the periods that are past the horizon now.

        Any result moves the horizon, whatever it says and whether it counts: its time is what is
        left of it in the log when its player is forgotten.
        """
        for rules, window in self._kept:
            with suppress(Refused):
                span = rules.windows[window].span_at(at_us)
                if span is not None and span.start_us is not None:
                    self._newest(working, rules, window, span.start_us)

    def _horizon(self, working: StepState, rules: BoardRules, window: str) -> int | None:
        """The start of the oldest period that is kept; None while all are."""
        kept = rules.board.periods_kept(window)
        newest = working.get(state.NEWEST, _window(rules, window)) if kept else None
        if kept is None or newest is None:
            return None
        known = (_window(rules, window), newest.key)
        if known not in self._horizons:
            if len(self._horizons) > 10_000:
                self._horizons.clear()
            newest_us = state.read_number(newest.key)
            self._horizons[known] = _counted_back(rules.window(window), newest_us, kept - 1)
        return self._horizons[known]

    def _newest(self, working: StepState, rules: BoardRules, window: str, start_us: int) -> None:
        """A period has been reached: where it is the newest, drop those past the horizon."""
        place = _window(rules, window)
        known = working.get(state.NEWEST, place)
        if known is not None and state.read_number(known.key) >= start_us:
            return
        working.put(state.NEWEST, place, state.marked(start_us))
        horizon = self._horizon(working, rules, window)
        if horizon is None:
            return
        catalog = state.catalog(rules.board.name, window)
        for row in list(working.rows(catalog)):
            if state.read_number(row.key) < horizon:
                working.drop(_id(row.member, row.value))
                working.remove(catalog, row.member)


def keeps_profiles(boards: Sequence[BoardRules]) -> bool:
    """Whether any of the boards shows a player's current profile."""
    return any(rules.board.profiles == "player" for rules in boards)


def within_cooldown(rules: BoardRules, last_us: int, at_us: int) -> bool:
    """Whether a result comes too soon after the last one that counted."""
    return 0 <= at_us - last_us < rules.cooldown_us


def _may_close(rules: BoardRules) -> bool:
    """Whether any period of the board ever stops taking results."""
    return rules.board.seal or any(map(rules.board.periods_kept, rules.windows))


def _counted_back(window: Window, newest_us: int, periods: int) -> int | None:
    """The start of the period that is so many before the newest; None where there is none."""
    span = window.period_at(newest_us)
    for _step in range(periods):
        before = window.previous(span)
        if before is None:
            return None
        span = before
    return span.start_us


def _period(ranking: Ranking) -> bytes:
    return state.period_name(ranking.board, ranking.window, ranking.period).encode()


def _window(rules: BoardRules, window: str) -> bytes:
    return f"{rules.board.name}/{window}".encode()


def _shape(id: RankingId) -> bytes:
    return id.key_bytes.to_bytes(2, "big") + id.group_bytes.to_bytes(2, "big")


def _id(name: bytes, shape: bytes) -> RankingId:
    return RankingId(
        name.decode(), int.from_bytes(shape[:2], "big"), int.from_bytes(shape[2:], "big")
    )
