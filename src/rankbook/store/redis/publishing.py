"""A publish as keys and words of the script `publish`, in parts if it is large."""

from collections.abc import Iterator, Sequence

from rankbook.errors import StoreError
from rankbook.store.base import Change, RankingId
from rankbook.store.redis.alphabet import key_text, shape_of, text
from rankbook.store.redis.keys import BUCKET, Keys


class _Written:
    """The changes of one ranking."""

    __slots__ = ("puts", "ranking", "removals")

    def __init__(self, ranking: RankingId) -> None:
        self.ranking = ranking
        self.puts: list[str] = []
        self.removals: list[str] = []

    def words(self) -> list[str]:
        of = shape_of(self.ranking)
        puts, removals = len(self.puts) // 2, len(self.removals)
        if len({*self.puts[::2], *self.removals}) != puts + removals:
            raise StoreError(f"two changes of one entry of {self.ranking.name!r} in one publish")
        shape = f"{of.key_bytes} {of.group_bytes}"
        sizes = [str(each) for each in (of.key_digits, of.group_digits, puts, removals)]
        return [self.ranking.name, shape, *sizes, *self.puts, *self.removals]


class Publication:
    """The content of one publish. Raises `StoreError` for malformed changes."""

    def __init__(
        self,
        changes: Sequence[Change],
        receipts: Sequence[tuple[int, bytes]],
        drops: Sequence[RankingId],
    ) -> None:
        written = _by_ranking(changes)
        buckets: dict[int, list[str]] = {}
        for seq, receipt in receipts:
            buckets.setdefault(seq // BUCKET, []).extend((str(seq), text(receipt)))
        dropped = {ranking.name: ranking for ranking in drops}
        self.written = list(written)
        self.dropped = list(dropped)
        self.buckets = list(buckets)
        self.words: list[str] = []
        for each in written.values():
            self.words += each.words()
        self.words += self.dropped
        for pairs in buckets.values():
            self.words.append(str(len(pairs) // 2))
            self.words += pairs

    def keys(self, keys: Keys, staged: Sequence[str]) -> list[str]:
        """All keys, in the order that the script wants."""
        found = [*keys.common, *keys.audit]
        for name in self.written:
            found += keys.of_ranking(name)
        for name in self.dropped:
            found += keys.of_ranking(name)
        found += [keys.bucket(number) for number in self.buckets]
        return [*found, *staged]

    def parts(self, most_words: int, most_characters: int) -> Iterator[list[str]]:
        """The words in parts that fit into one call each."""
        if len(self.words) <= most_words and sum(map(len, self.words)) <= most_characters:
            yield self.words
            return
        part: list[str] = []
        size = 0
        for word in self.words:
            if part and (len(part) == most_words or size + len(word) > most_characters):
                yield part
                part, size = [], 0
            part.append(word)
            size += len(word)
        yield part


def _by_ranking(changes: Sequence[Change]) -> dict[str, _Written]:
    written: dict[str, _Written] = {}
    digits: dict[tuple[bytes, int], str] = {}  # rankings that an event touches often share its key
    for ranking, member, key, value in changes:
        each = written.get(ranking.name)
        if each is None:
            each = written[ranking.name] = _Written(ranking)
        elif each.ranking != ranking:
            raise StoreError(f"{ranking.name!r} comes in two shapes in one publish")
        if key is None:
            each.removals.append(text(member))
            continue
        _name, key_bytes, group_bytes = ranking
        if len(key) != key_bytes:
            raise StoreError(f"a key of {ranking.name!r} has {key_bytes} bytes: {key!r}")
        known = digits.get((key, group_bytes))
        if known is None:
            known = digits[key, group_bytes] = key_text(key, group_bytes)
        each.puts += (text(member), known + text(value))
    return written
