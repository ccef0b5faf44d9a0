"""Queries as the words of the script `read`, and its answers as the store's."""

from collections.abc import Sequence
from typing import Any

from rankbook.errors import Corrupt, StoreError
from rankbook.store.base import (
    Answer,
    AroundMember,
    ByPosition,
    CountBefore,
    Counts,
    FromBound,
    Query,
    RankingId,
    Row,
    Slice,
    Stored,
)
from rankbook.store.redis.alphabet import Shape, bound_text, read_key, read_text, shape_of, text
from rankbook.store.redis.transport import Word

Known = dict[Shape, dict[tuple[str | None, str | None], Row]]
MOST_KNOWN = 4096


class Asking:
    """A list of queries: the rankings that they name, each once, and their words.

    `known` remembers rows that were read before, because the same ones are read often.
    """

    def __init__(self, queries: Sequence[Query], known: Known) -> None:
        self.queries = queries
        self._known = known
        self.rankings: list[RankingId] = []
        self._places: dict[str, int] = {}
        self.words: list[Word] = []
        for query in queries:
            self._ask(query)

    def head(self) -> list[Word]:
        """The words that go before those of the queries."""
        words: list[Word] = [len(self.rankings)]
        for ranking in self.rankings:
            of = shape_of(ranking)
            words += (ranking.name, of.key_digits, of.group_digits)
        return words

    def _ask(self, query: Query) -> None:
        place = self._place(query.ranking)
        if isinstance(query, CountBefore):
            of = shape_of(query.ranking)
            self.words += ("count" if query.groups else "entries", place, 0, len(query.bounds))
            self.words += [bound_text(bound, of) for bound in query.bounds]
            return
        beside = self._place(query.beside) if query.beside is not None else 0
        limit = max(query.limit, 0)
        if isinstance(query, ByPosition):
            known = "" if query.known is None else query.known
            self.words += ("position", place, beside, query.start, limit, known)
        elif isinstance(query, AroundMember):
            self.words += ("around", place, beside, text(query.member), limit)
        else:
            self.words += ("until" if query.reverse else "from", place, beside)
            self.words += (bound_text(query.bound, shape_of(query.ranking)), limit)

    def _place(self, ranking: RankingId) -> int:
        place = self._places.get(ranking.name)
        if place is None:
            self.rankings.append(ranking)
            place = self._places[ranking.name] = len(self.rankings)
        elif self.rankings[place - 1] != ranking:
            raise StoreError(f"{ranking.name!r} comes in two shapes in one reading")
        return place

    def answers(self, records: Sequence[str | None], replies: Sequence[Any]) -> list[Answer]:
        """The answers, from what the script returned. Raises `StoreError`."""
        versions = [version(*each) for each in zip(self.rankings, records, strict=True)]
        found: list[Answer] = []
        for query, reply in zip(self.queries, replies, strict=True):
            now = versions[self._places[query.ranking.name] - 1]
            if isinstance(query, CountBefore):
                counts = reply[2]
                pairs = list(zip(counts[::2], counts[1::2], strict=True))
                found.append(Counts(now, reply[0], reply[1], pairs))
                continue
            beside: tuple[bytes | None, ...] = ()
            if query.beside is not None:
                beside = tuple([_value(each, query.beside) for each in reply[6]])
            rows = _rows(query, reply[5], self._known)
            count, groups, start, before, groups_before = reply[:5]
            found.append(Slice(now, count, groups, start, before, groups_before, rows, beside))
        return found


def version(ranking: RankingId, record: str | None) -> int:
    """The version in a ranking's record. Raises `StoreError` for another shape, and `Corrupt`."""
    if record is None:
        return 0
    try:
        key_bytes, group_bytes, now = [int(part) for part in record.split()]
    except ValueError:
        raise Corrupt(f"the record of {ranking.name!r} cannot be read") from None
    if (key_bytes, group_bytes) != ranking[1:]:
        kept = RankingId(ranking.name, key_bytes, group_bytes)
        raise StoreError(f"{ranking.name!r} is kept as {kept}, not as {ranking}")
    return now


def stored(entry: str, of: Shape, keys: dict[str, bytes]) -> Stored:
    """An entry of a member. `keys` remembers digits that were decoded before."""
    digits = entry[: of.key_digits]
    key = keys.get(digits)
    if key is None or len(key) != of.key_bytes:
        key = keys[digits] = read_key(digits, of)
    return Stored(key, read_text(entry[of.key_digits :]))


def stored_all(
    ranking: RankingId, record: str | None, entries: Sequence[str | None]
) -> list[Stored | None]:
    """Entries of members of one ranking with this record. Raises `StoreError`."""
    version(ranking, record)
    of = shape_of(ranking)
    width, keys = of.key_digits, dict[str, bytes]()
    made = tuple.__new__  # half the cost of calling the class
    found: list[Stored | None] = []
    for entry in entries:
        if entry is None:
            found.append(None)
            continue
        digits = entry[:width]
        key = keys.get(digits)
        if key is None:
            key = keys[digits] = read_key(digits, of)
        found.append(made(Stored, (key, read_text(entry[width:]))))
    return found


def _rows(
    query: ByPosition | AroundMember | FromBound, found: Sequence[str | None], known: Known
) -> list[Row]:
    rows: list[Row] = []
    of = shape_of(query.ranking)
    there = known.setdefault(of, {})
    if len(there) > MOST_KNOWN:
        there.clear()
    for pair in zip(found[::2], found[1::2], strict=True):
        row = there.get(pair)
        if row is None:
            row = there[pair] = _row(query.ranking, of, *pair)
        rows.append(row)
    return rows


def _row(ranking: RankingId, of: Shape, item: str | None, entry: str | None) -> Row:
    """An item of the order with its entry. Raises `Corrupt` if they differ."""
    width = of.key_digits
    if item is None or entry is None or entry[:width] != item[:width]:
        raise Corrupt(f"{ranking.name!r}: order and members differ about {(item or '')[width:]!r}")
    return Row(read_text(item[width:]), read_key(item[:width], of), read_text(entry[width:]))


def _value(entry: str | None, ranking: RankingId) -> bytes | None:
    return None if entry is None else read_text(entry[shape_of(ranking).key_digits :])
