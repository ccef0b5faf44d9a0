"""Every invariant of the engine's form, in English, checked on one snapshot.

1. A set's record has a CRC that fits, a known form, and keys no shorter than its groups.
2. A compact set's items ascend strictly, and no member is twice in it.
3. A tree's pages all have a CRC that fits, belong to the set, and stand on the floor that their
   parent says; leaves are not empty.
4. Items ascend strictly, within a page and from page to page.
5. Every item of a child is at or above its separator and below the next one.
6. The items and groups that a parent states for a child, and a set for its root, are those that
   are there; a child is joined exactly when its first group carries on from the child before.
7. Each item has a member record with the same key, and there are as many records as items.
8. A record's CRC fits; a set's payload is what its entries add up to.
9. Every page belongs to exactly one tree, and every member record to a set.
"""

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import suppress
from functools import partial
from itertools import pairwise
from pathlib import Path

import lmdb

from rankbook.engine import compact
from rankbook.engine import members_cy as members
from rankbook.engine import page_cy as kernel
from rankbook.engine.environment import Environment
from rankbook.engine.rankset import RankSet
from rankbook.engine.records import read_header
from rankbook.engine.transaction import Transaction
from rankbook.engine.tree_cy import Tree
from rankbook.errors import Corrupt

DAMAGED = 3
UNREADABLE = 4
LAST_SET = 0xFFFF_FFFF

Progress = Callable[[int], None]
Counting = Generator[str, None, tuple[int, int]]


def check(transaction: Transaction, told: Progress | None = None) -> Iterator[str]:
    """Every fault of every set, as a sentence; nothing if all is sound.

    `told` is called with the number of entries checked since its last call. Memory: a bit more than
    a set of all page ids.
    """
    progress = told or (lambda _entries: None)
    pages: set[int] = set()
    trees: set[int] = set()
    for filed, record in transaction.handle.cursor(transaction.resources.sets_db):
        try:
            head = read_header(filed, record)
            rankset = RankSet(transaction, head.name, head.key_bytes, head.group_bytes)
        except Corrupt as error:
            yield str(error)
            continue
        label = f"set {head.name!r}"
        if head.group_bytes > head.key_bytes:
            yield f"{label}: groups of {head.group_bytes} bytes in keys of {head.key_bytes}"
        if rankset.tree is None:
            yield from _check_compact(label, rankset)
        else:
            trees.add(rankset.set_id)
            yield from _Walk(transaction, rankset, label, pages, progress).faults()
        progress(0 if rankset.tree is not None else len(rankset))
    yield from _check_strays(transaction, pages, trees)


def _check_compact(label: str, rankset: RankSet) -> Iterator[str]:
    entries = rankset.scan(0, len(rankset))
    items = [key + member for member, key, _value in entries]
    if any(left >= right for left, right in pairwise(items)):
        yield f"{label}: the items do not ascend"
    if len({member for member, _key, _value in entries}) != len(entries):
        yield f"{label}: a member is in it twice"
    if any(len(item) < rankset.key_bytes for item in items):
        yield f"{label}: an item is shorter than a key"


def _check_strays(transaction: Transaction, pages: set[int], trees: set[int]) -> Iterator[str]:
    resources = transaction.resources
    with transaction.handle.cursor(resources.pages_db) as cursor:
        for filed in cursor.iternext(keys=True, values=False):
            page_id = int.from_bytes(filed, "big")
            if page_id not in pages:
                yield f"page {page_id} belongs to no set"
    with transaction.handle.cursor(resources.members_db) as cursor:
        found = cursor.first()
        while found:
            set_id = int.from_bytes(cursor.key()[:4], "big")
            if set_id not in trees:
                yield f"member records of set {set_id} belong to no set"
            found = set_id < LAST_SET and cursor.set_range((set_id + 1).to_bytes(4, "big"))


