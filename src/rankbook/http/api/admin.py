"""Administration over HTTP: events that take results back or keep players out, and jobs that check
and repair rankings."""

from typing import Any

import msgspec
from litestar import Request, Response, get, post
from litestar.datastructures import State
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from rankbook.book import period_name
from rankbook.errors import NotFound
from rankbook.http.api import bodies
from rankbook.http.api.events import PROBLEMS, SUBMITTED_PROBLEMS, answer, record, recorded
from rankbook.http.api.guards import require
from rankbook.http.jobs import Job, JobKind, Work
from rankbook.http.openapi.responses import problems
from rankbook.http.service import Service
from rankbook.model import Event, Kind, Receipt, Value

_CHANGES: dict[str, Any] = {
    "guards": [require("admin")],
    "status_code": 200,
    "responses": {202: recorded(Receipt), **SUBMITTED_PROBLEMS},
    "tags": ["admin"],
    "security": [{"key": []}],
}
_JOBS: dict[str, Any] = {
    "guards": [require("admin")],
    "tags": ["admin"],
    "security": [{"key": []}],
}
_REFUSALS = {code: PROBLEMS[code] for code in (400, 401, 403, 422)}
_STARTED = _REFUSALS | problems(
    {
        404: ("No such board or period; says what there is.", None),
        408: ("The body took too long.", None),
        409: ("Another job runs: one at a time.", None),
        413: ("The body is too large.", None),
        415: ("The body is no JSON, or is compressed.", None),
        503: ("The log cannot be used now.", None),
    }
)
_NO_JOB = _REFUSALS | problems({404: ("No such job; says what there is.", None)})


class OfResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of a void or an unvoid. `id` is the id of that event itself, which makes a retry
    safe."""

    event: str
    id: str = ""


class Correct(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result that gets other values, all of them, and another profile."""

    event: str
    values: dict[str, Value]
    profile: dict[str, str] = {}
    id: str = ""


class OfPlayer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The player of a ban, an unban or a forget."""

    player: str
    id: str = ""


class Seal(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The period to seal. It must be over, and its board must seal its periods."""

    board: str
    window: str
    period: str
    id: str = ""


