# cython: language_level=3
"""The counted tree: items in ascending order, with rank and select in O(log n).

Inner pages keep the number of items and of groups below each child (an order-statistic tree, as in
Cormen et al., Introduction to Algorithms, chapter 14, on a B+ tree). An item is key + member, so
that a search inside a run of equal keys is as deep as any other.

A batch of changes walks the tree once: it is cut at the separators, each page it reaches is
changed once, and pages are split, merged and emptied on the way up. Page ids stay: a page that is
changed in place needs no change of its parent's pointer, only of its counts.

A pager gives and takes pages: `load(id)`, `save(id, page)`, `create() -> id`, `discard(id)`.
"""

from collections.abc import Sequence
from typing import Protocol

try:
    import cython
except ModuleNotFoundError:
    from rankbook.engine import cython  # type: ignore[no-redef]

from rankbook.engine import page_cy as kernel

COMPILED = bool(cython.compiled)


class Pager(Protocol):
    """Where a tree's pages are."""

    def load(self, page_id: int) -> bytes:
        """The page, its checksum verified. Raises `Corrupt`."""
        ...

    def save(self, page_id: int, page: bytes) -> None:
        """Keep the page under this id."""
        ...

    def create(self) -> int:
        """An id that no page has had."""
        ...

    def discard(self, page_id: int) -> None:
        """Forget the page."""
        ...


@cython.cclass
class Node:
    """A page as its parent sees it. `first` and `last` are the group prefixes at its edges, None
    when they are as they were before the change; `size` is the page's bytes."""

    separator = cython.declare(bytes, visibility="readonly")
    page_id = cython.declare(cython.longlong, visibility="readonly")
    items = cython.declare(cython.longlong, visibility="readonly")
    groups = cython.declare(cython.longlong, visibility="readonly")
    first = cython.declare(object, visibility="readonly")
    last = cython.declare(object, visibility="readonly")
    size = cython.declare(cython.Py_ssize_t, visibility="readonly")

    def __init__(
        self,
        separator: bytes,
        page_id: int,
        items: int,
        groups: int,
        first: bytes | None,
        last: bytes | None,
        size: cython.Py_ssize_t,
    ) -> None:
        self.separator = separator
        self.page_id = page_id
        self.items = items
        self.groups = groups
        self.first = first
        self.last = last
        self.size = size


