# cython: language_level=3, boundscheck=False, wraparound=False
"""The member index: member -> order key and value, for sets in tree form.

LMDB's keys end at 511 bytes, so a long member is filed under a digest and kept whole in its
record. The record never says on which page the member's item is, so pages split and merge without
touching this index.

    key     | set id u32 big-endian | 0 | member |            members up to 480 bytes
            | set id u32 big-endian | 1 | BLAKE2b-256 |       longer members
    record  | crc32 u32 | key | value |
            | crc32 u32 | key | member length u32 | member | value |

The CRC covers the member and then all that follows it in the record. In a tree, an item is the
order key and the member; of a member over 1023 bytes it is the first 992 bytes, then the digest, so
that pages stay small; among equal keys such members stand in the order of those bytes.
"""

import struct
from collections.abc import Callable, Iterable
from hashlib import blake2b
from zlib import crc32

try:
    import cython
except ModuleNotFoundError:
    from rankbook.engine import cython  # type: ignore[no-redef]

from rankbook.errors import Corrupt

COMPILED = bool(cython.compiled)

INLINE_BYTES = 480
ITEM_BYTES = 1023
DIGEST_BYTES = 32
MEMBER_BYTES = 65536

_PREFIX = struct.Struct(">IB")
_U32 = struct.Struct("<I")


Change = tuple[bytes, bytes | None, bytes]
Fetch = Callable[[list[bytes]], Iterable[tuple[bytes, bytes]]]


def _digest(member: bytes) -> bytes:
    return blake2b(member, digest_size=DIGEST_BYTES).digest()


@cython.ccall
def index_key(set_id: int, member: bytes) -> bytes:
    """Where the member's record is."""
    if len(member) <= INLINE_BYTES:
        return _PREFIX.pack(set_id, 0) + member
    return _PREFIX.pack(set_id, 1) + _digest(member)


@cython.ccall
def tail(member: bytes) -> bytes:
    """How the member stands in an item, after the order key."""
    if len(member) <= ITEM_BYTES:
        return member
    return member[: ITEM_BYTES + 1 - DIGEST_BYTES] + _digest(member)


@cython.ccall
def index_key_of_tail(set_id: int, item_tail: bytes) -> bytes:
    """Where the record is of the member that stands in an item as `item_tail`."""
    if len(item_tail) > ITEM_BYTES:
        return _PREFIX.pack(set_id, 1) + item_tail[-DIGEST_BYTES:]
    return index_key(set_id, item_tail)


@cython.ccall
def pack(member: bytes, key: bytes, value: bytes) -> bytes:
    """The member's record."""
    body: bytes = key + value
    if len(member) > INLINE_BYTES:
        body = key + _U32.pack(len(member)) + member + value
    return _U32.pack(crc32(member + body)) + body


@cython.ccall
def unpack(filed: bytes, record: bytes, key_bytes: cython.Py_ssize_t) -> tuple[bytes, bytes, bytes]:
    """(member, key, value) of a record filed under `filed`. Raises `Corrupt`."""
    body: bytes = record[4:]
    member: bytes = filed[5:]
    start: cython.Py_ssize_t = key_bytes
    if filed[4] != 0:
        start = key_bytes + 4 + int.from_bytes(body[key_bytes : key_bytes + 4], "little")
        member = body[key_bytes + 4 : start]
    if crc32(member + body) != int.from_bytes(record[:4], "little"):
        raise Corrupt(f"the record of member {member[:80]!r} fails its checksum")
    return member, body[:key_bytes], body[start:]


class Plan:
    """What a batch of changes means for the indexes of one set.

    `taken` and `given` are the items to take out of the order and to put in, ascending;
    `records` and `gone` the member records to write and to delete, by their place; `payload` the
    change of the set's payload.
    """

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.given: list[bytes] = []
        self.records: list[tuple[bytes, bytes]] = []
        self.gone: list[bytes] = []
        self.payload = 0

    def items(self) -> tuple[list[bytes], list[bool]]:
        """All items that change, ascending, and of each whether it is put in."""
        return merge(self.taken, self.given)


@cython.ccall
def plan(
    changes: Iterable[Change], set_id: int, key_bytes: cython.Py_ssize_t, fetch: Fetch
) -> Plan:
    """Hold changes, at most one a member, against the records there are.

    `fetch` gives (place, record) of the places that have one. Raises `Corrupt`.
    """
    made = Plan()
    filed: dict[bytes, Change] = {}
    for change in changes:
        filed[index_key(set_id, change[0])] = change
    order: list[bytes] = sorted(filed)
    known: dict[bytes, bytes] = dict(fetch(order))
    taken: list[bytes] = made.taken
    given: list[bytes] = made.given
    records: list[tuple[bytes, bytes]] = made.records
    payload: cython.Py_ssize_t = 0
    place: bytes
    for place in order:
        change = filed[place]
        member: bytes = change[0]
        key: bytes | None = change[1]
        value: bytes = change[2]
        old = known.get(place)
        old_key: bytes | None = None
        if old is not None:
            kept, old_key, old_value = unpack(place, old, key_bytes)
            if kept != member:
                raise Corrupt(f"the record of {member[:80]!r} is of another member")
            if old_key == key and old_value == value:
                continue
            payload -= 8 + key_bytes + len(member) + len(old_value)
        if key is not None:
            payload += 8 + key_bytes + len(member) + len(value)
            records.append((place, pack(member, key, value)))
            if old_key != key:
                given.append(key + tail(member))
        elif old is not None:
            made.gone.append(place)
        if old_key is not None and old_key != key:
            taken.append(old_key + tail(member))
    taken.sort()
    given.sort()
    made.payload = payload
    return made


@cython.ccall
def merge(taken: list[bytes], given: list[bytes]) -> tuple[list[bytes], list[bool]]:
    """Two ascending lists without a common item as one, and of each item whether it is given."""
    items: list[bytes] = []
    present: list[bool] = []
    left: cython.Py_ssize_t = 0
    right: cython.Py_ssize_t = 0
    lefts: cython.Py_ssize_t = len(taken)
    rights: cython.Py_ssize_t = len(given)
    while left < lefts and right < rights:
        if taken[left] < given[right]:
            items.append(taken[left])
            present.append(False)
            left += 1
        else:
            items.append(given[right])
            present.append(True)
            right += 1
    items += taken[left:]
    present += [False] * (lefts - left)
    items += given[right:]
    present += [True] * (rights - right)
    return items, present
