"""Views of one ranking: queries for the store on the way down, entries with ranks on the way up."""

from collections.abc import Callable, Mapping, Sequence

from rankbook.model import Entry, Standings
from rankbook.rules import BoardRules, PeriodSpan, Ranking, ranks
from rankbook.store.base import Answer, AroundMember, ByPosition, Query, RankingId, Slice, Store

MAX_LIMIT = 1000
TOP = 10
AROUND = 5


class RankingView:
    """One ranking of a book, for reading. Every call reads one snapshot."""

    def __init__(self, store: Store, rules: BoardRules, ranking: Ranking, span: PeriodSpan) -> None:
        self._store = store
        self.rules = rules
        self.ranking = ranking
        self.span = span
        self.id = RankingId(ranking.name, rules.key_bytes, rules.group_bytes)

    def top(self, limit: int = TOP) -> Standings:
        """The first `limit` entries. O(log n + limit)."""
        return self._standings(self.top_query(limit))

    def around(self, player: str, limit: int = AROUND) -> Standings:
        """`limit` entries with the player's among them, in the middle where the edges allow.

        The window is full wherever the ranking has that many entries; without an entry of the
        player it is empty. O(log n + limit).
        """
        return self._standings(AroundMember(self.id, member(player), checked(limit)))

    def entry(self, player: str) -> Entry | None:
        """The player's entry with its rank, or None. O(log n)."""
        found = self._standings(self.entry_query(player)).entries
        return found[0] if found else None

    def rank(self, player: str) -> int | None:
        """The player's 1-based rank under the board's numbering, or None. O(log n)."""
        [answer] = self._store.read([self.entry_query(player)]).answers
        numbers = _numbers(self.rules, _slice(answer))
        return numbers[0] if numbers else None

    def count(self) -> int:
        """How many entries the ranking has."""
        [answer] = self._store.read([ByPosition(self.id, 0, 0)]).answers
        return answer.count

    # --- for readers of several rankings in one snapshot -----------------------------------------

    def top_query(self, limit: int) -> Query:
        """The query of `top`."""
        return ByPosition(self.id, 0, checked(limit))

    def entry_query(self, player: str) -> Query:
        """The query of `entry`."""
        return AroundMember(self.id, member(player), 1)

    def standings(self, answer: Answer) -> Standings:
        """The answer to one of this view's queries, as people read it. Raises `Corrupt`."""
        found = _slice(answer)
        numbers = _numbers(self.rules, found)
        entry = self.rules.entry
        return Standings(
            board=self.ranking.board,
            window=self.ranking.window,
            period=self.rules.period(self.span),
            tags=dict(self.ranking.tags),
            count=found.count,
            entries=tuple(
                [entry(number, *row) for number, row in zip(numbers, found.rows, strict=True)]
            ),
        )

    def _standings(self, query: Query) -> Standings:
        [answer] = self._store.read([query]).answers
        return self.standings(answer)


def member(player: str) -> bytes:
    """A player as the store's member; text that no player can have becomes bytes that none has."""
    return player.encode(errors="surrogatepass")


def checked(limit: int) -> int:
    """A number of rows that may be asked for. Raises ValueError."""
    if not 1 <= limit <= MAX_LIMIT:
        raise ValueError(f"limit is {limit}; it may be 1 to {MAX_LIMIT}")
    return limit


def read_all(
    store: Store, views: Sequence[RankingView], query: Callable[[RankingView], Query]
) -> tuple[int, list[Standings]]:
    """The position, and one answer from each view, all from one snapshot."""
    reading = store.read([query(view) for view in views])
    found = [view.standings(answer) for view, answer in zip(views, reading.answers, strict=True)]
    return reading.position, found


def view(
    store: Store,
    rules: BoardRules,
    window: str | None,
    period: str | None,
    tags: Mapping[str, object],
    now_us: int,
) -> RankingView:
    """The view of a ranking by its parts: by default the board's first window, and its period now.

    Raises `NotFound` and says what exists.
    """
    name = next(iter(rules.windows)) if window is None else window
    cut = rules.window(name)
    span = cut.period_at(now_us) if period is None else cut.period(period)
    return RankingView(store, rules, rules.ranking(name, span.id, tags), span)


def _slice(answer: Answer) -> Slice:
    if not isinstance(answer, Slice):
        raise TypeError("the store answered another question")
    return answer


def _numbers(rules: BoardRules, found: Slice) -> list[int]:
    group = rules.group_bytes
    return ranks(
        rules.board.numbering,
        found.start,
        found.before,
        found.groups_before,
        [row.key[:group] for row in found.rows],
    )
