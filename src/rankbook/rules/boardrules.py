"""A board's rules, compiled: from facts to candidates, rankings, verdicts and entries."""

from collections.abc import Mapping
from typing import Any

from rankbook.errors import Corrupt, NotFound, Refused
from rankbook.model import Entry, Number, Period
from rankbook.rules.board import Board
from rankbook.rules.folding import KEEPS, Candidate, Fact
from rankbook.rules.instants import instant
from rankbook.rules.ordering import OrderCodec
from rankbook.rules.ranking import Ranking, Tags, tag_text, tags_of
from rankbook.rules.scoring import Scaled
from rankbook.rules.standing import Standing, decode
from rankbook.rules.windows import PeriodSpan, Window, open_window

MAX_CACHED_RANKINGS = 4096


class BoardRules:
    """What a board decides. Pure, and safe to share between threads."""

    def __init__(self, board: Board) -> None:
        """Compile a board, which is sound once it exists."""
        zone = board.parsed_zone()
        self.board = board
        self.codec = OrderCodec(board.columns(), board.tie_break)
        self.key_bytes = self.codec.key_bytes
        self.group_bytes = self.codec.group_bytes
        self.fold = KEEPS[board.keep]
        self.windows: dict[str, Window] = {
            name: open_window(name, zone, "windows") for name in board.windows
        }
        self._measures = board.compiled()
        self._first = self.codec.columns[0].measure
        self._period_at = tuple([window.period_at for window in self.windows.values()])
        self._tag_names = tuple(sorted({name for split in board.splits for name in split}))
        self._cache: dict[tuple[Any, ...], tuple[Ranking, ...]] = {}

    def measure(self, values: Mapping[str, Any]) -> tuple[Scaled, ...]:
        """The scaled measures, in the board's order. Raises `Refused`."""
        return tuple([measure(values) for measure in self._measures])

    def candidate(self, fact: Fact) -> Candidate:
        """The entry that a fact would be. Raises `Refused`."""
        measures = self.measure(fact.values)
        key = self.codec.key(measures, fact.at_us)
        return Candidate(key, key[: self.group_bytes], measures, fact, self.board.details)

    def rankings(self, values: Mapping[str, Any], at_us: int) -> tuple[Ranking, ...]:
        """The rankings that an event touches: every split in every window.

        Raises `Refused` for a missing or unusable split value, and at the ends of the calendar.
        Cached by periods and tags: a new combination costs some 10 us, a known one about 1.
        """
        periods = [period_at(at_us).id for period_at in self._period_at]
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
        """A span as people read it, in the board's zone."""
        start, end = [None if us is None else instant(us) for us in span[1:]]
        return Period(id=span.id, start=start, end=end, zone=self.board.zone)

    def score(self, measures: tuple[Scaled, ...]) -> Number:
        """The first measure of the order, as people read it, from scaled measures."""
        return self._measures[self._first].type.number(measures[self._first])

    def key_score(self, key: bytes) -> Number:
        """The same, read from an order key; no stored value is decoded."""
        return self._measures[self._first].type.number(self.codec.first(key))

    def score_bound(self, score: object) -> bytes:
        """The first 8 bytes of every key with this score. Raises `Refused` for no such number."""
        measure = self._measures[self._first]
        return self.codec.prefix([measure.type.scaled(score, measure.name)])

    def entry(self, rank: int, member: bytes, key: bytes, value: bytes) -> Entry:
        """The entry of a stored row; `rank` is 1-based. Raises `Corrupt`."""
        standing = self._decoded(value)
        if self.codec.key(standing.measures, standing.reached_at_us) != key:
            raise Corrupt(f"the key and the entry of {member!r} disagree")
        names = self.board.measures
        numbers = [m.type.number(x) for m, x in zip(self._measures, standing.measures, strict=True)]
        return Entry(
            rank=rank,
            player=member.decode(),
            score=numbers[self._first],
            measures=dict(zip(names, numbers, strict=True)),
            details=dict(zip(self.board.details, standing.details, strict=True)),
            profile=standing.profile,
            event_id=standing.event_id,
            reached_at=instant(standing.reached_at_us),
        )

    def _decoded(self, value: bytes) -> Standing:
        standing = decode(value)
        shape = (len(standing.measures), len(standing.details))
        if shape != (len(self._measures), len(self.board.details)):
            raise Corrupt("a stored entry has other measures or details than its board")
        return standing
