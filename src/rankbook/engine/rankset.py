"""RankSet: members in the order of their keys, counted; bytes in, bytes out.

A set has two forms. While it is small it is one record (see compact.py). If that would exceed the
compact limit, it becomes a counted tree and a member index (see tree_cy.py, members_cy.py). It
becomes one record again once its entries take less than the lower limit. Callers do not see which
form a set has.
"""

from collections.abc import Iterator, Sequence

from rankbook.engine import compact, records
from rankbook.engine import members_cy as members
from rankbook.engine.members_cy import Change, Ranked
from rankbook.engine.record_store import RecordStore
from rankbook.engine.tree_cy import Tree
from rankbook.errors import Corrupt, StoreError


class RankSet:
    """One set within a transaction. Positions are 0-based; a group is a run of entries whose keys
    agree in their first `group_bytes` bytes.

    `version` is the number given with the last change, 0 for an empty set: it has no record.
    """

    def __init__(
        self, transaction: RecordStore, name: bytes, key_bytes: int, group_bytes: int
    ) -> None:
        self._transaction = transaction
        self.name = name
        self.key_bytes = key_bytes
        self.group_bytes = group_bytes
        self.version = 0
        self.payload = 4
        self.set_id = 0
        self._pairs: compact.Pairs = []
        self._tree: Tree | None = None
        self._filed = records.filed_under(name)
        record = transaction.set_record(self._filed)
        if record is not None:
            self._load(record)

    def _load(self, record: bytes) -> None:
        head, rest = self._transaction.resources.parsed.read(self._filed, record)
        if (head.key_bytes, head.group_bytes) != (self.key_bytes, self.group_bytes):
            raise StoreError(
                f"set {self.name!r} has keys of {head.key_bytes} bytes with groups of "
                f"{head.group_bytes}, not {self.key_bytes} and {self.group_bytes}"
            )
        self.version = head.version
        if head.form == records.COMPACT:
            self._pairs = rest
            self.payload = len(record) - head.body
        else:
            self.set_id, height, root, items, groups, self.payload = rest
            self._tree = self._new_tree(root, height, items, groups)

    def _new_tree(self, root: int = 0, height: int = 0, items: int = 0, groups: int = 0) -> Tree:
        return Tree(
            self._transaction.pages,
            self.set_id,
            self.group_bytes,
            self._transaction.resources.page_bytes,
            (root, height, items, groups),
        )

    # --- reading ---------------------------------------------------------------------------------

    @property
    def form(self) -> str:
        """The form: "compact" or "tree"."""
        return "compact" if self._tree is None else "tree"

    @property
    def tree(self) -> Tree | None:
        """The tree, for the checker; None in compact form."""
        return self._tree

    def __len__(self) -> int:
        return len(self._pairs) if self._tree is None else self._tree.items

    @property
    def groups(self) -> int:
        """How many groups the set has. O(1) as a tree."""
        if self._tree is not None:
            return self._tree.groups
        return compact.groups_before(self._pairs, len(self._pairs), self.group_bytes)

    def get(self, member: bytes) -> tuple[bytes, bytes] | None:
        """(key, value) of a member. O(log n)."""
        if self._tree is None:
            for item, value in self._pairs:
                if item[self.key_bytes :] == member:
                    return item[: self.key_bytes], value
            return None
        filed = members.index_key(self.set_id, member)
        record = self._transaction.handle.get(filed, db=self._transaction.resources.members_db)
        return None if record is None else self._entry(filed, member, record)

    def get_many(self, wanted: Sequence[bytes]) -> dict[bytes, tuple[bytes, bytes]]:
        """member -> (key, value) of those of `wanted` that the set has."""
        if self._tree is None:
            asked = set(wanted)
            size = self.key_bytes
            return {
                item[size:]: (item[:size], value)
                for item, value in self._pairs
                if item[size:] in asked
            }
        with self._transaction.handle.cursor(self._transaction.resources.members_db) as cursor:
            return members.entries(list(wanted), self.set_id, self.key_bytes, cursor.getmulti)

    def _entry(self, filed: bytes, member: bytes, record: bytes) -> tuple[bytes, bytes]:
        kept, key, value = members.unpack(filed, record, self.key_bytes)
        if kept != member:
            raise Corrupt(f"set {self.name!r}: the record of {member[:80]!r} is of another member")
        return key, value

    def count_before(self, bound: bytes) -> tuple[int, int]:
        """(entries, groups) below `bound`, which is compared with key + member. O(log n)."""
        if self._tree is not None:
            return self._tree.count_before(bound)
        stop = compact.find(self._pairs, bound)
        return stop, compact.groups_before(self._pairs, stop, self.group_bytes)

    def rank(self, member: bytes) -> int | None:
        """The 0-based position of a member. O(log n), also in a long tie. Raises `Corrupt`."""
        if self._tree is None:
            size = self.key_bytes
            for position, (item, _value) in enumerate(self._pairs):
                if item[size:] == member:
                    return position
            return None
        found = self.get(member)
        return None if found is None else self.position(found[0], member)

    def position(self, key: bytes, member: bytes) -> int:
        """The 0-based position of an entry known to be there. Raises `Corrupt`."""
        item = key + members.tail(member)
        try:
            if self._tree is None:
                position = compact.find(self._pairs, item)
                if self._pairs[position : position + 1] == [] or self._pairs[position][0] != item:
                    raise LookupError(item)
                return position
            return self._tree.position(item)
        except LookupError as error:
            raise Corrupt(
                f"set {self.name!r}: member {member[:80]!r} is in one index and not in the other"
            ) from error

    def scan(self, start: int, limit: int) -> list[Ranked]:
        """At most `limit` entries (member, key, value) in order from a 0-based position.

        O(log n + limit).
        """
        size = self.key_bytes
        if self._tree is None:
            pairs = self._pairs[max(start, 0) : max(start, 0) + max(limit, 0)]
            return [(item[size:], item[:size], value) for item, value in pairs]
        items = self._tree.scan(start, limit)
        with self._transaction.handle.cursor(self._transaction.resources.members_db) as cursor:
            return members.ranked(items, self.set_id, size, cursor.getmulti)

    def order(self) -> Iterator[tuple[bytes, bytes]]:
        """(key, member as it stands in the order) of every entry, in order, from one index."""
        size = self.key_bytes
        for start in range(0, len(self), 1000):
            if self._tree is None:
                items = [item for item, _value in self._pairs[start : start + 1000]]
            else:
                items = self._tree.scan(start, 1000)
            for item in items:
                yield item[:size], item[size:]

    def members(self) -> Iterator[Ranked]:
        """Every entry (member, key, value), from the member index and in its order."""
        if self._tree is None:
            yield from sorted(self.scan(0, len(self)))
            return
        prefix = self.set_id.to_bytes(4, "big")
        with self._transaction.handle.cursor(self._transaction.resources.members_db) as cursor:
            if cursor.set_range(prefix):
                for filed, record in cursor.iternext():
                    if filed[:4] != prefix:
                        return
                    yield members.unpack(filed, record, self.key_bytes)

    # --- changing --------------------------------------------------------------------------------

    def put(self, member: bytes, key: bytes, value: bytes, version: int = 1) -> None:
        """Give a member its entry, wherever it stood before. O(log n)."""
        self.apply([(member, key, value)], version)

    def remove(self, member: bytes, version: int = 1) -> None:
        """Remove a member's entry. Does nothing if there is none. O(log n)."""
        self.apply([(member, None, b"")], version)

    def rename(self, name: bytes) -> None:
        """File the set under another name, which no set has. O(1) as a tree."""
        self._transaction.put_set_record(self._filed, None)
        self.name = name
        self._filed = records.filed_under(name)
        self._save()

    def drop(self) -> None:
        """Remove everything. O(n)."""
        if self._tree is not None:
            self._tree.discard()
            prefix = self.set_id.to_bytes(4, "big")
            with self._transaction.handle.cursor(self._transaction.resources.members_db) as cursor:
                found = cursor.set_range(prefix)
                while found and cursor.key()[:4] == prefix:
                    found = cursor.delete()
        self._tree = None
        self._pairs = []
        self.payload = 4
        self._save()

    def apply(self, changes: Sequence[Change], version: int) -> None:
        """Give each member its new (key, value), or remove it if the key is None, as one batch.

        Each member has at most one change. Raises `StoreError` for a key of another length or a
        member over 64 KiB; the transaction must then be abandoned.
        """
        for member, key, _value in changes:
            if len(member) > members.MEMBER_BYTES:
                raise StoreError(f"a member has {len(member)} bytes; at most 65536 can be kept")
            if key is not None and len(key) != self.key_bytes:
                raise StoreError(f"a key has {len(key)} bytes where {self.key_bytes} belong")
        if changes:
            entry_bytes = 64 + self.key_bytes + len(changes[0][0]) + len(changes[0][2])
            self._transaction.resources.expected_bytes += len(changes) * entry_bytes
        if self._tree is None:
            self._apply_compact(changes)
        else:
            self._apply_tree(self._tree, changes)
            if len(self) == 0 or self.payload < self._transaction.resources.demote_bytes:
                self._demote()
        self.version = version
        self._save()

    def _apply_compact(self, changes: Sequence[Change]) -> None:
        size = self.key_bytes
        named = {member for member, _key, _value in changes}
        pairs = [pair for pair in self._pairs if pair[0][size:] not in named]
        pairs += [(key + member, value) for member, key, value in changes if key is not None]
        pairs.sort()
        self._pairs = pairs
        self.payload = compact.packed_bytes(pairs)
        long = any(len(pair[0]) - size > members.ITEM_BYTES for pair in pairs)
        if long or (pairs and self.payload > self._transaction.resources.compact_bytes):
            self._promote()

    def _promote(self) -> None:
        size = self.key_bytes
        changes: list[Change] = [(item[size:], item[:size], value) for item, value in self._pairs]
        found = self._transaction.get(b"next_set")
        self.set_id = int.from_bytes(found, "big") if found else 1
        self._transaction.put(b"next_set", (self.set_id + 1).to_bytes(4, "big"))
        self._pairs = []
        self.payload = 4
        self._tree = self._new_tree()
        self._apply_tree(self._tree, changes)

    def _demote(self) -> None:
        entries = list(self.members())
        if any(len(member) > members.ITEM_BYTES for member, _key, _value in entries):
            return
        self._apply_tree(
            self._tree_now(), [(member, None, b"") for member, _key, _value in entries]
        )
        self._tree = None
        self._pairs = sorted((key + member, value) for member, key, value in entries)
        self.payload = compact.packed_bytes(self._pairs)

    def _tree_now(self) -> Tree:
        if self._tree is None:
            raise StoreError(f"set {self.name!r} is not a tree")
        return self._tree

    def _apply_tree(self, tree: Tree, changes: Sequence[Change]) -> None:
        handle, members_db = self._transaction.handle, self._transaction.resources.members_db
        with handle.cursor(members_db) as cursor:
            plan = members.plan(
                list(changes), self.set_id, self.key_bytes, cursor.getmulti, cursor.putmulti
            )
        for place in plan.gone:
            handle.delete(place, db=members_db)
        self.payload += plan.payload
        items, present = plan.items()
        try:
            tree.change(items, present)
        except LookupError as error:
            raise Corrupt(f"set {self.name!r}: the indexes disagree: {error.args[0]!r}") from error

    def _save(self) -> None:
        if len(self) == 0 and self._tree is None:
            self._transaction.put_set_record(self._filed, None)
            return
        if self._tree is None:
            form, body = records.COMPACT, compact.pack(self._pairs)
        else:
            form, body = records.TREE, self._tree_body(self._tree)
        record = records.pack(form, self.key_bytes, self.group_bytes, self.version, self.name, body)
        self._transaction.put_set_record(self._filed, record)

    def _tree_body(self, tree: Tree) -> bytes:
        return records.tree_body(
            self.set_id, tree.height, tree.root, tree.items, tree.groups, self.payload
        )