class Rebuild(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rankings to make again: all of them, those of one board, or those of one period of it."""

    board: str | None = None
    period: str | None = None


@post("/v1/admin/void", operation_class=bodies.documented(OfResult), **_CHANGES)
async def void(request: Request[Any, Any, Any]) -> Response[Receipt]:
    """Take a result back, until an unvoid."""
    return await _of_result(request, "void")


@post("/v1/admin/unvoid", operation_class=bodies.documented(OfResult), **_CHANGES)
async def unvoid(request: Request[Any, Any, Any]) -> Response[Receipt]:
    """Undo every void of a result: it counts again, as it was corrected last."""
    return await _of_result(request, "unvoid")


@post("/v1/admin/correct", operation_class=bodies.documented(Correct), **_CHANGES)
async def correct(request: Request[Any, Any, Any]) -> Response[Receipt]:
    """Give a result other values."""
    given = await bodies.read(request, Correct)
    event = Event(
        kind="correct",
        player="",
        target=given.event,
        values=given.values,
        profile=given.profile,
        id=given.id,
    )
    return await _recorded(request, event)


@post("/v1/admin/ban", operation_class=bodies.documented(OfPlayer), **_CHANGES)
async def ban(request: Request[Any, Any, Any]) -> Response[Receipt]:
    """Keep a player out of every ranking, until unbanned."""
    return await _of_player(request, "ban")


@post("/v1/admin/unban", operation_class=bodies.documented(OfPlayer), **_CHANGES)
async def unban(request: Request[Any, Any, Any]) -> Response[Receipt]:
    """Let a player into the rankings again."""
    return await _of_player(request, "unban")


@post("/v1/admin/forget", operation_class=bodies.documented(OfPlayer), **_CHANGES)
async def forget(request: Request[Any, Any, Any]) -> Response[Receipt]:
    """Remove a player from every ranking and erase what their events say, for good."""
    return await _of_player(request, "forget")


@post("/v1/admin/seal", operation_class=bodies.documented(Seal), **_CHANGES)
async def seal(request: Request[Any, Any, Any]) -> Response[Receipt]:
    """Seal a period that is over. The service also seals each period once, when it is due."""
    given = await bodies.read(request, Seal)
    target = period_name(given.board, given.window, given.period)
    return await _recorded(request, Event(kind="seal", player="", target=target, id=given.id))


@post("/v1/admin/verify", status_code=202, responses=_STARTED, **_JOBS)
async def verify(request: Request[Any, Any, Any], state: State) -> Response[Job]:
    """Start to compare every ranking with the log. The job's result is the report."""
    served: Service = state.served
    return await _started(request, "verify", lambda told: served.book.verify(progress=told))


@post("/v1/admin/repair", status_code=202, responses=_STARTED, **_JOBS)
async def repair(request: Request[Any, Any, Any], state: State) -> Response[Job]:
    """Start to make the rankings that differ from the log again. The job's result is what was
    found."""
    served: Service = state.served
    return await _started(request, "repair", lambda told: served.book.repair(progress=told))


@post(
    "/v1/admin/rebuild",
    status_code=202,
    operation_class=bodies.documented(Rebuild),
    responses=_STARTED,
    **_JOBS,
)
async def rebuild(request: Request[Any, Any, Any]) -> Response[Job]:
    """Start to make rankings again from the log. The job's result is the log position reached."""
    given = await bodies.read(request, Rebuild)
    served: Service = request.app.state.served
    if given.board is not None:
        served.book.spec.board(given.board)
    elif given.period is not None:
        raise NotFound("a period is one of a board; say which")
    return await _started(
        request,
        "rebuild",
        lambda told: served.book.rebuild(board=given.board, period=given.period, progress=told),
    )


@get("/v1/jobs", responses=_REFUSALS, **_JOBS)
async def jobs(state: State) -> Response[list[Job]]:
    """The newest jobs, the newest first."""
    served: Service = state.served
    return Response(await served.read(served.jobs.list, long=True), headers=_FRESH)


@get("/v1/jobs/{job_id:str}", responses=_NO_JOB, **_JOBS)
async def job(job_id: FromPath[str], state: State) -> Response[Job]:
    """How far a job is, and its result."""
    served: Service = state.served
    return Response(await served.read(lambda: served.jobs.get(job_id), long=True), headers=_FRESH)


@post("/v1/jobs/{job_id:str}/cancel", status_code=202, responses=_NO_JOB, **_JOBS)
async def cancel(job_id: FromPath[str], state: State) -> Response[Job]:
    """Ask a job to stop. The rankings stay as they are, and the next rebuild continues from
    there."""
    served: Service = state.served
    return Response(
        await served.read(lambda: served.jobs.cancel(job_id), long=True), headers=_FRESH
    )


_FRESH = {"Cache-Control": "no-store"}


async def _recorded(request: Request[Any, Any, Any], event: Event) -> Response[Receipt]:
    [receipt] = await record(request, [event])
    return answer(receipt)


async def _of_result(request: Request[Any, Any, Any], kind: Kind) -> Response[Receipt]:
    given = await bodies.read(request, OfResult)
    return await _recorded(request, Event(kind=kind, player="", target=given.event, id=given.id))


async def _of_player(request: Request[Any, Any, Any], kind: Kind) -> Response[Receipt]:
    given = await bodies.read(request, OfPlayer)
    return await _recorded(request, Event(kind=kind, player=given.player, id=given.id))


async def _started(request: Request[Any, Any, Any], kind: JobKind, work: Work) -> Response[Job]:
    """Start the job. Its estimate counts the events of the log and, if it compares, every entry."""
    served: Service = request.app.state.served

    def start() -> Job:
        entries = 0 if kind == "rebuild" else served.jobs.entries()
        of = None if entries is None else served.book.log.head() + entries
        return served.jobs.start(kind, work, of)

    made = await served.read(start, long=True)
    place = f"{request.scope.get('root_path', '').rstrip('/')}/v1/jobs/{made.id}"
    return Response(made, headers={"Location": place, **_FRESH})


handlers: list[ControllerRouterHandler] = [
    *(void, unvoid, correct, ban, unban, forget, seal, verify, repair, rebuild),
    *(jobs, job, cancel),
]