class Tree:
    """A counted tree over a pager. `root` is 0 while it is empty; `height` counts inner floors.

    `group` is the length of the prefix that tied items share; `capacity` the most bytes of a page
    (a page of one huge item may exceed it).
    """

    def __init__(
        self,
        pager: Pager,
        owner: int,
        group: int,
        capacity: int,
        state: tuple[int, int, int, int] = (0, 0, 0, 0),
    ) -> None:
        """`state` is (root, height, items, groups) of a tree that is there."""
        self.pager = pager
        self.owner = owner
        self.group = group
        self.capacity = capacity
        self.root, self.height, self.items, self.groups = state

    # --- reading ---------------------------------------------------------------------------------

    def count_before(self, bound: bytes) -> tuple[int, int]:
        """(items, groups) below `bound`. A group that `bound` cuts counts. O(log n)."""
        return self._descend(bound, False)

    def position(self, item: bytes) -> int:
        """The 0-based position of an item. Raises LookupError when it is not there. O(log n)."""
        items, _groups = self._descend(item, True)
        return items

    def _descend(self, bound: bytes, exact: bool) -> tuple[int, int]:
        if self.root == 0:
            if exact:
                raise LookupError(bound)
            return 0, 0
        return kernel.descend(self.pager.load, self.root, self.height, bound, self.group, exact)

    def scan(self, start: int, limit: int) -> list[bytes]:
        """At most `limit` items from position `start` on. O(log n + limit)."""
        found: list[bytes] = []
        if start < self.items and limit > 0 and self.root != 0:
            self._scan(self.root, self.height, max(start, 0), limit, found)
        return found

    def _scan(self, page_id: int, floor: int, start: int, limit: int, found: list[bytes]) -> None:
        page = self.pager.load(page_id)
        if floor == 0:
            stop = min(kernel.length(page), start + limit - len(found))
            found += kernel.leaf_items(page, start, stop)
            return
        index, start = kernel.inner_position(page, start)
        while index < kernel.length(page) and len(found) < limit:
            self._scan(kernel.inner_child(page, index), floor - 1, start, limit, found)
            index += 1
            start = 0

    # --- changing --------------------------------------------------------------------------------

    def discard(self) -> None:
        """Give back every page; the tree is empty then. O(pages)."""
        if self.root != 0:
            self._discard(self.root, self.height)
        self.root = self.height = self.items = self.groups = 0

    def _discard(self, page_id: int, floor: int) -> None:
        if floor > 0:
            for child in kernel.inner_children(self.pager.load(page_id)):
                self._discard(child[1], floor - 1)
        self.pager.discard(page_id)

    def change(self, items: list[bytes], present: list[bool]) -> None:
        """Put in (where `present`) or take out ascending, distinct items. O(k log n), one pass.

        Raises LookupError when an item to take out is not there or one to put in already is: the
        tree is then half changed, and the caller must abandon the transaction.
        """
        if not items:
            return
        if self.root == 0:
            if not all(present):
                raise LookupError(items[present.index(False)])
            nodes = self._leaves(items, 0, False)
            self.height = 0
        else:
            nodes = self._change(self.root, self.height, items, present, 0, len(items))
        self._crown(nodes)

    def _crown(self, nodes: list[Node]) -> None:
        """Make one root of what the old root became."""
        while len(nodes) > 1:
            self.height += 1
            children = [(n.separator, n.page_id, n.items, n.groups, 0) for n in nodes]
            edges = [(n.first, n.last) for n in nodes]
            self._join(children, edges, set(range(len(nodes))), self.height)
            nodes = self._inners(children, edges, self.height, 0)
        if not nodes:
            self.root = self.height = self.items = self.groups = 0
            return
        self.root, self.items, self.groups = nodes[0].page_id, nodes[0].items, nodes[0].groups
        while self.height > 0:
            page = self.pager.load(self.root)
            if kernel.length(page) > 1:
                break
            self.pager.discard(self.root)
            self.root = kernel.inner_child(page, 0)
            self.height -= 1

    def _change(
        self,
        page_id: int,
        floor: int,
        items: list[bytes],
        present: list[bool],
        start: int,
        stop: int,
    ) -> list[Node]:
        """Change one page and what is below it; the pages that take its place, in order.

        The first of them keeps the page's id, and its separator is for the caller to keep.
        """
        page = self.pager.load(page_id)
        if floor == 0:
            return self._change_leaf(page_id, page, items, present, start, stop)
        touched: list[tuple[int, list[Node]]] = []
        plain = True
        small = self.capacity // 4
        while start < stop:
            index = kernel.inner_find(page, items[start])
            end = kernel.inner_reach(page, index, items, start, stop)
            child = kernel.inner_child(page, index)
            nodes = self._change(child, floor - 1, items, present, start, end)
            plain = plain and len(nodes) == 1 and nodes[0].size >= small
            touched.append((index, nodes))
            start = end
        if plain:
            return [self._patch(page_id, page, floor, touched)]
        return self._restructure(page_id, page, floor, touched)

    def _change_leaf(
        self,
        page_id: int,
        page: bytes,
        items: list[bytes],
        present: list[bool],
        start: int,
        stop: int,
    ) -> list[Node]:
        changed = kernel.leaf_change(page, items, present, start, stop, self.capacity)
        if changed is not None:
            if kernel.length(changed) == 0:
                self.pager.discard(page_id)
                return []
            self.pager.save(page_id, changed)
            count, groups, first, last = kernel.leaf_facts(changed, page, self.group)
            return [Node(b"", page_id, count, groups, first, last, len(changed))]
        old = kernel.leaf_items(page, 0, kernel.length(page))
        added = [items[i] for i in range(start, stop) if present[i]]
        dropped = {items[i] for i in range(start, stop) if not present[i]}
        merged = _merge(old, added, dropped)
        return self._leaves(merged, page_id, not dropped and added[0] > old[-1])

    def _leaves(self, items: list[bytes], page_id: int, appended: bool) -> list[Node]:
        """Leaves of these items: the first under `page_id`, where there is one."""
        sizes = [len(item) + 2 for item in items]
        nodes: list[Node] = []
        separator = b""
        for start, stop in _cuts(sizes, self.capacity - kernel.HEADER_BYTES - 2, appended, 1):
            page = kernel.leaf_build(items, start, stop, self.owner)
            if start > 0:
                separator = kernel.separator(items[start - 1], items[start])
            target = page_id if start == 0 and page_id != 0 else self.pager.create()
            self.pager.save(target, page)
            groups = kernel.leaf_groups(page, stop - start, self.group)
            first, last = kernel.leaf_edges(page, self.group)
            nodes.append(Node(separator, target, stop - start, groups, first, last, len(page)))
        return nodes

    def _patch(
        self, page_id: int, page: bytes, floor: int, touched: list[tuple[int, list[Node]]]
    ) -> Node:
        """Every touched child is still one page under its id: only counts and joins change."""
        by_index = {index: nodes[0] for index, nodes in touched}
        joins: dict[int, int] = {}
        last_index = kernel.length(page) - 1
        for index, node in by_index.items():
            if node.first is not None and index > 0 and index not in joins:
                left = by_index.get(index - 1)
                joins[index] = self._meet(
                    left.last if left else None,
                    kernel.inner_child(page, index - 1),
                    node.first,
                    0,
                    floor - 1,
                )
            if node.last is not None and index < last_index:
                right = by_index.get(index + 1)
                joins[index + 1] = self._meet(
                    node.last,
                    0,
                    right.first if right else None,
                    kernel.inner_child(page, index + 1),
                    floor - 1,
                )
        counts = [(index, node.items, node.groups) for index, node in by_index.items()]
        changed = kernel.inner_patch(page, counts, list(joins.items()))
        self.pager.save(page_id, changed)
        items, groups = kernel.inner_totals(changed)
        head, tail = by_index.get(0), by_index.get(last_index)
        return Node(
            b"",
            page_id,
            items,
            groups,
            head.first if head else None,
            tail.last if tail else None,
            len(changed),
        )

    def _meet(
        self, left: bytes | None, left_id: int, right: bytes | None, right_id: int, floor: int
    ) -> int:
        """1 when the group at the end of the left page carries on in the right one."""
        if left is None:
            left = self._edge(left_id, floor, -1)
        if right is None:
            right = self._edge(right_id, floor, 0)
        return 1 if left == right else 0

    def _edge(self, page_id: int, floor: int, side: int) -> bytes:
        """The group prefix of a page's first (side 0) or last (side -1) item."""
        page = self.pager.load(page_id)
        while floor > 0:
            index = 0 if side == 0 else kernel.length(page) - 1
            page = self.pager.load(kernel.inner_child(page, index))
            floor -= 1
        return kernel.leaf_edges(page, self.group)[side]

    def _restructure(
        self, page_id: int, page: bytes, floor: int, touched: list[tuple[int, list[Node]]]
    ) -> list[Node]:
        """Children were split, emptied or became small: build the page anew."""
        children: list[kernel.Child] = []
        edges: list[tuple[bytes | None, bytes | None]] = []
        sizes: list[int] = []
        fresh: set[int] = set()
        by_index = dict(touched)
        for index, child in enumerate(kernel.inner_children(page)):
            nodes = by_index.get(index)
            if nodes is None:
                children.append(child)
                edges.append((None, None))
                sizes.append(-1)
                continue
            fresh.add(len(children))
            for place, node in enumerate(nodes):
                separator = child[0] if place == 0 else node.separator
                fresh.add(len(children))
                children.append((separator, node.page_id, node.items, node.groups, child[4]))
                edges.append((node.first, node.last))
                sizes.append(node.size)
            fresh.add(len(children))
        if not children:
            self.pager.discard(page_id)
            return []
        fresh = {index for index in fresh if index < len(children)}
        children[0] = (b"", *children[0][1:4], 0)
        if any(not nodes for _index, nodes in touched):
            first = edges[0][0] or self._edge(children[0][1], floor - 1, 0)
            edges[0] = (first, edges[0][1])
            last = edges[-1][1] or self._edge(children[-1][1], floor - 1, -1)
            edges[-1] = (edges[-1][0], last)
        self._join(children, edges, fresh, floor)
        self._merge_small(children, edges, sizes, floor)
        return self._inners(children, edges, floor, page_id)

    def _join(
        self,
        children: list[kernel.Child],
        edges: list[tuple[bytes | None, bytes | None]],
        fresh: set[int],
        floor: int,
    ) -> None:
        """Set the joined flags at both sides of every child in `fresh`."""
        for index in sorted(fresh | {index + 1 for index in fresh}):
            if 0 < index < len(children):
                joined = self._meet(
                    edges[index - 1][1],
                    children[index - 1][1],
                    edges[index][0],
                    children[index][1],
                    floor - 1,
                )
                children[index] = (*children[index][:4], joined)

    def _merge_small(
        self,
        children: list[kernel.Child],
        edges: list[tuple[bytes | None, bytes | None]],
        sizes: list[int],
        floor: int,
    ) -> None:
        """Merge children under a quarter of a page with a neighbour where both fit in one."""
        index = 0
        while index < len(children):
            if 0 <= sizes[index] < self.capacity // 4:
                for left in (index - 1, index):
                    if left >= 0 and left + 1 < len(children):
                        size = self._merge_pair(children, left, floor)
                        if size:
                            edges[left : left + 2] = [(edges[left][0], edges[left + 1][1])]
                            sizes[left : left + 2] = [size]
                            index = left - 1
                            break
            index += 1

    def _merge_pair(self, children: list[kernel.Child], left: int, floor: int) -> int:
        """Merge the children `left` and `left` + 1 where they fit; the merged size, or 0."""
        separator, keep, items, groups, joined = children[left]
        middle, drop, more_items, more_groups, met = children[left + 1]
        one, two = self.pager.load(keep), self.pager.load(drop)
        if len(one) + len(two) + len(middle) > self.capacity * 3 // 4:
            return 0
        if floor == 1:
            both = kernel.leaf_items(one, 0, kernel.length(one))
            both += kernel.leaf_items(two, 0, kernel.length(two))
            page = kernel.leaf_build(both, 0, len(both), self.owner)
        else:
            nested = kernel.inner_children(one)
            carried = kernel.inner_children(two)
            carried[0] = (middle, *carried[0][1:4], met)
            nested += carried
            page = kernel.inner_build(nested, 0, len(nested), floor - 1, self.owner)
        self.pager.save(keep, page)
        self.pager.discard(drop)
        total = groups + more_groups - met
        children[left : left + 2] = [(separator, keep, items + more_items, total, joined)]
        return len(page)

    def _inners(
        self,
        children: list[kernel.Child],
        edges: list[tuple[bytes | None, bytes | None]],
        floor: int,
        page_id: int,
    ) -> list[Node]:
        """Inner pages over these children: the first under `page_id`, where there is one."""
        sizes = [kernel.CHILD_BYTES + 2 + len(child[0]) for child in children]
        nodes: list[Node] = []
        for start, stop in _cuts(sizes, self.capacity - kernel.HEADER_BYTES - 2, False, 2):
            page = kernel.inner_build(children, start, stop, floor, self.owner)
            target = page_id if start == 0 and page_id != 0 else self.pager.create()
            self.pager.save(target, page)
            items, groups = kernel.inner_totals(page)
            nodes.append(
                Node(
                    children[start][0],
                    target,
                    items,
                    groups,
                    edges[start][0],
                    edges[stop - 1][1],
                    len(page),
                )
            )
        return nodes


