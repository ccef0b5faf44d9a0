"""Submitting over HTTP: events in, receipts out, and what has become of an event."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from litestar import HttpMethod, Request, Response, get, post, put, route
from litestar.exceptions import HTTPException
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.types import ControllerRouterHandler

from rankbook.errors import Refused
from rankbook.http.api import bodies
from rankbook.http.api.guards import held, require
from rankbook.http.auth.keys import Key
from rankbook.http.openapi.responses import problems
from rankbook.http.service import Service
from rankbook.http.writer import Unavailable
from rankbook.model import Event, EventOutcome, Receipt

# Anything else takes results back or keeps players out, which is for admins.
SUBMITTED = ("result", "profile")
SUBMIT_SECONDS = 30.0

Ranks = Annotated[
    bool, QueryParameter(description="Whether receipts get ranks, which take time to find.")
]

_encoder = msgspec.json.Encoder(decimal_format="number")

PROBLEMS = problems(
    {
        400: ("The body or a parameter cannot be read.", None),
        401: ("No key, or none that is known.", None),
        403: ("The key may not do this.", None),
        404: ("No such event is recorded now.", None),
        408: ("The body took too long.", None),
        409: ("The id is recorded with other content.", None),
        413: ("The body is too large.", None),
        415: ("The body is no JSON, or is compressed.", None),
        422: ("The book refuses it, and says why.", None),
        429: ("Too many events; Retry-After says when to come again.", None),
        503: ("Log or writer cannot be used now; see Retry-After.", None),
    }
)


def recorded(content: Any) -> ResponseSpec:
    """The documentation of the answer 202, while the rankings cannot be used."""
    return ResponseSpec(content, description="Recorded, not ranked yet.", generate_examples=False)


SUBMITTED_PROBLEMS = {code: each for code, each in PROBLEMS.items() if code != 404}
ASKED_PROBLEMS = {code: PROBLEMS[code] for code in (400, 401, 403, 404, 503)}


@post(
    "/v1/events",
    guards=[require("submit")],
    status_code=200,
    operation_class=bodies.documented(Event | list[Event]),
    responses={
        202: recorded(Receipt | list[Receipt]),
        **SUBMITTED_PROBLEMS,
    },
    tags=["events"],
    summary="Submit one event, or a list of up to 1,000",
    security=[{"key": []}],
)
async def submit(
    request: Request[Any, Any, Any], ranks: Ranks = True
) -> Response[Receipt | list[Receipt]]:
    """Record durably, rank, and say what changed. A list is recorded whole or not at all.

    202 while the rankings cannot be used: the event is recorded, and will be ranked.
    """
    given: Event | list[Event] = await bodies.read(request, Event | list[Event])
    events = [given] if isinstance(given, Event) else given
    receipts = await record(request, events, ranks=ranks)
    return answer(receipts[0] if isinstance(given, Event) else receipts)


@put(
    "/v1/events/{event_id:str}",
    guards=[require("submit")],
    operation_class=bodies.documented(Event),
    responses={202: recorded(Receipt), **SUBMITTED_PROBLEMS},
    tags=["events"],
    summary="Submit one event under its id",
    security=[{"key": []}],
)
async def submit_as(
    event_id: FromPath[str], request: Request[Any, Any, Any], ranks: Ranks = True
) -> Response[Receipt]:
    """Record one event under its id. If you send the same content again, you get the first receipt.

    409 if the id is recorded with other content.
    """
    event = await bodies.read(request, Event)
    if event.id not in ("", event_id):
        raise Refused("id", f"is {event.id!r}, and {event_id!r} in the path")
    # The path is not signed: whoever passes a body on could give it other ids there.
    _check_signed(held(request), event)
    events = [msgspec.structs.replace(event, id=event_id)]
    [receipt] = await record(request, events, ranks=ranks)
    return answer(receipt)


@get(
    "/v1/events/{event_id:str}",
    guards=[require("read", "submit")],
    responses=ASKED_PROBLEMS,
    tags=["events"],
    summary="What has become of an event",
)
async def outcome(
    event_id: FromPath[str], request: Request[Any, Any, Any]
) -> Response[EventOutcome]:
    """`recorded`, `ranked` with its receipt, or `set_aside`. 404 if the event is unknown now."""
    return await _outcome(event_id, request)


@get(
    "/v1/events",
    guards=[require("read", "submit")],
    responses=ASKED_PROBLEMS,
    tags=["events"],
    summary="What has become of an event whose id has a slash",
)
async def outcome_of(id: FromQuery[str], request: Request[Any, Any, Any]) -> Response[EventOutcome]:
    """The same for any id, such as one with a slash."""
    return await _outcome(id, request)


# The framework's own answer names only the method that was added first.
@route("/v1/events", http_method=HttpMethod.OPTIONS, status_code=204, include_in_schema=False)
async def methods() -> Response[None]:
    """The methods for events."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


