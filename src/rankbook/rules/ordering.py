"""Order keys: bytes whose ascending order is rank order, best first.

    | column 1 | column 2 | ... | reached-at |      every part 8 bytes, big-endian
    '------- group_bytes -------'
    '------------- key_bytes ----------------'

An ascending column holds ``number + 2**63``, a descending one ``2**63 - 1 - number``, so unsigned
bytes compare as ranks do. A double is first mapped to the signed integer of the same order: its
bits, with the lower 63 flipped when negative. The reached-at part is ascending for tie-break
"first", descending for "last", and absent for "player"; the store appends the member.
"""

import struct
from collections.abc import Sequence
from typing import NamedTuple

from rankbook.rules.values import Scaled

COLUMN_BYTES = 8

_TOP = 2**63
_LOWER = 2**63 - 1
_DOUBLE = struct.Struct(">d")
_SIGNED = struct.Struct(">q")
_UNSIGNED = struct.Struct(">Q")


class Column(NamedTuple):
    """One column of the order: the index of its measure, its direction, and its kind."""

    measure: int
    descending: bool
    is_float: bool


def _as_integer(number: float) -> int:
    bits: int = _SIGNED.unpack(_DOUBLE.pack(number))[0]
    return bits if bits >= 0 else bits ^ _LOWER


def _as_double(integer: int) -> float:
    bits = integer if integer >= 0 else integer ^ _LOWER
    double: float = _DOUBLE.unpack(_SIGNED.pack(bits))[0]
    return double


class OrderCodec:
    """Makes the order keys of one board. Instances are immutable and safe to share."""

    def __init__(self, columns: Sequence[Column], tie_break: str) -> None:
        """`tie_break` is "first", "last" or "player"."""
        self.columns = tuple(columns)
        self.group_bytes = COLUMN_BYTES * len(self.columns)
        self.key_bytes = self.group_bytes + (0 if tie_break == "player" else 8)
        self._pack = struct.Struct(f">{self.key_bytes // 8}Q").pack
        # value -> base + sign * value, for every column
        self._plan = [(*column, *_line(column.descending)) for column in self.columns]
        self._tie = None if tie_break == "player" else _line(tie_break == "last")

    def key(self, measures: Sequence[Scaled], reached_at_us: int) -> bytes:
        """The order key of scaled measures (in the board's order) reached at this instant."""
        parts: list[int] = [
            base + sign * (_as_integer(measures[index]) if is_float else measures[index])  # type: ignore[misc]
            for index, _, is_float, base, sign in self._plan
        ]
        if self._tie is not None:
            parts.append(self._tie[0] + self._tie[1] * reached_at_us)
        return self._pack(*parts)

    def ranks(self, measures: Sequence[Scaled]) -> bool:
        """Whether any column of the order is not zero."""
        return any(measures[column.measure] for column in self.columns)

    def prefix(self, ordered: Sequence[Scaled]) -> bytes:
        """The first bytes of every key whose first columns hold these scaled numbers."""
        parts = [
            base + sign * (_as_integer(number) if is_float else number)
            for number, (_, _, is_float, base, sign) in zip(ordered, self._plan, strict=False)
        ]
        return b"".join([_UNSIGNED.pack(part) for part in parts])

    def first(self, key: bytes) -> Scaled:
        """The scaled number in the key's first column."""
        _, _, is_float, base, sign = self._plan[0]
        integer = sign * (_UNSIGNED.unpack_from(key)[0] - base)
        return _as_double(integer) if is_float else integer


def _line(descending: bool) -> tuple[int, int]:
    return (_LOWER, -1) if descending else (_TOP, 1)
