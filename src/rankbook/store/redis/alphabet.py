"""Bytes as text that sorts the same, so that every transport can carry it: JSON has no bytes.

An order key is written in base 64 with digits in ascending order. Its group and the rest of it are
each filled up with zero bytes to whole digits. So all keys of a ranking have one length in
characters, and the digits of the group come first. Members and values are text in which byte n is
the character of number n, encoded as UTF-8. Plain ASCII stays as it is, and order stays too.

    item of the order    key in digits, member as text
    entry of a member    key in digits, value as text
"""

from binascii import Error, a2b_base64, b2a_base64
from functools import lru_cache
from typing import NamedTuple

from rankbook.errors import Corrupt
from rankbook.store.base import RankingId

COMMON = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
DIGITS = bytes(sorted(b"-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"))
_to = bytes.maketrans(COMMON, DIGITS)
_from = bytes.maketrans(DIGITS, COMMON)
FILL = (b"", b"\0\0", b"\0")  # by length modulo 3


class Shape(NamedTuple):
    """How long keys of a ranking are: in bytes, and in digits."""

    key_bytes: int
    group_bytes: int
    key_digits: int
    group_digits: int


@lru_cache(maxsize=256)
def shape(key_bytes: int, group_bytes: int) -> Shape:
    """The shape of keys with this many bytes, and this many bytes of group."""
    group = _digits(group_bytes)
    return Shape(key_bytes, group_bytes, group + _digits(key_bytes - group_bytes), group)


def shape_of(ranking: RankingId) -> Shape:
    """The shape of a ranking's keys."""
    return shape(ranking.key_bytes, ranking.group_bytes)


def key_text(key: bytes, group_bytes: int) -> str:
    """A whole key in digits."""
    if group_bytes % 3:
        filled = key[:group_bytes] + FILL[group_bytes % 3] + key[group_bytes:]
    else:
        filled = key
    filled += FILL[len(filled) % 3]
    return b2a_base64(filled, newline=False).translate(_to).decode("ascii")


def read_key(digits: str, of: Shape) -> bytes:
    """The key in these digits. Raises `Corrupt`."""
    try:
        filled = a2b_base64(digits.encode("ascii").translate(_from))
    except (Error, UnicodeEncodeError) as error:
        raise Corrupt(f"{digits!r} is no order key") from error
    start = of.group_digits // 4 * 3
    key = filled[: of.group_bytes] + filled[start : start + of.key_bytes - of.group_bytes]
    if len(key) != of.key_bytes:
        raise Corrupt(f"{digits!r} is no order key of {of.key_bytes} bytes")
    return key


def text(raw: bytes) -> str:
    """Any bytes as text: byte n is character n."""
    return raw.decode("latin-1")


def read_text(found: str) -> bytes:
    """The bytes in this text. Raises `Corrupt` for a character that is no byte."""
    try:
        return found.encode("latin-1")
    except UnicodeEncodeError as error:
        raise Corrupt(f"{found[:40]!r} has a character that is no byte") from error


def bound_text(bound: bytes, of: Shape) -> str:
    """A bound as text: exactly the items of entries before the bound sort before it."""
    if len(bound) >= of.key_bytes:
        return key_text(bound[: of.key_bytes], of.group_bytes) + text(bound[of.key_bytes :])
    if len(bound) > of.group_bytes:
        group = bound[: of.group_bytes]
        return key_text(group, of.group_bytes) + _cut(bound[of.group_bytes :])
    return _cut(bound)


def _cut(part: bytes) -> str:
    """The beginning of a part of a key, without digits that only fill it up."""
    return b2a_base64(part, newline=False).rstrip(b"=").translate(_to).decode("ascii")


def _digits(size: int) -> int:
    return (size + 2) // 3 * 4
