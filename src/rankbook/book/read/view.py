"""Views: everything that can be asked of one ranking."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from rankbook.book.read import cursors, scores
from rankbook.book.read.limits import checked
from rankbook.book.read.snapshot import in_one_snapshot
from rankbook.book.read.source import RankingSource, member
from rankbook.model import (
    Bin,
    Entry,
    Friend,
    Friends,
    Histogram,
    Number,
    PlayerStanding,
    Standings,
)
from rankbook.rules import BoardRules, current, ranks
from rankbook.store.base import (
    AroundMember,
    ByPosition,
    FromBound,
    Query,
    Reads,
    Slice,
    sliced,
    window,
)

T = TypeVar("T")

TOP = 10
AROUND = 5


class RankingView(RankingSource):
    """One ranking of a book, for reading. Every call reads one snapshot."""

    def top(self, limit: int = TOP) -> Standings:
        """The first `limit` entries. O(log n + limit)."""
        return self.standings(self.ask(self.top_query(limit)))

    def page(self, limit: int = TOP, cursor: str | None = None) -> Standings:
        """`limit` entries from a cursor on (without one, the first page), with the cursors of the
        pages beside it.

        A cursor marks a place in the order, not a number of rows, so no entry comes twice or is
        missed while others move. Raises `Refused` for a cursor of another ranking or period.
        """
        found = cursors.read(self.ranking.name, cursor)
        query = FromBound(self.id, found.bound, checked(limit), found.back, self.beside)
        if found.back and self.size is not None:
            page = self._in_one_snapshot(lambda view: view._within(query))
        else:
            page = self.ask(query)
        return cursors.onward(found, page, self.standings, self.capped)

    def _within(self, query: FromBound) -> Slice:
        """If a page leads back from beyond the size, the last page within the size."""
        found = self.ask(query)
        most = self.capped(found.count)
        if found.start + len(found.rows) <= most:
            return found
        start = max(0, most - query.limit)
        return self.ask(ByPosition(self.id, start, most - start, self.beside))

    def around(self, player: str, limit: int = AROUND) -> Standings:
        """`limit` entries with the player's entry among them, in the middle unless an edge is near.

        The window is full if the ranking has that many entries. It is empty if the player has no
        entry. O(log n + limit).
        """
        asked = checked(limit)
        if self.size is None:
            return self.standings(
                self.ask(AroundMember(self.id, member(player), asked, self.beside))
            )
        return self._in_one_snapshot(lambda view: view._around_capped(player, asked))

    def _around_capped(self, player: str, limit: int) -> Standings:
        """As `around`, with the window inside the board's size."""
        own = self.ask(self.entry_query(player))
        if not own.rows or own.start >= self.capped(own.count):
            return self.standings(Slice(own.version, own.count, own.groups, 0, 0, 0, []))
        start, count = window(own.start, limit, self.capped(own.count))
        return self.standings(self.ask(ByPosition(self.id, start, count, self.beside)))

    def entry(self, player: str) -> Entry | None:
        """The player's entry with its rank, or None. O(log n)."""
        found = self.standings(self.ask(self.entry_query(player))).entries
        return found[0] if found else None

    def rank(self, player: str) -> int | None:
        """The player's 1-based rank under the board's numbering, or None. O(log n)."""
        numbers = self.numbers(self.ask(self.entry_query(player)))
        return numbers[0] if numbers else None

    def standing(self, player: str) -> PlayerStanding:
        """The player's entry, rank and percentile, and the count, from one snapshot. O(log n)."""
        found = self.ask(self.entry_query(player))
        shown = self.standings(found)
        entry = shown.entries[0] if shown.entries else None
        return PlayerStanding(
            board=shown.board,
            window=shown.window,
            period=shown.period,
            tags=shown.tags,
            count=shown.count,
            player=player,
            rank=None if entry is None else entry.rank,
            percentile=scores.percentile_of(self, found),
            entry=entry,
        )

    def at(self, place: int) -> Entry | None:
        """The entry at a 1-based place in the order, or None past the end. O(log n)."""
        found = self.from_place(place, 1).entries
        return found[0] if found else None

    def from_place(self, place: int, limit: int = TOP) -> Standings:
        """`limit` entries from a 1-based place in the order on. O(log n + limit)."""
        if place < 1:
            raise ValueError(f"place is {place}; the first is 1")
        query = ByPosition(self.id, place - 1, checked(limit), self.beside)
        return self.standings(self.ask(query))

    def among(self, players: Sequence[str]) -> Friends:
        """These players' entries, best first, with ranks among themselves and among all.

        Players without an entry are `missing`, in the order given. O(players x log n), from one
        snapshot. At most 1,000 players.
        """
        asked = list(dict.fromkeys(players))
        checked(max(1, len(asked)))
        reading = self.store.read(
            [AroundMember(self.id, member(each), 1, self.beside) for each in asked]
        )
        found = [sliced(answer) for answer in reading.answers]
        kept = sorted(
            [each for each in found if each.rows and each.start < self.capped(each.count)],
            key=lambda each: each.start,
        )
        group = self.rules.group_bytes
        prefixes = [each.rows[0].key[:group] for each in kept]
        numbers = ranks(self.rules.board.numbering, 0, 0, 0, prefixes)
        shown = self.standings(found[0] if found else self.ask(ByPosition(self.id, 0, 0)))
        friends = [
            Friend(rank_among=number, entry=self.standings(each).entries[0])
            for number, each in zip(numbers, kept, strict=True)
        ]
        there = {each.entry.player for each in friends}
        return Friends(
            board=shown.board,
            window=shown.window,
            period=shown.period,
            tags=shown.tags,
            count=shown.count,
            friends=tuple(friends),
            missing=tuple([player for player in asked if player not in there]),
        )

    # --- by score --------------------------------------------------------------------------------

    def scores(
        self, low: Number | None = None, high: Number | None = None, limit: int = TOP
    ) -> Standings:
        """At most `limit` entries with low <= score <= high, in rank order; None is no bound.

        `count` is still that of the whole ranking. Raises `Refused` for a bound that no score can
        be.
        """
        return scores.scores(self, low, high, limit)

    def percentile(self, player: str) -> float | None:
        """The share, 0 to 100, of the other entries that are not better. None if the player has no
        entry.

        Tied players have the same percentile, except under ordinal numbering, where nobody is tied.
        A player who is alone has 100.
        """
        return scores.percentile_of(self, self.ask(self.entry_query(player)))

    def histogram(self, bins: int = 10, *, edges: Sequence[Number] | None = None) -> list[Bin]:
        """How many entries have which scores. `bins` are at most so many equal steps from the
        lowest score to the highest; `edges`, ascending, cut the scores instead. O(bins x log n).

        Raises `Refused` for bins or edges that cannot be.
        """
        if edges is not None:
            return scores.histogram(self, edges)
        return self._in_one_snapshot(lambda view: scores.automatic(view, bins))

    def spread(self, bins: int = 10, *, edges: Sequence[Number] | None = None) -> Histogram:
        """What `histogram` answers, with the ranking and the number of entries that it counts."""
        counted = self.histogram(bins, edges=edges)
        return Histogram(
            board=self.ranking.board,
            window=self.ranking.window,
            period=self.period(),
            tags=dict(self.ranking.tags),
            count=sum([each.count for each in counted]),
            bins=tuple(counted),
        )

    def _in_one_snapshot(self, read: "Callable[[RankingView], T]") -> T:
        """What `read` returns for this view, all of it from one snapshot."""
        return in_one_snapshot(self.store, lambda store: read(self.over(store)))


def read_all(
    store: Reads, views: Sequence[RankingView], query: Callable[[RankingView], Query]
) -> tuple[int, list[Standings]]:
    """The position, and one answer from each view, all from one snapshot."""
    reading = store.read([query(view) for view in views])
    found = [view.standings(answer) for view, answer in zip(views, reading.answers, strict=True)]
    return reading.position, found


def view(
    store: Reads,
    rules: BoardRules,
    window: str | None,
    period: str | None,
    tags: Mapping[str, object],
    now_us: int,
) -> RankingView:
    """The view of a ranking by its parts: by default the board's first window, and its current
    period.

    Raises `NotFound`, which lists what exists.
    """
    name = next(iter(rules.windows)) if window is None else window
    cut = rules.window(name)
    span = current(cut, now_us) if period is None else cut.period(period)
    if span is None:
        span = cut.period_at(now_us)
    return RankingView(store, rules, rules.ranking(name, span.id, tags), span, now_us)
