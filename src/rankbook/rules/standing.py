"""What a ranking stores beside the order key: one msgpack array.

    [ [scaled measure, ...], reached-at us, event id, [detail, ...], {profile} ]

Measures and details stand in the board's order and have no names here, so a typing entry takes
80 to 110 bytes. A later field goes to the end with a default: old bytes stay readable.
"""

import msgspec

from rankbook.errors import Corrupt
from rankbook.model import Value

Scaled = int | float


class Standing(msgspec.Struct, frozen=True, array_like=True):
    """A stored entry, without its key and its player."""

    measures: tuple[Scaled, ...]
    reached_at_us: int
    event_id: str
    details: tuple[Value | None, ...]
    profile: dict[str, str]


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Standing)


def encode(standing: Standing) -> bytes:
    """The stored bytes."""
    return _encoder.encode(standing)


def decode(value: bytes) -> Standing:
    """The standing in stored bytes. Raises `Corrupt` when they are not one."""
    try:
        return _decoder.decode(value)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Corrupt(f"a stored entry cannot be read: {error}") from error
