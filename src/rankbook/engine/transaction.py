"""A transaction on an environment: sets by name, and small records beside them."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import lmdb

from rankbook.engine.failures import failure
from rankbook.engine.pager_cy import PageStore
from rankbook.engine.rankset import RankSet

if TYPE_CHECKING:
    from rankbook.engine.environment import Environment


class Transaction:
    """A consistent view of every set; a writing one also changes them, all together or not at all.

    `put` and `get` keep small records (a position, a receipt) in the same transaction. A view is
    a context manager, and ends with its block.
    """

    def __init__(self, environment: "Environment", handle: Any, writing: bool) -> None:
        self.environment = environment
        self.handle = handle
        self.members_db = environment.members_db
        self.pages = PageStore(
            handle, environment.pages_db, environment.meta_db, environment.cache, writing
        )

    def __enter__(self) -> "Transaction":
        """The view itself."""
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """End the view. LMDB's errors inside the block become ours."""
        self.handle.abort()
        self.environment.gate.leave()
        if isinstance(error, lmdb.Error):
            known = failure(self.environment.path, error)
            if known is not None:
                raise known from error

    def rankset(self, name: bytes, key_bytes: int, group_bytes: int) -> RankSet:
        """The set of that name; empty where nobody wrote to it. Raises `Corrupt`."""
        return RankSet(self, name, key_bytes, group_bytes)

    def names(self) -> Iterator[tuple[bytes, int, int]]:
        """(name, key bytes, group bytes) of every set that has an entry, by stored name."""
        for filed, record in self.handle.cursor(self.environment.sets_db):
            yield RankSet.describe(filed, record)

    def get(self, key: bytes) -> bytes | None:
        """The small record under `key`."""
        found: bytes | None = self.handle.get(key, db=self.environment.meta_db)
        return found

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a small record under `key`."""
        self.pages.wrote = True
        self.handle.put(key, value, db=self.environment.meta_db)

    def put_many(self, records: list[tuple[bytes, bytes]]) -> None:
        """Keep small records under their keys."""
        self.pages.wrote = True
        with self.handle.cursor(self.environment.meta_db) as cursor:
            cursor.putmulti(records)

    def delete(self, key: bytes) -> None:
        """Forget a small record."""
        if self.handle.delete(key, db=self.environment.meta_db):
            self.pages.wrote = True

    def records(self, prefix: bytes, limit: int) -> list[bytes]:
        """The keys of at most `limit` small records that begin with `prefix`, in order."""
        found: list[bytes] = []
        with self.handle.cursor(self.environment.meta_db) as cursor:
            there = cursor.set_range(prefix)
            while there and len(found) < limit and cursor.key().startswith(prefix):
                found.append(cursor.key())
                there = cursor.next()
        return found

    def set_record(self, filed: bytes) -> bytes | None:
        """A set's own record, as bytes."""
        found: bytes | None = self.handle.get(filed, db=self.environment.sets_db)
        return found

    def put_set_record(self, filed: bytes, record: bytes | None) -> None:
        """Keep or forget a set's own record."""
        if record is not None:
            self.handle.put(filed, record, db=self.environment.sets_db)
            self.pages.wrote = True
        elif self.handle.delete(filed, db=self.environment.sets_db):
            self.pages.wrote = True
