"""The records of one transaction, and what all transactions of an environment share."""

from pathlib import Path
from typing import Any

from rankbook.engine.gate import Gate
from rankbook.engine.pager_cy import Cache, PageStore
from rankbook.engine.records import Parsed


class Resources:
    """What the transactions of one environment share: its databases, capacities and caches.

    `expected_bytes` is how much the running transaction wants to write. A full map grows by enough
    for it.
    """

    meta_db: Any
    sets_db: Any
    pages_db: Any
    members_db: Any

    def __init__(
        self, path: Path, page_bytes: int, compact_bytes: int, demote_bytes: int, cache_pages: int
    ) -> None:
        self.path = path
        self.page_bytes = page_bytes
        self.compact_bytes = compact_bytes
        self.demote_bytes = demote_bytes
        self.cache = Cache(cache_pages)
        self.parsed = Parsed()
        self.gate = Gate(path)
        self.expected_bytes = 0

    def open(self, lmdb: Any) -> None:
        """Open the databases of an LMDB environment, and make the missing ones. Takes LMDB's lock
        of writers."""
        self.meta_db = lmdb.open_db(b"meta")
        self.sets_db = lmdb.open_db(b"sets")
        self.pages_db = lmdb.open_db(b"pages")
        self.members_db = lmdb.open_db(b"members")

    def databases(self) -> tuple[Any, ...]:
        """Every database."""
        return (self.meta_db, self.sets_db, self.pages_db, self.members_db)


class RecordStore:
    """The records of sets, small records under keys, and the pages of trees, in one transaction."""

    def __init__(self, resources: Resources, handle: Any, writing: bool) -> None:
        self.resources = resources
        self.handle = handle
        self.pages = PageStore(
            handle, resources.pages_db, resources.meta_db, resources.cache, writing
        )

    def get(self, key: bytes) -> bytes | None:
        """The small record under `key`."""
        found: bytes | None = self.handle.get(key, db=self.resources.meta_db)
        return found

    def put(self, key: bytes, value: bytes) -> None:
        """Keep a small record under `key`."""
        self.pages.wrote = True
        self.handle.put(key, value, db=self.resources.meta_db)

    def put_many(self, records: list[tuple[bytes, bytes]]) -> None:
        """Keep small records under their keys."""
        self.pages.wrote = True
        with self.handle.cursor(self.resources.meta_db) as cursor:
            cursor.putmulti(records)

    def delete(self, key: bytes) -> None:
        """Forget a small record."""
        if self.handle.delete(key, db=self.resources.meta_db):
            self.pages.wrote = True

    def records(self, prefix: bytes, limit: int) -> list[bytes]:
        """The keys of at most `limit` small records that begin with `prefix`, in order."""
        found: list[bytes] = []
        with self.handle.cursor(self.resources.meta_db) as cursor:
            there = cursor.set_range(prefix)
            while there and len(found) < limit and cursor.key().startswith(prefix):
                found.append(cursor.key())
                there = cursor.next()
        return found

    def set_record(self, filed: bytes) -> bytes | None:
        """A set's own record, as bytes."""
        found: bytes | None = self.handle.get(filed, db=self.resources.sets_db)
        return found

    def put_set_record(self, filed: bytes, record: bytes | None) -> None:
        """Keep or forget a set's own record."""
        if record is not None:
            self.handle.put(filed, record, db=self.resources.sets_db)
            self.pages.wrote = True
        elif self.handle.delete(filed, db=self.resources.sets_db):
            self.pages.wrote = True
