"""The parameters of a read: each is checked, and an unknown one is refused."""

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any
from urllib.parse import unquote

from litestar import Request
from litestar.datastructures import MultiDict
from litestar.params import PathParameter, QueryParameter

from rankbook.book import MAX_LIMIT
from rankbook.errors import Refused
from rankbook.model import Number

AnyRequest = Request[Any, Any, Any]

TAG = "tag."
MAX_DIGITS = 40

_PLAYER = re.compile(rb"/v1/(?:boards/[^/]+/)?(?:around|players)/(.*)", re.DOTALL)

BoardName = Annotated[str, PathParameter(description="The board's name.", max_length=64)]
PlayerId = Annotated[
    str,
    PathParameter(description="The player's id, percent-encoded; a slash in it as `%2F`."),
]
WindowName = Annotated[
    str | None,
    QueryParameter(
        description="A window of the board, such as `daily`; else its first one.", max_length=64
    ),
]
PeriodId = Annotated[
    str | None,
    QueryParameter(
        description="A period of the window, such as `2026-11-30`; else the one that is running.",
        max_length=64,
    ),
]
Limit = Annotated[int, QueryParameter(description="How many entries at most.", ge=1, le=MAX_LIMIT)]


def reject_unknown(given: MultiDict[Any], *names: str, tags: bool = False) -> None:
    """Refuse a query parameter that is not in `names`, or that is given twice.

    A name with a star at its end may be repeated. With `tags`, so may `tag.NAME`. Raises `Refused`.
    """
    seen: set[str] = set()
    for name, _value in given.multi_items():
        if tags and name.startswith(TAG):
            pass
        elif name not in names and f"{name}*" not in names:
            there = ", ".join([each.rstrip("*") for each in names] + ["tag.NAME"] * tags)
            raise Refused(name[:64], f"is no parameter here; there are: {there or 'none'}")
        if name in seen and f"{name}*" not in names:
            raise Refused(name[:64], "is given twice")
        seen.add(name)


def tags_of(request: AnyRequest) -> dict[str, str]:
    """The tags in the parameters `tag.NAME=VALUE`."""
    return {
        name.removeprefix(TAG): value
        for name, value in request.query_params.multi_items()
        if name.startswith(TAG)
    }


def player_of(request: AnyRequest, given: str) -> str:
    """The player at the end of the path, with all slashes that belong to the player.

    Servers decode paths, so a player's slash looks like a slash of the path.
    """
    raw: bytes | None = request.scope.get("raw_path")
    found = None if raw is None else _PLAYER.search(raw.partition(b"?")[0])
    return unquote(found[1].decode("latin-1")) if found else given.removeprefix("/")


def number(text: str | None, field: str) -> Number | None:
    """A score exactly as written, or None without one. Raises `Refused`."""
    if text is None:
        return None
    try:
        found = Decimal(text) if len(text) <= MAX_DIGITS else None
    except InvalidOperation:
        found = None
    if found is None or not found.is_finite() or abs(found.adjusted()) > MAX_DIGITS:
        raise Refused(field, f"is {text[:MAX_DIGITS]!r}, not a number")
    return int(found) if found == found.to_integral_value() else found


def numbers(texts: Sequence[str], field: str) -> list[Number]:
    """Scores exactly as written. Raises `Refused`."""
    found = [number(text, field) for text in texts]
    return [each for each in found if each is not None]
