"""Generations of rankings in one embedded store: one is served, and one may be staged.

A generation has its own names, position and receipts. A single record names the one that is served.
So another takes its place in one small transaction, however large both are. The first has no
prefix; others have a zero byte and their number.

    generation        number of the generation that is served
    beside            number of the staged one
    removed_generation  number of a discarded one that is being removed
    <prefix>position  how far into the log a generation has been folded
    <prefix>receipt:  and a log position: a receipt
"""

from collections.abc import Iterable, Iterator
from itertools import islice

from rankbook.engine.rankset import RankSet
from rankbook.engine.transaction import Transaction
from rankbook.store.base import RankingId

GENERATION = b"generation"
STAGING = b"beside"
REMOVED = b"removed_generation"
POSITION = b"position"
RECEIPT = b"receipt:"
CHUNK = 1000
RUN = 10


class Generation:
    """One generation, within a transaction."""

    def __init__(self, view: Transaction, prefix: bytes) -> None:
        self.view = view
        self.prefix = prefix
        self._known: dict[str, RankSet] = {}

    def position(self) -> int:
        """How far into the log these rankings have been folded."""
        found = self.view.get(self.prefix + POSITION)
        return int.from_bytes(found, "big") if found else 0

    def move_to(self, position: int) -> None:
        """Set the position."""
        self.view.put(self.prefix + POSITION, position.to_bytes(8, "big"))

    def rankset(self, ranking: RankingId) -> RankSet:
        """The set of a ranking."""
        name = self.prefix + ranking.name.encode()
        return self.view.rankset(name, ranking.key_bytes, ranking.group_bytes)

    def known(self, ranking: RankingId) -> RankSet:
        """The set of a ranking, for reading: found once in a transaction."""
        found = self._known.get(ranking.name)
        if found is None or (found.key_bytes, found.group_bytes) != ranking[1:]:
            found = self._known[ranking.name] = self.rankset(ranking)
        return found

    def receipt(self, seq: int) -> bytes | None:
        """The receipt for a log position."""
        return self.view.get(self.prefix + RECEIPT + seq.to_bytes(8, "big"))

    def put_receipts(self, receipts: Iterable[tuple[int, bytes]]) -> None:
        """Keep receipts, by log position."""
        prefix = self.prefix + RECEIPT
        self.view.put_many([(prefix + seq.to_bytes(8, "big"), each) for seq, each in receipts])

    def rankings(self) -> Iterator[RankingId]:
        """Every ranking of this generation that has an entry, by name."""
        for name, key_bytes, group_bytes in self.view.names():
            if self.prefix == b"":
                if not name.startswith(b"\0"):
                    yield RankingId(name.decode(), key_bytes, group_bytes)
            elif name.startswith(self.prefix):
                yield RankingId(name[len(self.prefix) :].decode(), key_bytes, group_bytes)


def number(view: Transaction, role: bytes) -> int | None:
    """The number of the generation in a role. None if nothing is staged."""
    found = view.get(role)
    if found is None or found == b"":
        return 0 if role == GENERATION else None
    return int.from_bytes(found, "big")


def assign(view: Transaction, role: bytes, generation: int | None) -> None:
    """Give a role to a generation, or to none."""
    view.put(role, b"" if generation is None else generation.to_bytes(4, "big"))


def numbered(view: Transaction, generation: int) -> Generation:
    """The generation of that number."""
    return Generation(view, b"\0" + generation.to_bytes(4, "big") if generation else b"")


def give_up(view: Transaction, generation: int) -> None:
    """Take this generation out of staging, and mark it for removal in steps.

    Call it in the transaction that makes the generation useless. Then nobody mistakes a half
    removed generation for one that is being made.
    """
    assign(view, STAGING, None)
    view.put(REMOVED, generation.to_bytes(4, "big"))


def is_removing(view: Transaction) -> bool:
    """Whether a generation is still to be removed."""
    return view.get(REMOVED) is not None


def remove_some(view: Transaction) -> bool:
    """Remove some of the discarded generation's rankings and records. Returns whether more may be
    left."""
    found = view.get(REMOVED)
    if found is None:
        return False
    gone = numbered(view, int.from_bytes(found, "big"))
    names = list(islice(gone.rankings(), RUN))
    for ranking in names:
        gone.rankset(ranking).drop()
    records = view.records(gone.prefix + RECEIPT, CHUNK)
    for key in records:
        view.delete(key)
    view.delete(gone.prefix + POSITION)
    if not names and not records:
        view.delete(REMOVED)
    return bool(names or records)
