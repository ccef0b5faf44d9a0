"""What both logs do with drafts and events, however they store them.

Every event has a checksum: the first 8 bytes of the SHA-256 of its times, of the lengths of its id,
kind and player, and of these and its body. Its position is left out, because an event may get one
later. SQLite (through Python) and PostgreSQL both have SHA-256.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from struct import Struct
from struct import error as StructError
from typing import Any

from rankbook.errors import Corrupt, EventConflict
from rankbook.log.base import Draft, Recorded

CHECKSUM_BYTES = 8

_head = Struct(">qqiii")


def checksum(draft: Draft) -> bytes:
    """The checksum of an event as it is recorded."""
    id, kind, player, at_us, received_us, body = draft
    return checksum_of(id.encode(), kind.encode(), player.encode(), at_us, received_us, body)


def checksum_of(
    id: bytes, kind: bytes, player: bytes, at_us: int, received_us: int, body: bytes
) -> bytes:
    """The checksum of an event by its columns, with texts in UTF-8."""
    head = _head.pack(at_us, received_us, len(id), len(kind), len(player))
    return sha256(b"".join((head, id, kind, player, body))).digest()[:CHECKSUM_BYTES]


def recorded(row: Sequence[Any]) -> Recorded:
    """The event in a row: its columns, and its checksum last.

    A row that does not match its checksum may hold anything. Its event is not intact, and a field
    that is no text, number or body is empty.
    """
    seq, id, kind, player, at_us, received_us, body, stored = row
    try:
        found = checksum_of(id.encode(), kind.encode(), player.encode(), at_us, received_us, body)
    except (AttributeError, TypeError, ValueError, StructError):
        found = b""
    if found == stored and found:
        return Recorded(seq, id, kind, player, at_us, received_us, body)
    return Recorded(
        seq,
        id if isinstance(id, str) else "",
        kind if isinstance(kind, str) else "",
        player if isinstance(player, str) else "",
        at_us if isinstance(at_us, int) else 0,
        received_us if isinstance(received_us, int) else 0,
        body if isinstance(body, bytes) else b"",
        intact=False,
    )


def intact(events: Iterable[Recorded]) -> list[Recorded]:
    """The events that match their checksums."""
    return [event for event in events if event.intact]


def all_recorded(rows: Iterable[Sequence[Any]], after: int) -> list[Recorded]:
    """The events of rows, whose positions must ascend from `after`. Raises `Corrupt`."""
    return ascending([recorded(row) for row in rows], after)


def ascending(events: list[Recorded], after: int) -> list[Recorded]:
    """The events of an answer. Their positions must ascend from the requested one.

    Raises `Corrupt` if they do not: a reader that continued from there would never finish.
    """
    for event in events:
        if event.seq <= after:
            raise Corrupt(f"the log has position {event.seq} after position {after}")
        after = event.seq
    return events


def can_be_kept(text: str) -> bool:
    """Whether a database can hold the text: it has no NUL and no lone surrogate."""
    try:
        return "\0" not in text and text.encode() is not None
    except UnicodeEncodeError:
        return False


def distinct(drafts: Sequence[Draft]) -> dict[str, Draft]:
    """Every id once, in the order of the call.

    Raises `EventConflict` if an id comes twice with different content.
    """
    each: dict[str, Draft] = {}
    for draft in drafts:
        first = each.setdefault(draft.id, draft)
        if first is not draft:
            check_same(first, draft)
    return each


def check_same(first: Draft | Recorded, again: Draft) -> None:
    """Raises `EventConflict` if a known id comes again with other content.

    Content is the kind, the player and the body. A retry has times of its own.
    """
    if (first.kind, first.player, first.body) != (again.kind, again.player, again.body):
        raise EventConflict(again.id)


def streamed(page: Callable[[int], list[Recorded]]) -> Iterator[Recorded]:
    """All events of a query, page after page. `page` gets the position after which to continue.

    Raises `Corrupt` if positions do not ascend.
    """
    after = 0
    while events := ascending(page(after), after):
        yield from events
        after = events[-1].seq
