"""A transaction on an environment: sets by name, and small records beside them."""

from collections.abc import Iterator

import lmdb

from rankbook.engine.failures import failure
from rankbook.engine.rankset import RankSet
from rankbook.engine.record_store import RecordStore
from rankbook.engine.records import read_header


class Transaction(RecordStore):
    """A consistent view of every set. A writing transaction also changes them, all together or not
    at all.

    `put` and `get` keep small records (a position, a receipt) in the same transaction. A view is a
    context manager, and ends with its block.
    """

    def __enter__(self) -> "Transaction":
        """The view itself."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """End the view. LMDB's errors inside the block become ours."""
        self.handle.abort()
        self.resources.gate.leave()
        if isinstance(error, lmdb.Error):
            known = failure(self.resources.path, error)
            if known is not None:
                raise known from error

    def rankset(self, name: bytes, key_bytes: int, group_bytes: int) -> RankSet:
        """The set with this name; empty if nobody has written to it. Raises `Corrupt`."""
        return RankSet(self, name, key_bytes, group_bytes)

    def names(self) -> Iterator[tuple[bytes, int, int]]:
        """(name, key bytes, group bytes) of every set that has an entry, by stored name."""
        for filed, record in self.handle.cursor(self.resources.sets_db):
            head = read_header(filed, record)
            yield head.name, head.key_bytes, head.group_bytes
