"""A board's rules, compiled: from facts to candidates, rankings, verdicts and entries.

`Board` is the specification. `BoardRules` is what a book asks while it validates, folds and reads.
"""

from collections.abc import Mapping
from typing import Any, NoReturn

from rankbook.errors import Corrupt, NotFound, Refused
from rankbook.model import Entry, Number, Period
from rankbook.rules.board import Board
from rankbook.rules.entry import StoredEntry, decode, unpack_detail
from rankbook.rules.folding import Candidate, Fact, Keep, best, first, latest
from rankbook.rules.instants import instant
from rankbook.rules.options import micros_of, scaled_limits
from rankbook.rules.ordering import COLUMN_BYTES, OrderCodec
from rankbook.rules.periods import PeriodSpan, Window, closes_at, is_closed
from rankbook.rules.ranking import Ranking, Tags, tag_text, tags_of
from rankbook.rules.totals import BestOf, Total
from rankbook.rules.values import Scaled

MAX_CACHED_RANKINGS = 4096
_NO_PERIOD = PeriodSpan("", None, None)


class BoardRules:
    """What a board decides. Pure, and safe to share between threads."""

    def __init__(self, board: Board) -> None:
        """Compile a board, which is sound once it exists."""
        self.board = board
        self.codec = OrderCodec(board.columns(), board.tie_break)
        self.key_bytes = self.codec.key_bytes
        self.group_bytes = self.codec.group_bytes
        self.windows = board.open_windows()
        self.grace_us = micros_of(board.grace_seconds)
        self.cooldown_us = micros_of(board.cooldown_seconds)
        self._measures = board.compiled()
        self._first = self.codec.columns[0].measure
        self.fold = self._keep()
        self._limits = scaled_limits(board.min, board.max, self._measures[self._first].type)
        self._where = board.condition()
        self._by_sequence = board.keep == "latest" and board.latest_by == "sequence"
        self._span_at = tuple([window.span_at for window in self.windows.values()])
        self._tag_names = tuple(sorted({name for split in board.splits for name in split}))
        self._scores: dict[bytes, Number] = {}
        self._cache: dict[tuple[Any, ...], tuple[Ranking, ...]] = {}

    def _keep(self) -> Keep:
        floats = [measure.type.is_float for measure in self._measures]
        match self.board.keep:
            case "latest":
                return latest
            case "first":
                return first
            case "total":
                if self.board.best_of is not None:
                    return BestOf(self.codec, floats, self.board.best_of)
                return Total(self.codec, floats)
        return best

    def measure(self, values: Mapping[str, Any]) -> tuple[Scaled, ...]:
        """The scaled measures, in the board's order. Raises `Refused`."""
        return tuple([measure(values) for measure in self._measures])

    def counts(self, values: Mapping[str, Any]) -> bool:
        """Whether the board counts an event with these values: its `where` is true.

        Raises `Refused` where `where` cannot be computed.
        """
        return self._where is None or self._where(values)

    def admit(self, fact: Fact) -> tuple[tuple[Ranking, ...], Candidate] | None:
        """Measure a fact before it is recorded: its rankings and candidate, or None by `where`.

        Only this method applies the board's `min` and `max`, so what is recorded stays ranked.
        Raises `Refused`.
        """
        if not self.counts(fact.values):
            return None
        rankings = self._rankings_at(fact.values, fact.at_us)
        candidate = self.candidate(fact)
        score = candidate.measures[self._first]
        least, most = self._limits
        if least is not None and score < least:
            self._refuse(score, f"less than {self.board.min}")
        if most is not None and score > most:
            self._refuse(score, f"more than {self.board.max}")
        return rankings, candidate

    def _refuse(self, score: Scaled, reason: str) -> NoReturn:
        measure = self._measures[self._first]
        raise Refused(measure.name, f"is {measure.type.number(score)}, {reason}")

    def candidate(self, fact: Fact) -> Candidate:
        """The entry that a fact would be. Raises `Refused`."""
        measures = self.measure(fact.values)
        key = self.codec.key(measures, fact.at_us)
        group = key[: self.group_bytes]
        sequence = fact.sequence if self._by_sequence else None
        return Candidate(key, group, measures, fact, self.board.details, sequence)

    def rankings(self, values: Mapping[str, Any], at_us: int) -> tuple[Ranking, ...]:
        """The rankings that an event touches: one for each split and window with a period then.

        Empty where `where` is not true. Raises `Refused` for a missing or unusable split value,
        and at the ends of the calendar. Cached by periods and tags: a new combination costs some
        10 us, a known one about 1.
        """
        if self._where is not None and not self._where(values):
            return ()
        return self._rankings_at(values, at_us)

    def _rankings_at(self, values: Mapping[str, Any], at_us: int) -> tuple[Ranking, ...]:
        periods = [(span_at(at_us) or _NO_PERIOD).id for span_at in self._span_at]
        tags: list[str] = []
        for name in self._tag_names:
            value = values.get(name)
            tags.append(value if type(value) is str else tag_text(name, value))
        known = (*periods, *tags)
        found = self._cache.get(known)
        return self._make_rankings(periods, tags, known) if found is None else found

    def _make_rankings(
        self, periods: list[str], texts: list[str], known: tuple[str, ...]
    ) -> tuple[Ranking, ...]:
        tags = {n: tag_text(n, text) for n, text in zip(self._tag_names, texts, strict=True)}
        made = tuple(
            [
                Ranking(self.board.name, window, period, tuple([(n, tags[n]) for n in split]))
                for window, period in zip(self.windows, periods, strict=True)
                if period
                for split in self.board.splits
            ]
        )
        if len(self._cache) >= MAX_CACHED_RANKINGS:
            self._cache.clear()
        self._cache[known] = made
        return made

    def ranking(self, window: str, period_id: str, tags: Mapping[str, object]) -> Ranking:
        """One ranking by its parts. Raises `NotFound` and says what exists."""
        period = self.window(window).period(period_id)
        return Ranking(self.board.name, window, period.id, self.tags(tags))

    def tags(self, tags: Mapping[str, object]) -> Tags:
        """Tags that are exactly one of the board's splits. Raises `NotFound` and lists them."""
        if any(set(split) == set(tags) for split in self.board.splits):
            try:
                return tags_of(tags)
            except Refused as error:
                raise NotFound(f"no such tag: {error}") from error
        splits = ", ".join([f"[{', '.join(split)}]" for split in self.board.splits])
        given = ", ".join(sorted(tags))
        raise NotFound(f"board {self.board.name!r} is not split by [{given}]; there are: {splits}")

    def window(self, name: str) -> Window:
        """A window of this board. Raises `NotFound` and lists them."""
        try:
            return self.windows[name]
        except KeyError:
            there = f"on board {self.board.name!r}; there are: {', '.join(self.windows)}"
            raise NotFound(f"no window {name!r} {there}") from None

    def period(self, span: PeriodSpan) -> Period:
        """The period of a span, with datetimes and the board's zone."""
        start, end = [None if us is None else instant(us) for us in span[1:]]
        return Period(id=span.id, start=start, end=end, zone=self.board.zone)

    def closes_at(self, span: PeriodSpan) -> int | None:
        """When the period closes: its end plus the board's grace. None where it never ends."""
        return closes_at(span, self.grace_us)

    def is_sealed(self, span: PeriodSpan, now_us: int) -> bool:
        """Whether the period's rankings no longer change."""
        return self.board.seal and is_closed(span, now_us, self.grace_us)

    def score(self, measures: tuple[Scaled, ...]) -> Number:
        """The score: the first measure of the order, unscaled."""
        return self._measures[self._first].type.number(measures[self._first])

    def key_score(self, key: bytes) -> Number:
        """The score in an order key. No stored value is decoded."""
        column = key[:COLUMN_BYTES]
        found = self._scores.get(column)
        if found is None:
            if len(self._scores) >= MAX_CACHED_RANKINGS:
                self._scores.clear()
            found = self._measures[self._first].type.number(self.codec.first(key))
            self._scores[column] = found
        return found

    def score_bound(self, score: object) -> bytes:
        """The first 8 bytes of every key with this score. Raises `Refused` for no such number."""
        measure = self._measures[self._first]
        return self.codec.prefix([measure.type.scaled(score, measure.name)])

    def entry(self, rank: int, member: bytes, key: bytes, value: bytes) -> Entry:
        """The entry of a stored row; `rank` is 1-based. Raises `Corrupt`."""
        stored = self._decoded(value)
        if self.codec.key(stored.measures, stored.reached_at_us) != key:
            raise Corrupt(f"the key and the entry of {member!r} disagree")
        names = self.board.measures
        numbers = [m.type.number(x) for m, x in zip(self._measures, stored.measures, strict=True)]
        return Entry(
            rank=rank,
            player=member.decode(),
            score=numbers[self._first],
            measures=dict(zip(names, numbers, strict=True)),
            details=dict(zip(self.board.details, map(unpack_detail, stored.details), strict=True)),
            profile=stored.profile,
            event_id=stored.event_id,
            reached_at=instant(stored.reached_at_us),
        )

    def _decoded(self, value: bytes) -> StoredEntry:
        stored = decode(value)
        shape = (len(stored.measures), len(stored.details))
        if shape != (len(self._measures), len(self.board.details)):
            raise Corrupt("a stored entry has other measures or details than its board")
        return stored
