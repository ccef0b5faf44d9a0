"""One ranking for readers: it makes the queries to the store, and ranked entries from the
answers."""

from collections.abc import Iterable
from functools import partial
from itertools import repeat
from typing import Self

import msgspec

from rankbook.book import state
from rankbook.book.read.limits import checked
from rankbook.errors import Corrupt
from rankbook.model import Entry, Period, Standings
from rankbook.rules import BoardRules, PeriodSpan, Ranking, ranks
from rankbook.store.base import (
    Answer,
    AroundMember,
    ByPosition,
    Query,
    RankingId,
    Reads,
    Row,
    Slice,
    sliced,
)


class RankingSource:
    """One ranking of a book: how to ask the store for it, and how to read the answers.

    `now_us` decides whether the period is sealed.
    """

    def __init__(
        self, store: Reads, rules: BoardRules, ranking: Ranking, span: PeriodSpan, now_us: int
    ) -> None:
        self.store = store
        self.rules = rules
        self.ranking = ranking
        self.span = span
        self.id = RankingId(ranking.name, rules.key_bytes, rules.group_bytes)
        self.size = rules.board.size
        self.beside = state.PROFILES if rules.board.profiles == "player" else None
        self._now_us = now_us

    def over(self, store: Reads) -> Self:
        """The same view over another store, such as one snapshot of this one."""
        return type(self)(store, self.rules, self.ranking, self.span, self._now_us)

    def top_query(self, limit: int, known: int | None = None) -> Query:
        """The query of `top`. `known` is the version whose rows the reader already has."""
        return ByPosition(self.id, 0, checked(limit), self.beside, known)

    def entry_query(self, player: str) -> Query:
        """The query of `entry`."""
        return AroundMember(self.id, member(player), 1, self.beside)

    def ask(self, query: Query) -> Slice:
        """The answer to one query for rows, from a snapshot of its own."""
        [answer] = self.store.read([query]).answers
        return sliced(answer)

    def count(self) -> int:
        """How many entries the ranking has."""
        return self.capped(self.ask(ByPosition(self.id, 0, 0)).count)

    def capped(self, count: int) -> int:
        """How many of `count` entries are in the ranking: all, or the board's size."""
        return count if self.size is None else min(count, self.size)

    def numbers(self, found: Slice) -> list[int]:
        """The 1-based ranks of the rows that are within the board's size."""
        group = self.rules.group_bytes
        prefixes = [row.key[:group] for row in found.rows]
        within = max(0, self.capped(found.count) - found.start)
        return ranks(
            self.rules.board.numbering,
            found.start,
            found.before,
            found.groups_before,
            prefixes[:within],
        )

    def period(self) -> Period:
        """The ranking's period as people read it."""
        sealed = self.rules.is_sealed(self.span, self._now_us)
        return msgspec.structs.replace(self.rules.period(self.span), sealed=sealed)

    def is_final(self) -> bool:
        """Whether the period's seal is folded. Then all its results are folded too, and only a
        void, a correction or the like changes it. The clock alone does not say so, because results
        of an ended period may still be pending."""
        parts = self.ranking.board, self.ranking.window, self.ranking.period
        name = state.period_name(*parts).encode()
        _position, [seal] = self.store.entries([(state.SEALS, name)])
        return seal is not None and self.period().sealed

    def standings(self, answer: Answer, known: "Known | None" = None) -> Standings:
        """The standings in the answer to one of this view's queries. Raises `Corrupt`.

        Rows that are `known` are not decoded again.
        """
        found = sliced(answer)
        entry = self._entry if known is None else partial(self._known_entry, known)
        entries = [
            entry(*each)
            for each in zip(self.numbers(found), found.rows, each_beside(found), strict=False)
        ]
        return Standings(
            board=self.ranking.board,
            window=self.ranking.window,
            period=self.period(),
            tags=dict(self.ranking.tags),
            count=self.capped(found.count),
            entries=tuple(entries),
        )

    def _entry(self, rank: int, row: Row, beside: bytes | None) -> Entry:
        entry = self.rules.entry(rank, *row)
        if self.beside is None:
            return entry
        return msgspec.structs.replace(entry, profile=_profile(beside))

    def _known_entry(self, known: "Known", rank: int, row: Row, beside: bytes | None) -> Entry:
        last, kept = known.get(row, (None, None))
        if last is None or kept != beside:
            return self._entry(rank, row, beside)
        return last if last.rank == rank else msgspec.structs.replace(last, rank=rank)


Known = dict[Row, tuple[Entry, bytes | None]]


def each_beside(found: Slice) -> Iterable[bytes | None]:
    """The stored value of the `beside` ranking for each row. Empty if the query named none."""
    return found.beside or repeat(None)


def member(player: str) -> bytes:
    """A player as the store's member. Text that cannot be a player becomes bytes that no player
    has."""
    return player.encode(errors="surrogatepass")


def _profile(kept: bytes | None) -> dict[str, str]:
    try:
        return {} if kept is None else state.unpack_profile(kept)
    except msgspec.DecodeError as error:
        raise Corrupt("a player's profile cannot be read") from error
