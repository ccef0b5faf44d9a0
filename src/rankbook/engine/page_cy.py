# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False
"""Pages of the counted tree: their bytes, and searching and changing one page.

A leaf holds items in ascending order; an item is an order key followed by its member. An inner
page holds, for each child, its page id, its number of items and groups, whether its first group
carries on from the child before, and the separator: a byte string above every item of the child
before and not above any item of this child (the first child's is empty). Separators are cut to
the shortest string that separates. A group is a run of items with equal first `group` bytes.

    header  | crc32 u32 | kind u8 | level u8 | n u16 | owner u32 |         all little-endian
    leaf    | header | n+1 x offset u16 | items |
    inner   | header | n x child | n+1 x offset u16 | separators |
    child   | page id u64 | items u32 | groups u32 | joined u8 |

The offset array holds where each item begins, and last where the last one ends, from the start
of the page. The CRC covers everything after it.

This file is ordinary Python. Where a C compiler is there the build compiles it with Cython, and
the annotations become C types; the branches on `cython.compiled` differ in speed alone.
"""

import struct
from collections.abc import Callable
from typing import Any
from zlib import crc32

try:
    import cython
except ModuleNotFoundError:
    from rankbook.engine import cython  # type: ignore[no-redef]

if not cython.compiled:
    # C functions where compiled: see page_cy.pxd.
    memcmp: Any = None
    memcpy: Any = None

LEAF = 1
INNER = 2
HEADER_BYTES = 12
CHILD_BYTES = 17
COMPILED = bool(cython.compiled)

