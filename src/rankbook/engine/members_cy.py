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
order key and the member; of a member over 1024 bytes it is the first 993 bytes, then the digest, so
that pages stay small; among equal keys such members stand in the order of those bytes.
"""

import struct
from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import Any
from zlib import crc32

try:
    import cython
except ModuleNotFoundError:
    from rankbook.engine import cython  # type: ignore[no-redef]

from rankbook.errors import Corrupt, StoreError

if not cython.compiled:
    memcpy: Any = None  # a C function where compiled: see members_cy.pxd

COMPILED = bool(cython.compiled)

INLINE_BYTES = 480
ITEM_BYTES = 1024
DIGEST_BYTES = 32
MEMBER_BYTES = 65536
CHUNK = 512

_PREFIX = struct.Struct(">IB")
_U32 = struct.Struct("<I")


Change = tuple[bytes, bytes | None, bytes]
Keep = Callable[[list[tuple[bytes, bytes]]], object]
Ranked = tuple[bytes, bytes, bytes]
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


@cython.cfunc
@cython.inline
def _verified(record: bytes, member: bytes) -> bytes:
    """The body of a record of at least four bytes whose CRC fits. Raises `Corrupt`."""
    body: bytes = record[4:]
    said: cython.uint = 0
    if cython.compiled:
        source: cython.p_char = record
        memcpy(cython.address(said), source, 4)
    else:
        said = int.from_bytes(record[:4], "little")
    if crc32(member + body) != said:
        raise Corrupt(f"the record of member {member[:80]!r} fails its checksum")
    return body


@cython.ccall
def unpack(filed: bytes, record: bytes, key_bytes: cython.Py_ssize_t) -> tuple[bytes, bytes, bytes]:
    """(member, key, value) of a record filed under `filed`. Raises `Corrupt`."""
    member: bytes = filed[5:]
    start: cython.Py_ssize_t = key_bytes
    if filed[4] != 0:
        length: cython.Py_ssize_t = int.from_bytes(record[key_bytes + 4 : key_bytes + 8], "little")
        start = key_bytes + 4 + length
        member = record[key_bytes + 8 : start + 4]
    if len(record) < 4 + start:
        raise Corrupt(f"the record of member {member[:80]!r} fails its checksum: it is cut short")
    body: bytes = _verified(record, member)
    if filed[4] != 0 and _digest(member) != filed[5:]:
        raise Corrupt(f"the record of member {member[:80]!r} is filed under another's digest")
    return member, body[:key_bytes], body[start:]


@cython.ccall
def ranked(
    items: list[bytes], set_id: int, key_bytes: cython.Py_ssize_t, fetch: Fetch
) -> list[Ranked]:
    """The entries (member, key, value) that stand in the order as `items`.

    Raises `Corrupt` where an item has no record with the same key.
    """
    prefix: bytes = _PREFIX.pack(set_id, 0)
    places: list[bytes] = []
    entries: list[Ranked] = []
    item: bytes
    for item in items:
        if len(item) - key_bytes <= INLINE_BYTES:
            places.append(prefix + item[key_bytes:])
        else:
            places.append(index_key_of_tail(set_id, item[key_bytes:]))
    known: list[tuple[bytes, bytes]] = list(fetch(places))
    if len(known) != len(items):
        raise Corrupt(f"{len(items) - len(known)} items of the order have no member record")
    index: cython.Py_ssize_t
    for index in range(len(items)):
        entry = unpack(places[index], known[index][1], key_bytes)
        item = items[index]
        if not item.startswith(entry[1]) or known[index][0] != places[index]:
            raise Corrupt(f"the indexes disagree about {item[key_bytes:]!r}")
        entries.append(entry)
    return entries


@cython.ccall
def entries(
    wanted: list[bytes], set_id: int, key_bytes: cython.Py_ssize_t, fetch: Fetch
) -> dict[bytes, tuple[bytes, bytes]]:
    """member -> (key, value) of those of `wanted` that have a record. Raises `Corrupt`."""
    prefix: bytes = _PREFIX.pack(set_id, 0)
    places: list[bytes] = []
    member: bytes
    for member in wanted:
        places.append(prefix + member if len(member) <= INLINE_BYTES else index_key(set_id, member))
    places.sort()
    found: dict[bytes, tuple[bytes, bytes]] = {}
    start: cython.Py_ssize_t
    for start in range(0, len(places), CHUNK):
        for place, record in fetch(places[start : start + CHUNK]):
            kept, key, value = unpack(place, record, key_bytes)
            found[kept] = (key, value)
    return found


class Plan:
    """What a batch of changes means for the order of one set.

    `taken` and `given` are the items to take out and to put in, ascending; `gone` the places of
    the member records to delete; `payload` the change of the set's payload.
    """

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.given: list[bytes] = []
        self.gone: list[bytes] = []
        self.records: list[tuple[bytes, bytes]] = []
        self.payload = 0

    def items(self) -> tuple[list[bytes], list[bool]]:
        """All items that change, ascending, and of each whether it is put in."""
        return merge(self.taken, self.given)


@cython.ccall
def plan(
    changes: list[Change], set_id: int, key_bytes: cython.Py_ssize_t, fetch: Fetch, keep: Keep
) -> Plan:
    """Hold changes, at most one a member, against the records there are, and write the new ones.

    `fetch` gives (place, record) of the places that have one, in the order asked for; `keep`
    writes such pairs. Both are called for runs of `CHUNK` places in ascending order, so that what
    they pass is short-lived. Raises `Corrupt`, and `StoreError` for a member that is named twice.
    """
    made = Plan()
    prefix: bytes = _PREFIX.pack(set_id, 0)
    places: list[bytes] = []
    member: bytes
    for change in changes:
        member = change[0]
        places.append(prefix + member if len(member) <= INLINE_BYTES else index_key(set_id, member))
    order: list[int] = sorted(range(len(places)), key=places.__getitem__)
    payload: cython.Py_ssize_t = 0
    start: cython.Py_ssize_t
    index: cython.Py_ssize_t
    place: bytes = b""
    before: bytes
    for start in range(0, len(order), CHUNK):
        run: list[int] = order[start : start + CHUNK]
        known: list[tuple[bytes, bytes]] = list(fetch([places[i] for i in run]))
        met: cython.Py_ssize_t = 0
        for index in run:
            before = place
            place = places[index]
            if place == before:
                raise StoreError(f"two changes of one member: {place[5:85]!r}")
            old: bytes | None = None
            if met < len(known) and known[met][0] == place:
                old = known[met][1]
                met += 1
            payload += _planned(made, changes[index], place, old, key_bytes)
        keep(made.records)
        made.records.clear()
    made.taken.sort()
    made.given.sort()
    made.payload = payload
    return made


@cython.cfunc
def _planned(
    made: Plan, change: Change, place: bytes, old: bytes | None, key_bytes: cython.Py_ssize_t
) -> cython.Py_ssize_t:
    """Plan one change of the member that has the record `old`; the change of the payload."""
    member: bytes = change[0]
    key: bytes | None = change[1]
    value: bytes = change[2]
    old_key: bytes | None = None
    payload: cython.Py_ssize_t = 0
    if old is not None:
        kept, old_key, old_value = unpack(place, old, key_bytes)
        if kept != member:
            raise Corrupt(f"the record of {member[:80]!r} is of another member")
        if old_key == key and old_value == value:
            return 0
        payload -= 8 + key_bytes + len(member) + len(old_value)
    if key is not None:
        payload += 8 + key_bytes + len(member) + len(value)
        made.records.append((place, pack(member, key, value)))
        if old_key != key:
            made.given.append(key + tail(member))
    elif old is not None:
        made.gone.append(place)
    if old_key is not None and old_key != key:
        made.taken.append(old_key + tail(member))
    return payload


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
