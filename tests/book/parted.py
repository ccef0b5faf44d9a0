"""Where a test's book lives that is in parts: one log, and a family of stores."""

import pytest
from msgspec import structs

from rankbook import BookSpec, Rankbook, StoreError
from rankbook.book.parts.partition import Partition
from rankbook.book.parts.store import PartitionedStore
from rankbook.log import open_log
from tests.book.home import Home, Wrapped, any_time, board, result

PARTITIONS = {"by board": "board", "by period": "period"}
FEW = 3
TWO = (
    board("fast", windows=("all-time", "daily")),
    board("high", windows=("all-time", "daily"), where="score > 10"),
)


class Part(Wrapped):
    """One store of a family, or what they are parts of: a part that is `down` cannot be used, and
    `calls` are the names of its methods that were called."""

    def __init__(self, store):
        super().__init__(store)
        self.down = False
        self.calls = []
        self.parts = {}

    def part(self, name):
        return self.parts.setdefault(name, type(self)(self.inner.part(name)))

    def _up(self, call):
        self.calls.append(call)
        if self.down:
            raise StoreError("this part is down")

    def position(self):
        self._up("position")
        return super().position()

    def entries(self, wanted):
        self._up("entries")
        return super().entries(wanted)

    def publish(self, changes, receipts, *, expect, then, drops=()):
        self._up("publish")
        super().publish(changes, receipts, expect=expect, then=then, drops=drops)

    def read(self, queries):
        self._up("read")
        return super().read(queries)

    def receipts(self, seqs):
        self._up("receipts")
        return super().receipts(seqs)

    def audit(self):
        self._up("audit")
        return super().audit()


class PartedHome(Home):
    """A home whose books are in parts; `store` shows all of them as one."""

    def __init__(self, kind, path, clock, uri=None):
        super().__init__("memory", path, clock, uri)
        self.base = self.store
        self.partition = PARTITIONS[kind]

    def open(self, *boards, spec=None, wrap=Part, partitions=FEW, **more):
        if not issubclass(wrap, Part):
            pytest.skip("looks into the one store of a book")
        if boards:
            spec = BookSpec(name="book", boards=boards, **more)
        spec = spec or self.spec
        spread = structs.replace(spec, partition=self.partition, partitions=partitions)
        self.spec = any_time(spread)
        self.store = PartitionedStore(Partition(self.spec), self.base)
        book = Rankbook(
            self.spec, open_log("sqlite:", self.path), wrap(self.base), clock=self.clock
        )
        self._books.append(book)
        return book


def part(book, name):
    """The part of this name, of a book over stores of `Part`."""
    return book.store.parts[book.store.partition.names.index(name)]


def spread_days(book, days=12):
    """A result on each of some days, and the views of those days."""
    names = [f"2026-11-{day:02}" for day in range(1, days + 1)]
    book.submit_many([result("asha", 20, at=f"{name}T12:00:00Z", id=name) for name in names])
    return [book.ranking("fast", window="daily", period=name) for name in names]
