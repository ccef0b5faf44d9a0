"""What a ranking stores beside the order key: one msgpack array.

    [ [scaled measure, ...], reached-at us, event id, [detail, ...], {profile},
      sequence, counted, [[part, ...], ...], [result, ...] ]

Measures and details stand in the board's order and have no names here, so a typing entry takes
80 to 110 bytes. Fields of the second line that have their defaults are left off at the end: keep
"best" and "first" never write them. A later field goes to the end with a default: old bytes stay
readable.
"""

import msgspec

from rankbook.errors import Corrupt
from rankbook.model import Value

Scaled = int | float


class KeptResult(msgspec.Struct, frozen=True, array_like=True):
    """One event, measured: the first line of the stored form."""

    measures: tuple[Scaled, ...]
    reached_at_us: int
    event_id: str
    details: tuple[Value | None, ...]
    profile: dict[str, str]


class Standing(KeptResult, frozen=True, array_like=True):
    """A stored entry, without its key and its player.

    `sequence` is kept by "latest". "total" keeps in `counted` how many events changed the sum, and
    in `parts` what each float measure's sum has beyond the double shown; with `best_of` the
    counted results themselves, best first, in `results`.
    """

    sequence: int | None = None
    counted: int = 0
    parts: tuple[tuple[float, ...], ...] = ()
    results: tuple[KeptResult, ...] = ()


def standing_of(
    result: KeptResult,
    measures: tuple[Scaled, ...],
    *,
    sequence: int | None = None,
    counted: int = 0,
    parts: tuple[tuple[float, ...], ...] = (),
    results: tuple[KeptResult, ...] = (),
) -> Standing:
    """An entry that shows this result under these measures."""
    return Standing(
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
_DEFAULTS = Standing.__struct_defaults__
_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Standing)


def encode(standing: KeptResult) -> bytes:
    """The stored bytes: those of a `Standing` without extras are those of its `KeptResult`."""
    if type(standing) is KeptResult:
        return _encoder.encode(standing)
    fields = msgspec.structs.astuple(standing)
    end = len(fields)
    while end > _LEAST and fields[end - 1] == _DEFAULTS[end - 1 - _LEAST]:
        end -= 1
    return _encoder.encode(fields[:end])


def decode(value: bytes) -> Standing:
    """The standing in stored bytes. Raises `Corrupt` when they are not one."""
    try:
        return _decoder.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Corrupt(f"a stored entry cannot be read: {error}") from error
