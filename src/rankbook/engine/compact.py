"""The compact form: a small set as one run of bytes, without a member index.

    | n u32 | n x (item length u32, value length u32) | items and values in turn |   little-endian

Items ascend, and an item is key + member. Everything is O(n), and n is small: a set that grows
past the compact limit is promoted to a tree.
"""

import struct
from bisect import bisect_left

from rankbook.errors import Corrupt

Pairs = list[tuple[bytes, bytes]]

_COUNT = struct.Struct("<I")


def pack(pairs: Pairs) -> bytes:
    """The bytes of ascending (item, value) pairs."""
    lengths: list[int] = []
    parts: list[bytes] = []
    for pair in pairs:
        lengths += (len(pair[0]), len(pair[1]))
        parts += pair
    return struct.pack(f"<{len(lengths) + 1}I", len(pairs), *lengths) + b"".join(parts)


def packed_bytes(pairs: Pairs) -> int:
    """How many bytes `pack` gives."""
    return 4 + sum(8 + len(item) + len(value) for item, value in pairs)


def unpack(data: bytes, start: int) -> Pairs:
    """The (item, value) pairs packed in data[start:]. Raises `Corrupt`."""
    try:
        (count,) = _COUNT.unpack_from(data, start)
        lengths = struct.unpack_from(f"<{2 * count}I", data, start + 4)
    except struct.error as error:
        raise Corrupt("a compact set is cut short") from error
    at = start + 4 + 8 * count
    pairs: Pairs = []
    for index in range(0, 2 * count, 2):
        middle = at + lengths[index]
        end = middle + lengths[index + 1]
        pairs.append((data[at:middle], data[middle:end]))
        at = end
    if at != len(data):
        raise Corrupt("a compact set has the wrong length")
    return pairs


def find(pairs: Pairs, bound: bytes) -> int:
    """How many items are below `bound`."""
    return bisect_left(pairs, (bound,))


def groups_before(pairs: Pairs, stop: int, group: int) -> int:
    """How many groups the first `stop` items have."""
    groups = 0
    before = None
    for index in range(stop):
        prefix = pairs[index][0][:group]
        if prefix != before:
            groups += 1
            before = prefix
    return groups
