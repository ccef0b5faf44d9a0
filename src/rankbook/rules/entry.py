"""What a ranking stores beside the order key of an entry: one msgpack array.

    [ [scaled measure, ...], reached-at us, event id, [detail, ...], {profile},
      sequence, counted, [[part, ...], ...], [result, ...] ]

Measures and details stand in the board's order, without names, so a typing entry takes 80 to 110
bytes. Trailing fields of the second line are left off where they have their defaults. Keep "best"
and "first" never write them. A new field goes to the end and has a default, so old bytes stay
readable. A detail that is a `Decimal` is the extension 1 of msgpack, with the number's text.
"""

from decimal import Decimal

import msgspec
from msgspec.msgpack import Ext

from rankbook.errors import Corrupt
from rankbook.model import Value
from rankbook.rules.values import Scaled

DECIMAL = 1
"""The code of msgpack's extension that holds a decimal's text."""

Detail = int | float | str | Ext | None


class KeptResult(msgspec.Struct, frozen=True, array_like=True):
    """One result with its scaled measures: the first line of the stored form."""

    measures: tuple[Scaled, ...]
    reached_at_us: int
    event_id: str
    details: tuple[Detail, ...]
    profile: dict[str, str]


class StoredEntry(KeptResult, frozen=True, array_like=True):
    """A stored entry, without its key and its player.

    - `sequence`: the sequence of the result. Only keep "latest" writes it.
    - `counted`: how many results of keep "total" were not zero in every column of the order.
    - `parts`: of each float sum, what it holds beyond the double that is shown.
    - `results`: the results that a board with `best_of` counts, best first.
    """

    sequence: int | None = None
    counted: int = 0
    parts: tuple[tuple[float, ...], ...] = ()
    results: tuple[KeptResult, ...] = ()


def stored_entry(
    result: KeptResult,
    measures: tuple[Scaled, ...],
    *,
    sequence: int | None = None,
    counted: int = 0,
    parts: tuple[tuple[float, ...], ...] = (),
    results: tuple[KeptResult, ...] = (),
) -> StoredEntry:
    """An entry with these measures, and all else as in the result."""
    return StoredEntry(
        measures,
        result.reached_at_us,
        result.event_id,
        result.details,
        result.profile,
        sequence,
        counted,
        parts,
        results,
    )


_LEAST = len(KeptResult.__struct_fields__)
_DEFAULTS = StoredEntry.__struct_defaults__
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(StoredEntry)


def pack_detail(value: Value | None) -> Detail:
    """A value as an entry stores it."""
    return Ext(DECIMAL, str(value).encode()) if isinstance(value, Decimal) else value


def unpack_detail(detail: Detail) -> Value | None:
    """The value that an entry stores. Raises `Corrupt`."""
    if not isinstance(detail, Ext):
        return detail
    try:
        return Decimal(bytes(detail.data).decode())
    except (ArithmeticError, ValueError) as error:
        raise Corrupt("a decimal in a stored entry cannot be read") from error


def encode(entry: KeptResult) -> bytes:
    """The bytes to store. A `StoredEntry` without extras has the bytes of its `KeptResult`."""
    if type(entry) is KeptResult:
        return _encoder.encode(entry)
    fields = msgspec.structs.astuple(entry)
    end = len(fields)
    while end > _LEAST and fields[end - 1] == _DEFAULTS[end - 1 - _LEAST]:
        end -= 1
    return _encoder.encode(fields[:end])


def decode(value: bytes) -> StoredEntry:
    """The entry in stored bytes. Raises `Corrupt` when they cannot be read."""
    try:
        return _decoder.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Corrupt(f"a stored entry cannot be read: {error}") from error
