"""The member index: member -> order key and value, for sets in tree form.

LMDB's keys end at 511 bytes, so a long member is filed under a digest and kept whole in its
record. The record never says on which page the member's item is, so pages split and merge without
touching this index.

    key     | set id u32 big-endian | 0 | member |            members up to 480 bytes
            | set id u32 big-endian | 1 | BLAKE2b-256 |       longer members
    record  | crc32 u32 | key | value |
            | crc32 u32 | key | member length u32 | member | value |

The CRC covers the member and all that follows it in the record. In a tree, an item is the order
key and the member; of a member over 1023 bytes it is the first 991 bytes, then the digest, so that
pages stay small; among equal keys such members stand in the order of those bytes.
"""

import struct
from hashlib import blake2b
from zlib import crc32

from rankbook.errors import Corrupt

INLINE_BYTES = 480
ITEM_BYTES = 1023
DIGEST_BYTES = 32
MEMBER_BYTES = 65536

_PREFIX = struct.Struct(">IB")
_U32 = struct.Struct("<I")


def _digest(member: bytes) -> bytes:
    return blake2b(member, digest_size=DIGEST_BYTES).digest()


def index_key(set_id: int, member: bytes) -> bytes:
    """Where the member's record is."""
    if len(member) <= INLINE_BYTES:
        return _PREFIX.pack(set_id, 0) + member
    return _PREFIX.pack(set_id, 1) + _digest(member)


def tail(member: bytes) -> bytes:
    """How the member stands in an item, after the order key."""
    if len(member) <= ITEM_BYTES:
        return member
    return member[: ITEM_BYTES + 1 - DIGEST_BYTES] + _digest(member)


def index_key_of_tail(set_id: int, item_tail: bytes) -> bytes:
    """Where the record is of the member that stands in an item as `item_tail`."""
    if len(item_tail) > ITEM_BYTES:
        return _PREFIX.pack(set_id, 1) + item_tail[-DIGEST_BYTES:]
    return index_key(set_id, item_tail)


def pack(member: bytes, key: bytes, value: bytes) -> bytes:
    """The member's record."""
    body = key + value
    if len(member) > INLINE_BYTES:
        body = key + _U32.pack(len(member)) + member + value
    return _U32.pack(crc32(body, crc32(member))) + body


def unpack(filed: bytes, record: bytes, key_bytes: int) -> tuple[bytes, bytes, bytes]:
    """(member, key, value) of a record filed under `filed`. Raises `Corrupt`."""
    key_end = 4 + key_bytes
    key = record[4:key_end]
    if filed[4] == 0:
        member = filed[5:]
        value_start = key_end
    else:
        (length,) = _U32.unpack_from(record, key_end)
        value_start = key_end + 4 + length
        member = record[key_end + 4 : value_start]
    if _U32.unpack_from(record)[0] != crc32(record[4:], crc32(member)):
        raise Corrupt(f"the record of member {member[:80]!r} fails its checksum")
    return member, key, record[value_start:]
