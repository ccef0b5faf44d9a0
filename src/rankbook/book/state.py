"""What a fold remembers besides entries. The store keeps it as rankings of its own.

So one atomic step publishes it, and the same fold rebuilds it. The names begin with a tilde, which
no board's name does. Names with two tildes are only hints for finding things, and verify does not
compare them.

    ~bans                     player -> seq of the ban
    ~profiles                 player -> the current profile
    ~seals                    period -> seq of its seal
    ~cooldowns/BOARD          player -> when their last ranked result happened
    ~poison                   seq of an event that cannot be read -> its id, and why
    ~~open                    period -> when it closes, for periods that will be sealed
    ~~newest                  board and window -> start of the newest period with a result
    ~~rankings/BOARD/WINDOW   a ranking's name -> start of its period
"""

from urllib.parse import quote, unquote

import msgspec

from rankbook.store.base import RankingId, Stored

NUMBER_BYTES = 8
SEAL = "seal:"
_BIAS = 1 << 63

BANS = RankingId("~bans", NUMBER_BYTES, NUMBER_BYTES)
PROFILES = RankingId("~profiles", NUMBER_BYTES, NUMBER_BYTES)
SEALS = RankingId("~seals", NUMBER_BYTES, NUMBER_BYTES)
POISON = RankingId("~poison", NUMBER_BYTES, NUMBER_BYTES)
OPEN = RankingId("~~open", NUMBER_BYTES, NUMBER_BYTES)
NEWEST = RankingId("~~newest", NUMBER_BYTES, NUMBER_BYTES)

_profiles = msgspec.msgpack.Decoder(dict[str, str])
_poison = msgspec.msgpack.Decoder(tuple[str, str])


def cooldowns(board: str) -> RankingId:
    """When each player's last ranked result on a board happened."""
    return RankingId(f"~cooldowns/{board}", NUMBER_BYTES, NUMBER_BYTES)


def catalog(board: str, window: str) -> RankingId:
    """The rankings that a window of a board has had entries in."""
    return RankingId(f"~~rankings/{board}/{window}", NUMBER_BYTES, NUMBER_BYTES)


def is_state(name: str) -> bool:
    """Whether this is not a ranking of a board."""
    return name.startswith("~")


def is_hint(name: str) -> bool:
    """Whether this only helps to find things, so that verify does not compare it."""
    return name.startswith("~~")


def period_name(board: str, window: str, period: str) -> str:
    """A period of a board as one text: the target of a seal."""
    return "/".join([quote(part, safe="") for part in (board, window, period)])


def read_period(name: str) -> tuple[str, str, str]:
    """(board, window, period) of a period's name."""
    board, window, period = [unquote(part) for part in name.split("/")]
    return board, window, period


def seal_id(period: str, taken: int = 0) -> str:
    """The id of the seal that Rankbook records for a period, by the period's name.

    `taken` is how many of these ids the log already has for other events. A period's name contains
    no `#`, because names quote it.
    """
    return f"{SEAL}{period}#{taken + 1}" if taken else f"{SEAL}{period}"


def sealed_period(event_id: str) -> str:
    """The name of the period that the seal with this id closes; empty for another id."""
    if not event_id.startswith(SEAL):
        return ""
    return event_id.removeprefix(SEAL).partition("#")[0]


def number(value: int | None) -> bytes:
    """A signed 64-bit number as an ascending key; None is the lowest."""
    return ((value if value is not None else -_BIAS) + _BIAS).to_bytes(NUMBER_BYTES, "big")


def read_number(key: bytes) -> int:
    """The number of a key."""
    return int.from_bytes(key, "big") - _BIAS


def marked(value: int | None, content: bytes = b"") -> Stored:
    """An entry of one of these rankings."""
    return Stored(number(value), content)


def pack_profile(profile: dict[str, str]) -> bytes:
    """A profile as stored."""
    return msgspec.msgpack.encode(profile)


def poison(seq: int) -> bytes:
    """The member of `POISON` for the event at a log position."""
    return b"%d" % seq


def pack_poison(event_id: str, reason: str) -> bytes:
    """An event that was set aside, as stored."""
    return msgspec.msgpack.encode((event_id, reason))


def unpack_poison(value: bytes) -> tuple[str, str]:
    """(event id, reason) as stored. Raises msgspec.DecodeError."""
    return _poison.decode(value)


def unpack_profile(value: bytes) -> dict[str, str]:
    """A stored profile. Raises msgspec.DecodeError."""
    return _profiles.decode(value)