@route(
    "/v1/events/{event_id:str}",
    http_method=HttpMethod.OPTIONS,
    status_code=204,
    include_in_schema=False,
)
async def methods_of_one(event_id: FromPath[str]) -> Response[None]:
    """The methods for one event."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, PUT"})


async def _outcome(event_id: str, request: Request[Any, Any, Any]) -> Response[EventOutcome]:
    served: Service = request.app.state.served
    found = await served.read(lambda: served.book.outcome(event_id), long=True)
    if found.status == "unknown":
        detail = f"no event {event_id!r} is recorded now"
        raise HTTPException(status_code=404, detail=detail)
    return answer(found)


async def record(
    request: Request[Any, Any, Any], events: Sequence[Event], *, ranks: bool = True
) -> list[Receipt]:
    """Record events for the request's key, all or none, within its limits."""
    served: Service = request.app.state.served
    _check(request, events)
    if not events:
        return []
    key = held(request)
    served.limits.admit(key.id, events)
    try:
        async with asyncio.timeout(SUBMIT_SECONDS):
            return await served.writer.submit(events, lane=key.id, ranks=ranks)
    except TimeoutError:
        detail = (
            "it is not known yet whether it is recorded: ask for it, or send it again by its id"
        )
        raise Unavailable(detail) from None
    except Refused as error:
        raise _placed(served, events, error) from None


def _check(request: Request[Any, Any, Any], events: Sequence[Event]) -> None:
    """Refuse what this service does not take, before the book checks the events."""
    most = request.app.state.served.settings.batch_events
    if len(events) > most:
        raise Refused("events", f"are {len(events)}; there may be {most} in a list")
    key = held(request)
    for event in events:
        if event.kind not in SUBMITTED and not key.may("admin"):
            detail = f"the key {key.name!r} may submit results; {event.kind!r} is for admin"
            raise HTTPException(status_code=403, detail=detail)
        _check_signed(key, event)


def _check_signed(key: Key, event: Event) -> None:
    if key.signed and not event.id:
        raise Refused("id", "is empty; a signed event has one, so that a replay is a retry")


def _placed(served: Service, events: Sequence[Event], error: Refused) -> Refused:
    """The refusal of a list, with the place of the refused event in it."""
    if len(events) == 1:
        return error
    for index, event in enumerate(events):
        try:
            served.book.check(event)
        except Refused as refused:
            return Refused(f"[{index}].{refused.field}", refused.reason)
    return error


def answer(found: Receipt | list[Receipt] | EventOutcome) -> Response[Any]:
    """The response: 202 if an event is recorded and not ranked yet. No cache keeps it."""
    receipts = found if isinstance(found, list) else [found]
    pending = any(each.status in ("pending", "recorded") for each in receipts)
    return Response(
        _encoder.encode(found),
        status_code=202 if pending and not isinstance(found, EventOutcome) else 200,
        media_type=bodies.JSON,
        headers={"Cache-Control": "no-store"},
    )


# The OPTIONS come first, for the framework adds its own where there are none yet.
handlers: list[ControllerRouterHandler] = [
    *(methods, methods_of_one),
    *(submit, submit_as, outcome, outcome_of),
]