def _merge(old: list[bytes], added: list[bytes], dropped: set[bytes]) -> list[bytes]:
    """`old` without `dropped` and with `added`, ascending. Raises LookupError as `change` does."""
    merged = [item for item in old if item not in dropped] if dropped else old
    if len(merged) + len(dropped) != len(old):
        raise LookupError(min(dropped.difference(old)))
    known = set(merged).intersection(added)
    if known:
        raise LookupError(min(known))
    merged = merged + added
    merged.sort()
    return merged


def _cuts(sizes: Sequence[int], room: int, appended: bool, least: int) -> list[tuple[int, int]]:
    """Cut a run of sized things into pieces of at most `room` bytes and at least `least` things.

    Two pieces share evenly, more are filled to nine tenths; after an append all but the last are.
    """
    total = sum(sizes)
    if total <= room:
        return [(0, len(sizes))]
    fill = room * 9 // 10
    pieces = max(2, -(-total // fill))
    target = fill if appended else -(-total // pieces)
    cuts: list[tuple[int, int]] = []
    start = 0
    used = 0
    for index, size in enumerate(sizes):
        full = len(cuts) < pieces - 1 and used + size // 2 >= target
        if (full or used + size > room) and index - start >= least:
            cuts.append((start, index))
            start, used = index, 0
        used += size
    if len(sizes) - start < least and cuts and room < 1 << 15:
        start = cuts.pop()[0]
    cuts.append((start, len(sizes)))
    return cuts
