"""The record of a set: the bytes that are filed under its name.

    record, filed under the set's name (a name over 480 bytes: under its digest, kept inside)
    | crc32 u32 | form u8 | spare u8 | key bytes u16 | group bytes u16 | name length u32 |
    | version u64 | name, where digested |
    form 1, compact:  | pairs, as in compact.py |
    form 2, tree:     | set id u32 | height u32 | root u64 | items u64 | groups u64 | payload u64 |

`payload` is what the entries would take in compact form.
"""

import struct
from hashlib import blake2b
from typing import Any, NamedTuple
from zlib import crc32

from rankbook.engine import compact
from rankbook.errors import Corrupt

COMPACT = 1
TREE = 2
NAME_BYTES = 480

_HEAD = struct.Struct("<IBBHHIQ")
_TREE = struct.Struct("<IIQQQQ")


class Header(NamedTuple):
    """The fixed part of a set's record. `body` is the offset of what follows it."""

    form: int
    key_bytes: int
    group_bytes: int
    version: int
    name: bytes
    body: int


class Parsed:
    """Records of sets that were parsed lately, at most `LIMIT`. A record with unchanged bytes is
    not verified and parsed again."""

    LIMIT = 256

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[bytes, Header, Any]] = {}

    def read(self, filed: bytes, record: bytes) -> tuple[Header, Any]:
        """The header, and the pairs (not to be changed) or the tree's numbers. Raises `Corrupt`."""
        known = self._known.get(filed)
        if known is not None and known[0] == record:
            return known[1], known[2]
        head = read_header(filed, record)
        if head.form == COMPACT:
            rest: Any = compact.unpack(record, head.body)
        elif head.form == TREE and len(record) == head.body + _TREE.size:
            rest = _TREE.unpack_from(record, head.body)
        else:
            raise Corrupt(f"the record of set {head.name!r} has no known form")
        if len(self._known) >= self.LIMIT:
            self._known.clear()
        self._known[filed] = (record, head, rest)
        return head, rest


def filed_under(name: bytes) -> bytes:
    """The LMDB key of a set's record."""
    if len(name) <= NAME_BYTES:
        return b"n" + name
    return b"d" + blake2b(name, digest_size=32).digest()


def read_header(filed: bytes, record: bytes) -> Header:
    """Parse and verify a set's record. Raises `Corrupt`."""
    if len(record) < _HEAD.size or crc32(memoryview(record)[4:]) != int.from_bytes(
        record[:4], "little"
    ):
        raise Corrupt(f"the record of set {filed[1:]!r} fails its checksum")
    _crc, form, _spare, key_bytes, group_bytes, name_length, version = _HEAD.unpack_from(record)
    body = _HEAD.size + name_length
    name = record[_HEAD.size : body] if name_length else filed[1:]
    return Header(form, key_bytes, group_bytes, version, name, body)


def tree_body(set_id: int, height: int, root: int, items: int, groups: int, payload: int) -> bytes:
    """What follows the header in the record of a tree."""
    return _TREE.pack(set_id, height, root, items, groups, payload)


def pack(
    form: int, key_bytes: int, group_bytes: int, version: int, name: bytes, body: bytes
) -> bytes:
    """The record of the set `name`."""
    kept = b"" if len(name) <= NAME_BYTES else name
    rest = _HEAD.pack(0, form, 0, key_bytes, group_bytes, len(kept), version)[4:] + kept + body
    return crc32(rest).to_bytes(4, "little") + rest
