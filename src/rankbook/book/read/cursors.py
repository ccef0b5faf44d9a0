"""Cursors: a place in the order of one ranking, and the direction to read from it.

A cursor is a msgpack array [ranking's name, back, bound] in URL-safe Base64. The bound is bytes of
key + member: a page begins at it, or, reading back, ends before it.
"""

import base64
import binascii
from collections.abc import Callable

import msgspec

from rankbook.errors import Refused
from rankbook.model import Standings
from rankbook.store.base import Slice


class Cursor(msgspec.Struct, frozen=True, array_like=True):
    """The decoded form."""

    ranking: str
    back: bool
    bound: bytes


def write(cursor: Cursor) -> str:
    """The cursor as text."""
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(cursor)).decode().rstrip("=")


def read(ranking: str, text: str | None) -> Cursor:
    """The cursor in `text`, or the start. Raises `Refused` for a cursor of another ranking."""
    if text is None:
        return Cursor(ranking, False, b"")
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        cursor = msgspec.msgpack.decode(data, type=Cursor)
    except (binascii.Error, ValueError, msgspec.DecodeError) as error:
        raise Refused("cursor", "is no cursor") from error
    if cursor.ranking != ranking:
        raise Refused("cursor", f"is of {cursor.ranking}, not of {ranking}")
    return cursor


def onward(
    cursor: Cursor,
    found: Slice,
    standings: Callable[[Slice], Standings],
    capped: Callable[[int], int],
) -> Standings:
    """The page at a cursor, with the cursors to its neighbours.

    A page that has become empty leads back to where its cursor came from.
    """
    made = standings(found)
    rows = found.rows[: len(made.entries)]
    ranking = cursor.ranking
    if not rows:
        turned = write(Cursor(ranking, not cursor.back, cursor.bound)) if cursor.bound else None
        side = {"next": turned} if cursor.back else {"previous": turned}
        return msgspec.structs.replace(made, **side)
    end = rows[-1].key + rows[-1].member + b"\0"
    follows = found.start + len(rows) < capped(found.count)
    begin = rows[0].key + rows[0].member
    return msgspec.structs.replace(
        made,
        next=write(Cursor(ranking, False, end)) if follows else None,
        previous=write(Cursor(ranking, True, begin)) if found.start else None,
    )