class _Walk:
    """One tree, page by page in order."""

    def __init__(
        self,
        transaction: Transaction,
        rankset: RankSet,
        label: str,
        pages: set[int],
        progress: Progress,
    ) -> None:
        self.transaction = transaction
        self.rankset = rankset
        self.label = label
        self.pages = pages
        self.progress = progress
        self.last: bytes | None = None
        self.payload = 4
        self.group = rankset.group_bytes

    def faults(self) -> Iterator[str]:
        """Every fault of the tree and its member records."""
        tree = self.rankset.tree
        if tree is None:
            return
        if tree.root == 0:
            yield f"{self.label}: a tree has no root"
            return
        counted = yield from self._page(tree, tree.root, tree.height, b"", None)
        if counted != (tree.items, tree.groups):
            yield f"{self.label}: holds {counted} (items, groups), its record says " + str(
                (tree.items, tree.groups)
            )
        records = sum(1 for _record in self._member_keys())
        if records != counted[0]:
            yield f"{self.label}: {records} member records for {counted[0]} items"
        if self.payload != self.rankset.payload:
            yield f"{self.label}: payload {self.payload}, its record says {self.rankset.payload}"

    def _member_keys(self) -> Iterator[bytes]:
        prefix = self.rankset.set_id.to_bytes(4, "big")
        with self.transaction.handle.cursor(self.transaction.resources.members_db) as cursor:
            if cursor.set_range(prefix):
                for filed in cursor.iternext(keys=True, values=False):
                    if filed[:4] != prefix:
                        return
                    yield filed

    def _page(
        self, tree: Tree, page_id: int, floor: int, low: bytes, high: bytes | None
    ) -> "Counting":
        """Faults below a page whose items lie in [low, high); returns its (items, groups)."""
        where = f"{self.label}: page {page_id}"
        if page_id in self.pages:
            yield f"{where} is used twice"
            return (0, 0)
        self.pages.add(page_id)
        try:
            page = tree.pager.load(page_id)
        except Corrupt as error:
            yield f"{self.label}: {error}"
            return (0, 0)
        if kernel.owner(page) != tree.owner or kernel.level(page) != floor:
            yield f"{where} is of set {kernel.owner(page)}, floor {kernel.level(page)}"
            return (0, 0)
        if floor == 0:
            return (yield from self._leaf(where, page, low, high))
        return (yield from self._inner(tree, where, page, floor, low, high))

    def _inner(
        self, tree: Tree, where: str, page: bytes, floor: int, low: bytes, high: bytes | None
    ) -> "Counting":
        items = groups = 0
        children = kernel.inner_children(page)
        for index, (separator, child, said_items, said_groups, joined) in enumerate(children):
            before = self.last
            bottom = separator or low
            top = children[index + 1][0] if index + 1 < len(children) else high
            counted = yield from self._page(tree, child, floor - 1, bottom, top)
            if counted != (said_items, said_groups):
                yield f"{where}: child {index} has {counted}, not {(said_items, said_groups)}"
            carries_on = bool(joined)
            with suppress(Corrupt):  # a page below is damaged, and was reported
                edge = self._first_group(tree, child, floor - 1) if index and counted[0] else None
                carries_on = before is not None and edge == before[: self.group]
            if index and bool(joined) != carries_on:
                yield f"{where}: child {index} is joined {joined}, and it should not be so"
            items += counted[0]
            groups += counted[1] - (1 if carries_on else 0)
        return (items, groups)

    def _first_group(self, tree: Tree, page_id: int, floor: int) -> bytes:
        page = tree.pager.load(page_id)
        for _floor in range(floor):
            page = tree.pager.load(kernel.inner_child(page, 0))
        return kernel.leaf_edges(page, self.group)[0]

    def _leaf(self, where: str, page: bytes, low: bytes, high: bytes | None) -> "Counting":
        items = kernel.leaf_items(page, 0, kernel.length(page))
        if not items:
            yield f"{where} is an empty leaf"
            return (0, 0)
        for item in items:
            if self.last is not None and item <= self.last:
                yield f"{where}: item {item!r} does not ascend"
            if item < low or (high is not None and item >= high):
                yield f"{where}: item {item!r} is outside its separators"
            self.last = item
        yield from self._records(where, items)
        self.progress(len(items))
        return (len(items), kernel.leaf_groups(page, len(items), self.group))

    def _records(self, where: str, items: list[bytes]) -> Iterator[str]:
        size = self.rankset.key_bytes
        filed = [members.index_key_of_tail(self.rankset.set_id, item[size:]) for item in items]
        with self.transaction.handle.cursor(self.transaction.resources.members_db) as cursor:
            found = dict(cursor.getmulti(filed))
        for item, place in zip(items, filed, strict=True):
            record = found.get(place)
            if record is None:
                yield f"{where}: item {item!r} has no member record"
                continue
            try:
                member, key, value = members.unpack(place, record, size)
            except Corrupt as error:
                yield f"{where}: {error}"
                continue
            self.payload += compact.packed_bytes([(key + member, value)]) - 4
            if key + members.tail(member) != item:
                yield f"{where}: item {item!r} has a member record with key {key!r}"


def main(arguments: list[str]) -> int:
    """Check the named directory: 0 if it is sound, DAMAGED if not, UNREADABLE if LMDB is misled.

    It runs in a child process. If a file is damaged beyond what LMDB can bear, only the child dies.
    """
    try:
        environment = Environment(Path(arguments[0]), create=False, watched=False)
        with environment.view() as view:
            if not all(map(partial(_can_be_walked, view), view.resources.databases())):
                return UNREADABLE
            return 0 if next(check(view), None) is None else DAMAGED
    except (Corrupt, lmdb.Error):
        return DAMAGED


def _can_be_walked(view: Transaction, database: object) -> bool:
    """Whether LMDB's own tree leads to every entry once, in ascending order.

    Pages in wrong places can lead a cursor in circles, and a change to a crash.
    """
    count, last = 0, b""
    for key, _value in view.handle.cursor(database):
        if count and key <= last:
            return False
        count, last = count + 1, key
    entries: int = view.handle.stat(database)["entries"]
    return count == entries


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