_header = cython.declare(cython.Py_ssize_t, HEADER_BYTES)
_child = cython.declare(cython.Py_ssize_t, CHILD_BYTES)
_HEADER = struct.Struct("<BBHI")
_CHILD = struct.Struct("<QIIB")


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _u16(page: bytes, at: cython.Py_ssize_t) -> cython.Py_ssize_t:
    if cython.compiled:
        value: cython.ushort = 0
        source: cython.p_char = page
        memcpy(cython.address(value), source + at, 2)
        return value
    return page[at] | page[at + 1] << 8


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _u32(page: bytes, at: cython.Py_ssize_t) -> cython.longlong:
    if cython.compiled:
        value: cython.uint = 0
        source: cython.p_char = page
        memcpy(cython.address(value), source + at, 4)
        return value
    return int.from_bytes(page[at : at + 4], "little")


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_u16(page: bytearray, at: cython.Py_ssize_t, value: cython.Py_ssize_t) -> cython.int:
    if cython.compiled:
        short: cython.ushort = cython.cast(cython.ushort, value)
        target: cython.p_char = page
        memcpy(target + at, cython.address(short), 2)
    else:
        page[at] = value & 255
        page[at + 1] = value >> 8
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _put_u32(page: bytearray, at: cython.Py_ssize_t, value: cython.longlong) -> cython.int:
    _put_u16(page, at, value & 0xFFFF)
    _put_u16(page, at + 2, value >> 16)
    return 0


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _compare(
    page: bytes, start: cython.Py_ssize_t, end: cython.Py_ssize_t, other: bytes
) -> cython.int:
    """Negative, zero or positive as page[start:end] is below, equal to or above `other`."""
    if cython.compiled:
        size: cython.Py_ssize_t = end - start
        length: cython.Py_ssize_t = len(other)
        shorter: cython.Py_ssize_t = size if size < length else length
        left: cython.p_char = page
        right: cython.p_char = other
        order: cython.int = memcmp(left + start, right, shorter)
        if order != 0:
            return order
        return (size > length) - (size < length)
    part = page[start:end]
    return (part > other) - (part < other)


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _same(
    page: bytes, a: cython.Py_ssize_t, b: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.bint:
    """Whether the `size` bytes at `a` and at `b` are equal."""
    if cython.compiled:
        left: cython.p_char = page
        order: cython.int = memcmp(left + a, left + b, size)
        return order == 0
    return page[a : a + size] == page[b : b + size]


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _copy(
    out: bytearray,
    at: cython.Py_ssize_t,
    page: bytes,
    start: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
) -> cython.int:
    if cython.compiled:
        target: cython.p_char = out
        source: cython.p_char = page
        memcpy(target + at, source + start, size)
    else:
        out[at : at + size] = page[start : start + size]
    return 0


# --- checksum and header -------------------------------------------------------------------------


@cython.cfunc
def _seal(out: bytearray) -> bytes:
    """The finished page: `out` with its CRC filled in."""
    _put_u32(out, 0, crc32(memoryview(out)[4:]))
    return bytes(out)


@cython.ccall
def sound(page: bytes) -> bool:
    """Whether the page's CRC fits its bytes. O(len)."""
    if len(page) < _header + 2:
        return False
    return crc32(memoryview(page)[4:]) == _u32(page, 0)


@cython.ccall
def kind(page: bytes) -> int:
    """LEAF or INNER."""
    return page[4]


@cython.ccall
def level(page: bytes) -> int:
    """0 for a leaf, one more for each floor above."""
    return page[5]


@cython.ccall
def length(page: bytes) -> int:
    """Items of a leaf, children of an inner page."""
    return _u16(page, 6)


@cython.ccall
def owner(page: bytes) -> int:
    """The id of the set that the page belongs to."""
    return _u32(page, 8)


# --- leaves --------------------------------------------------------------------------------------


@cython.ccall
def leaf_find(page: bytes, bound: bytes) -> int:
    """How many items of the leaf are below `bound`. O(log n)."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = _u16(page, 6)
    middle: cython.Py_ssize_t
    at: cython.Py_ssize_t
    while low < high:
        middle = (low + high) // 2
        at = _header + 2 * middle
        if _compare(page, _u16(page, at), _u16(page, at + 2), bound) < 0:
            low = middle + 1
        else:
            high = middle
    return low


@cython.ccall
def leaf_item(page: bytes, index: cython.Py_ssize_t) -> bytes:
    """The item at `index`."""
    at: cython.Py_ssize_t = _header + 2 * index
    return page[_u16(page, at) : _u16(page, at + 2)]


@cython.ccall
def leaf_holds(page: bytes, index: cython.Py_ssize_t, item: bytes) -> bool:
    """Whether the leaf has exactly `item` at `index`."""
    at: cython.Py_ssize_t = _header + 2 * index
    if index >= _u16(page, 6):
        return False
    return _compare(page, _u16(page, at), _u16(page, at + 2), item) == 0


@cython.ccall
def leaf_items(page: bytes, start: cython.Py_ssize_t, stop: cython.Py_ssize_t) -> list[bytes]:
    """The items [start, stop)."""
    found: list[bytes] = []
    at: cython.Py_ssize_t = _header + 2 * start
    begin: cython.Py_ssize_t = _u16(page, at)
    end: cython.Py_ssize_t
    index: cython.Py_ssize_t
    for index in range(start, stop):  # noqa: B007
        at += 2
        end = _u16(page, at)
        found.append(page[begin:end])
        begin = end
    return found


@cython.ccall
def leaf_groups(page: bytes, stop: cython.Py_ssize_t, group: cython.Py_ssize_t) -> int:
    """How many groups the first `stop` items of the leaf fall in. O(n)."""
    if stop <= 0:
        return 0
    groups: cython.Py_ssize_t = 1
    at: cython.Py_ssize_t = _header
    before: cython.Py_ssize_t = _u16(page, at)
    begin: cython.Py_ssize_t
    index: cython.Py_ssize_t
    for index in range(1, stop):  # noqa: B007
        at += 2
        begin = _u16(page, at)
        if not _same(page, before, begin, group):
            groups += 1
        before = begin
    return groups


@cython.ccall
def leaf_edges(page: bytes, group: cython.Py_ssize_t) -> tuple[bytes, bytes]:
    """The group prefixes of the first and of the last item. The leaf is not empty."""
    first: cython.Py_ssize_t = _u16(page, _header)
    last: cython.Py_ssize_t = _u16(page, _header + 2 * (_u16(page, 6) - 1))
    return page[first : first + group], page[last : last + group]


@cython.ccall
def leaf_facts(
    page: bytes, before: bytes, group: cython.Py_ssize_t
) -> tuple[int, int, bytes | None, bytes | None]:
    """(items, groups, first prefix, last prefix) of a leaf; a prefix that is as it was in the leaf
    `before` is None. Neither is empty. O(n)."""
    count: cython.Py_ssize_t = _u16(page, 6)
    first, last = leaf_edges(page, group)
    was_first, was_last = leaf_edges(before, group)
    return (
        count,
        leaf_groups(page, count, group),
        None if first == was_first else first,
        None if last == was_last else last,
    )


@cython.ccall
def leaf_build(
    items: list[bytes], start: cython.Py_ssize_t, stop: cython.Py_ssize_t, owner_id: int
) -> bytes:
    """A leaf of items[start:stop], which are ascending."""
    count: cython.Py_ssize_t = stop - start
    size: cython.Py_ssize_t = _header + 2 * (count + 1)
    at: cython.Py_ssize_t = size
    index: cython.Py_ssize_t
    item: bytes
    for index in range(start, stop):
        item = items[index]
        size += len(item)
    out: bytearray = bytearray(size)
    _HEADER.pack_into(out, 4, LEAF, 0, count, owner_id)
    slot: cython.Py_ssize_t = _header
    for index in range(start, stop):
        item = items[index]
        _put_u16(out, slot, at)
        _copy(out, at, item, 0, len(item))
        at += len(item)
        slot += 2
    _put_u16(out, slot, at)
    return _seal(out)


@cython.ccall
def leaf_change(
    page: bytes,
    items: list[bytes],
    present: list[bool],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    capacity: cython.Py_ssize_t,
) -> bytes | None:
    """The leaf with items[start:stop] put in (where `present`) or taken out.

    The items are ascending and distinct. None when the result would exceed `capacity` bytes.
    Raises LookupError when an item to take out is not there or one to put in already is.
    """
    count: cython.Py_ssize_t = _u16(page, 6)
    grown: cython.Py_ssize_t = count
    size: cython.Py_ssize_t = len(page)
    index: cython.Py_ssize_t
    item: bytes
    for index in range(start, stop):
        item = items[index]
        if present[index]:
            grown += 1
            size += len(item) + 2
        else:
            grown -= 1
            size -= len(item) + 2
    if size > capacity or size < _header + 2:
        return None
    found: cython.Py_ssize_t
    places: bytearray = bytearray(2 * (stop - start))
    for index in range(start, stop):
        item = items[index]
        found = leaf_find(page, item)
        if leaf_holds(page, found, item) == present[index]:
            raise LookupError(item)
        _put_u16(places, 2 * (index - start), found)
    found_at: bytes = bytes(places)
    out: bytearray = bytearray(size)
    out[4:_header] = page[4:_header]
    _put_u16(out, 6, grown)
    slot: cython.Py_ssize_t = _header
    at: cython.Py_ssize_t = _header + 2 * (grown + 1)
    old: cython.Py_ssize_t = 0
    for index in range(start, stop):
        item = items[index]
        found = _u16(found_at, 2 * (index - start))
        at = _carry(out, slot, at, page, old, found)
        slot += 2 * (found - old)
        old = found
        if present[index]:
            _put_u16(out, slot, at)
            _copy(out, at, item, 0, len(item))
            slot += 2
            at += len(item)
        else:
            old += 1
    at = _carry(out, slot, at, page, old, count)
    _put_u16(out, slot + 2 * (count - old), at)
    return _seal(out)


@cython.cfunc
def _carry(
    out: bytearray,
    slot: cython.Py_ssize_t,
    at: cython.Py_ssize_t,
    page: bytes,
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> cython.Py_ssize_t:
    """Copy the items [start, stop) of `page` to `at`, their offsets to `slot`; the new end."""
    index: cython.Py_ssize_t
    begin: cython.Py_ssize_t = _u16(page, _header + 2 * start)
    end: cython.Py_ssize_t = _u16(page, _header + 2 * stop)
    shift: cython.Py_ssize_t = at - begin
    for index in range(start, stop):
        _put_u16(out, slot, _u16(page, _header + 2 * index) + shift)
        slot += 2
    _copy(out, at, page, begin, end - begin)
    return at + end - begin


# --- inner pages ---------------------------------------------------------------------------------


@cython.cfunc
@cython.inline
@cython.exceptval(check=False)
def _slots(page: bytes) -> cython.Py_ssize_t:
    """Where the separators' offsets begin."""
    at: cython.Py_ssize_t = _header + _child * _u16(page, 6)
    return at


@cython.ccall
def inner_find(page: bytes, bound: bytes) -> int:
    """The index of the child whose range holds `bound`. O(log n)."""
    slots: cython.Py_ssize_t = _slots(page)
    low: cython.Py_ssize_t = 1
    high: cython.Py_ssize_t = _u16(page, 6)
    middle: cython.Py_ssize_t
    at: cython.Py_ssize_t
    while low < high:
        middle = (low + high) // 2
        at = slots + 2 * middle
        if _compare(page, _u16(page, at), _u16(page, at + 2), bound) <= 0:
            low = middle + 1
        else:
            high = middle
    return low - 1


@cython.ccall
def inner_reach(
    page: bytes,
    index: cython.Py_ssize_t,
    items: list[bytes],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
) -> int:
    """The end of the run items[start:end] that falls in the child at `index`."""
    if index + 1 >= _u16(page, 6):
        return stop
    at: cython.Py_ssize_t = _slots(page) + 2 * (index + 1)
    begin: cython.Py_ssize_t = _u16(page, at)
    end: cython.Py_ssize_t = _u16(page, at + 2)
    item: bytes
    while start < stop:
        item = items[start]
        if _compare(page, begin, end, item) <= 0:
            break
        start += 1
    return start


@cython.ccall
def inner_child(page: bytes, index: cython.Py_ssize_t) -> int:
    """The page id of the child at `index`."""
    at: cython.Py_ssize_t = _header + _child * index
    return _u32(page, at) | _u32(page, at + 4) << 32


@cython.ccall
def inner_before(page: bytes, index: cython.Py_ssize_t) -> tuple[int, int]:
    """(items, groups) of the children before `index`; a group that carries on counts once."""
    items: cython.longlong = 0
    groups: cython.longlong = 0
    at: cython.Py_ssize_t = _header
    before: cython.Py_ssize_t
    for before in range(index):  # noqa: B007
        items += _u32(page, at + 8)
        groups += _u32(page, at + 12) - page[at + 16]
        at += _child
    return items, groups


@cython.ccall
def inner_joined(page: bytes, index: cython.Py_ssize_t) -> bool:
    """Whether the child's first group carries on from the child before it."""
    at: cython.Py_ssize_t = _header + _child * index + 16
    return page[at] != 0


@cython.ccall
def inner_position(page: bytes, position: cython.longlong) -> tuple[int, int]:
    """The child that holds the item at `position` (from this page's first), and the rest."""
    at: cython.Py_ssize_t = _header
    items: cython.longlong
    index: cython.Py_ssize_t
    last: cython.Py_ssize_t = _u16(page, 6) - 1
    for index in range(last):
        items = _u32(page, at + 8)
        if position < items:
            return index, position
        position -= items
        at += _child
    return last, position


Child = tuple[bytes, int, int, int, int]


@cython.ccall
def inner_children(page: bytes) -> list[Child]:
    """Every child as (separator, page id, items, groups, joined)."""
    slot: cython.Py_ssize_t = _slots(page)
    at: cython.Py_ssize_t = _header
    found: list[Child] = []
    index: cython.Py_ssize_t
    for index in range(_u16(page, 6)):  # noqa: B007
        separator = page[_u16(page, slot) : _u16(page, slot + 2)]
        child = _u32(page, at) | _u32(page, at + 4) << 32
        found.append((separator, child, _u32(page, at + 8), _u32(page, at + 12), page[at + 16] & 1))
        at += _child
        slot += 2
    return found


@cython.ccall
def inner_build(
    children: list[Child],
    start: cython.Py_ssize_t,
    stop: cython.Py_ssize_t,
    floor: int,
    owner_id: int,
) -> bytes:
    """An inner page of children[start:stop]; the first separator becomes empty, unjoined."""
    count: cython.Py_ssize_t = stop - start
    slot: cython.Py_ssize_t = _header + _child * count
    at: cython.Py_ssize_t = slot + 2 * (count + 1)
    out = bytearray(at)
    _HEADER.pack_into(out, 4, INNER, floor, count, owner_id)
    place: cython.Py_ssize_t = _header
    for index in range(start, stop):
        separator, child, items, groups, joined = children[index]
        first = index == start
        _CHILD.pack_into(out, place, child, items, groups, 0 if first else joined)
        _put_u16(out, slot, at)
        if not first:
            out += separator
            at += len(separator)
        place += _child
        slot += 2
    _put_u16(out, slot, at)
    return _seal(out)


@cython.ccall
def inner_patch(
    page: bytes, counts: list[tuple[int, int, int]], joins: list[tuple[int, int]]
) -> bytes:
    """The page with new (index, items, groups) and (index, joined) for some children."""
    out: bytearray = bytearray(page)
    at: cython.Py_ssize_t
    for index, items, groups in counts:
        at = _header + _child * index
        _put_u32(out, at + 8, items)
        _put_u32(out, at + 12, groups)
    for index, joined in joins:
        at = _header + _child * index
        out[at + 16] = joined
    return _seal(out)


@cython.ccall
def inner_totals(page: bytes) -> tuple[int, int]:
    """(items, groups) of the whole page. O(n)."""
    return inner_before(page, _u16(page, 6))


@cython.ccall
def separator(left: bytes, right: bytes) -> bytes:
    """The shortest string s with left < s <= right, for left < right: a prefix of `right`."""
    size: cython.Py_ssize_t = min(len(left), len(right))
    index: cython.Py_ssize_t = 0
    while index < size and left[index] == right[index]:
        index += 1
    return right[: index + 1]


# --- from the root down --------------------------------------------------------------------------


@cython.ccall
def descend(
    load: Callable[[int], bytes],
    root: int,
    height: cython.Py_ssize_t,
    bound: bytes,
    group: cython.Py_ssize_t,
    exact: bool,
) -> tuple[int, int]:
    """(items, groups) below `bound` in the tree under the page `root`; a group that it cuts counts.

    With `exact`, `bound` must be an item: raises LookupError where it is not. O(log n).
    """
    items: cython.longlong = 0
    groups: cython.longlong = 0
    carried: cython.longlong = 0
    index: cython.Py_ssize_t
    at: cython.Py_ssize_t
    found: cython.Py_ssize_t
    page: bytes = load(root)
    floor: cython.Py_ssize_t
    before: cython.Py_ssize_t
    for floor in range(height):  # noqa: B007
        index = inner_find(page, bound)
        at = _header + _child * index
        if index > 0:
            for before in range(index):
                items += _u32(page, _header + _child * before + 8)
                groups += _u32(page, _header + _child * before + 12)
                groups -= page[_header + _child * before + 16]
            groups -= carried
            carried = page[at + 16]
        page = load(_u32(page, at) | _u32(page, at + 4) << 32)
    found = leaf_find(page, bound)
    if exact and not leaf_holds(page, found, bound):
        raise LookupError(bound)
    if found > 0:
        items += found
        groups += leaf_groups(page, found, group) - carried
    return items, groups
