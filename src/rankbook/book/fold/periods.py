"""Periods as a fold sees them: which have entries, which will be sealed, and which are kept."""

from collections.abc import Sequence
from contextlib import suppress

from rankbook.book import state
from rankbook.book.fold.step import StepState
from rankbook.errors import Refused
from rankbook.log.base import Recorded
from rankbook.rules import BoardRules, PeriodSpan, Ranking, Window
from rankbook.store.base import RankingId

MAX_CACHED = 10_000


class Periods:
    """The periods of all boards of a book, or of those of one part."""

    def __init__(self, boards: Sequence[BoardRules]) -> None:
        self._open = {rules.board.name for rules in boards if not _may_close(rules)}
        self._spans: dict[str, PeriodSpan] = {}
        self._horizons: dict[tuple[bytes, bytes], int | None] = {}
        self._limited = tuple(
            [
                (rules, window)
                for rules in boards
                for window in rules.windows
                if rules.board.periods_kept(window)
            ]
        )

    def never_close(self, rules: BoardRules) -> bool:
        """Whether no period of the board ever stops taking results."""
        return rules.board.name in self._open

    def span(self, rules: BoardRules, ranking: Ranking) -> PeriodSpan:
        """The period of a ranking."""
        found = self._spans.get(ranking.name)
        if found is None:
            if len(self._spans) > MAX_CACHED:
                self._spans.clear()
            found = rules.window(ranking.window).period(ranking.period)
            self._spans[ranking.name] = found
        return found

    def note_first_entry(
        self, step: StepState, rules: BoardRules, ranking: Ranking, id: RankingId
    ) -> None:
        """Remember the ranking and its period, since a player has just got a first entry in it."""
        catalog = state.catalog(ranking.board, ranking.window)
        name = ranking.name.encode()
        if step.get(catalog, name) is not None:
            return
        span = self.span(rules, ranking)
        step.put(catalog, name, state.marked(span.start_us, _shape(id)))
        closes_us = rules.closes_at(span) if rules.board.seal else None
        period = period_name(ranking)
        if closes_us is not None and step.get(state.SEALS, period) is None:
            step.put(state.OPEN, period, state.marked(closes_us))

    def note_time(self, step: StepState, result: Recorded) -> None:
        """Drop the periods that are past the horizon, now that a result has come.

        Its time moves the horizon, but never beyond the clock by which it was recorded: else one
        result from the future would expire all that are kept. Any result moves it, even one that
        does not count. After its player is forgotten, the log keeps only its times.
        """
        at_us = min(result.at_us, result.received_us)
        for rules, window in self._limited:
            with suppress(Refused):
                span = rules.windows[window].span_at(at_us)
                if span is not None and span.start_us is not None:
                    self._note_newest(step, rules, window, span.start_us)

    def horizon(self, step: StepState, rules: BoardRules, window: str) -> int | None:
        """The start of the oldest period that is kept, in microseconds. None if all are kept."""
        kept = rules.board.periods_kept(window)
        newest = step.get(state.NEWEST, _window_name(rules, window)) if kept else None
        if kept is None or newest is None:
            return None
        known = (_window_name(rules, window), newest.key)
        if known not in self._horizons:
            if len(self._horizons) > MAX_CACHED:
                self._horizons.clear()
            newest_us = state.read_number(newest.key)
            self._horizons[known] = _count_back(rules.window(window), newest_us, kept - 1)
        return self._horizons[known]

    def _note_newest(self, step: StepState, rules: BoardRules, window: str, start_us: int) -> None:
        """If this period is the newest so far, drop the periods past the horizon."""
        name = _window_name(rules, window)
        known = step.get(state.NEWEST, name)
        if known is not None and state.read_number(known.key) >= start_us:
            return
        step.put(state.NEWEST, name, state.marked(start_us))
        horizon = self.horizon(step, rules, window)
        if horizon is None:
            return
        catalog = state.catalog(rules.board.name, window)
        for row in list(step.rows(catalog)):
            if state.read_number(row.key) < horizon:
                step.drop(_id(row.member, row.value))
                step.remove(catalog, row.member)


def period_name(ranking: Ranking) -> bytes:
    """The period of a ranking, as the member that stands for it in the state."""
    return state.period_name(ranking.board, ranking.window, ranking.period).encode()


def _may_close(rules: BoardRules) -> bool:
    """Whether any period of the board ever stops taking results."""
    return rules.board.seal or any(map(rules.board.periods_kept, rules.windows))


def _count_back(window: Window, newest_us: int, periods: int) -> int | None:
    """The start of the period that lies so many before the newest. None if there is none."""
    span = window.period_at(newest_us)
    for _step in range(periods):
        before = window.previous(span)
        if before is None:
            return None
        span = before
    return span.start_us


def _window_name(rules: BoardRules, window: str) -> bytes:
    return f"{rules.board.name}/{window}".encode()


def _shape(id: RankingId) -> bytes:
    return id.key_bytes.to_bytes(2, "big") + id.group_bytes.to_bytes(2, "big")


def _id(name: bytes, shape: bytes) -> RankingId:
    return RankingId(
        name.decode(), int.from_bytes(shape[:2], "big"), int.from_bytes(shape[2:], "big")
    )
