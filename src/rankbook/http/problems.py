"""Problem details (RFC 9457): one table from the tree of errors to what a client sees."""

import msgspec
from litestar import Response
from litestar.exceptions import HTTPException

from rankbook.errors import (
    BookError,
    ConfigError,
    EventConflict,
    LogError,
    NotFound,
    RankbookError,
    Refused,
    SpecError,
    StoreError,
)
from rankbook.http.jobs import Busy
from rankbook.http.writer import Unavailable

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 2


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What went wrong. `type` names the kind of problem, and `detail` describes this case.

    `field` names the wrong part of the request, if there is one.
    """

    type: str
    title: str
    status: int
    detail: str = ""
    field: str = ""


class Kind(msgspec.Struct, frozen=True):
    """One row of the table: the problem's status, the end of its type, and its title."""

    status: int
    name: str
    title: str
    retry: bool = False


UNEXPECTED = Kind(500, "unexpected", "The service failed")
KINDS: dict[type[Exception], Kind] = {
    Refused: Kind(422, "refused", "The book refuses this"),
    ConfigError: UNEXPECTED,  # It is for the programmer, and told where unexpected errors are.
    SpecError: Kind(422, "specification", "The specification is wrong"),
    NotFound: Kind(404, "not-found", "There is no such thing"),
    EventConflict: Kind(409, "event-conflict", "The id is recorded with other content"),
    LogError: Kind(503, "log-unavailable", "The log cannot be used now", True),
    StoreError: Kind(503, "store-unavailable", "The rankings cannot be used now", True),
    Busy: Kind(409, "busy", "Another job runs"),
    Unavailable: Kind(503, "unavailable", "Nothing can be recorded now", True),
    BookError: Kind(503, "book-unavailable", "The book cannot be used now", True),
}
STATUSES: dict[int, tuple[str, str]] = {
    400: ("bad-request", "The request cannot be read"),
    401: ("unauthenticated", "A key is needed"),
    403: ("forbidden", "The key may not do this"),
    404: ("not-found", "There is no such thing"),
    405: ("method-not-allowed", "The method is not for this"),
    413: ("too-large", "The request is too large"),
    408: ("timeout", "The request took too long"),
    415: ("media-type", "The body is of another kind"),
    422: ("refused", "The book refuses this"),
    429: ("too-many", "Too many requests"),
    503: ("unavailable", "The service cannot answer now"),
}


def kind_of(error: Exception) -> Kind:
    """The row of an error: that of its nearest class in the table."""
    return next((KINDS[each] for each in type(error).__mro__ if each in KINDS), UNEXPECTED)


def problem(
    status: int, detail: str, *, name: str = "", title: str = "", field: str = ""
) -> Problem:
    """A problem by its status. By default it has the status's own name and title."""
    known = STATUSES.get(status, (f"status-{status}", "The request failed"))
    return Problem(
        type=f"urn:rankbook:{name or known[0]}",
        title=title or known[1],
        status=status,
        detail=detail,
        field=field,
    )


def answer(found: Problem, headers: dict[str, str] | None = None) -> Response[bytes]:
    """The response that carries a problem. No cache keeps it."""
    return Response(
        msgspec.json.encode(found),
        status_code=found.status,
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", **(headers or {})},
    )


def told(error: Exception) -> tuple[Problem, dict[str, str]]:
    """An error as a problem, with its headers.

    Internal details, such as a path or a driver's message, are left out.
    """
    if isinstance(error, HTTPException):
        return _of_framework(error), dict(error.headers or {})
    kind = kind_of(error)
    known = isinstance(error, RankbookError) and kind.status < 500
    detail = str(error) if known or isinstance(error, Unavailable) else ""
    field = error.field if isinstance(error, Refused | SpecError) else ""
    headers = {"Retry-After": str(RETRY_SECONDS)} if kind.retry else {}
    found = problem(kind.status, detail, name=kind.name, title=kind.title, field=field)
    return found, headers


def _of_framework(error: HTTPException) -> Problem:
    """A problem for an error that the framework or a handler raised."""
    detail, field = error.detail if error.status_code != 500 else "", ""
    wrong = error.extra[0] if isinstance(error.extra, list) and error.extra else None
    if isinstance(wrong, dict):
        field = str(wrong.get("key", ""))
        detail = f"{field}: {wrong.get('message', detail)}"
    if error.status_code == 404 and detail == "Not Found":
        detail = "no such path; /schema lists those there are"
    return problem(error.status_code, detail, field=field)
