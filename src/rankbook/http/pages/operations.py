"""The operations page: lag, sizes, jobs and their reports, and forms for an admin."""

from collections.abc import Mapping
from typing import Any

import msgspec
from litestar import Response, get, post
from litestar.datastructures import State
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from rankbook.book import Reader, period_name
from rankbook.errors import NotFound, Refused
from rankbook.http.api.guards import form, holder, require
from rankbook.http.jobs import Busy, Job, JobKind, Work
from rankbook.http.pages.site import AnyRequest, base, page
from rankbook.http.service import Service
from rankbook.model import Event, PeriodSummary
from rankbook.store import Describable

JOBS = 12
MOST_LISTED = 50
MOST_SEALABLE = 60
LATE_SECONDS = 5.0


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The book's positions and lag, and what the store says of itself."""

    head: int
    position: int
    pending: int
    lag_seconds: float
    late: bool
    log: str
    store: str
    sizes: tuple[tuple[str, Any, str], ...]


class Sealable(msgspec.Struct, frozen=True):
    """A period that may be sealed, and its name as the log writes it."""

    summary: PeriodSummary
    name: str


class Operations(msgspec.Struct, frozen=True, kw_only=True):
    """The values of the page. `shown` is the job whose report is open."""

    standing: Standing
    jobs: tuple[Job, ...]
    running: Job | None
    shown: Job | None
    sealable: tuple[Sealable, ...]
    boards: tuple[str, ...]


def operations(served: Service, params: Mapping[str, str]) -> Operations:
    """The values of the operations page. Raises `NotFound` for no such job."""
    jobs = served.jobs.list()
    running = next((job for job in jobs if job.status == "running"), None)
    wanted = params.get("job")
    shown = served.jobs.get(wanted) if wanted else next(iter(jobs), None)
    return Operations(
        standing=_standing(served),
        jobs=tuple(jobs[:JOBS]),
        running=running,
        shown=shown,
        sealable=_sealable(served),
        boards=tuple([board.name for board in served.book.spec.boards]),
    )


def _standing(served: Service) -> Standing:
    book = served.book
    lag = book.lag()
    described = book.store.describe() if isinstance(book.store, Describable) else {}
    return Standing(
        head=lag.head,
        position=lag.position,
        pending=lag.events,
        lag_seconds=lag.seconds,
        late=lag.seconds > LATE_SECONDS,
        log=_scheme(book.spec.log),
        store=_scheme(book.spec.store),
        sizes=tuple(_sizes(described)),
    )


def _scheme(uri: str) -> str:
    """The kind of a log or store. The rest of its URI may hold a password."""
    return uri.partition(":")[0]


def _sizes(described: Mapping[str, Any]) -> list[tuple[str, Any, str]]:
    """What the store says of itself, as (name, value, kind of value)."""
    found: list[tuple[str, Any, str]] = []
    for name, value in described.items():
        if name.endswith("_bytes"):
            found.append((name.removesuffix("_bytes").replace("_", " "), value, "bytes"))
        elif isinstance(value, dict):
            words = sorted({str(each) for each in value.values()})
            found.append((name.replace("_", " "), ", ".join(words), "text"))
        elif isinstance(value, list):
            found.append((name.replace("_", " "), len(value), "text"))
        else:
            found.append((name.replace("_", " "), value, "text"))
    return found


def _sealable(served: Service) -> tuple[Sealable, ...]:
    """Periods that are over and not sealed, of boards with `seal`."""
    return served.book.snapshot(lambda reader: _sealable_in(reader, served))


def _sealable_in(reader: Reader, served: Service) -> tuple[Sealable, ...]:
    now = served.clock()
    found: list[Sealable] = []
    for rules in served.rules:
        for each in reader.periods(rules.board.name) if rules.board.seal else ():
            span = rules.window(each.window).period(each.period.id)
            over = span.end_us is not None and span.end_us <= now
            if over and not each.period.sealed:
                name = period_name(rules.board.name, each.window, each.period.id)
                found.append(Sealable(each, name))
    return tuple(found[:MOST_SEALABLE])


@get("/operations", include_in_schema=False)
async def show_operations(request: AnyRequest, state: State) -> Response[Any]:
    """The operations page. Without an admin's session, a form that begins one."""
    served: Service = state.served
    known: dict[str, Any] = {"here": "operations", "book": served.book.spec.name, "remote": False}
    key = holder(request)
    if key is None or not key.may("admin"):
        status = 403 if "refused" in request.query_params else 200
        shown = page(request, "session.html", known | {"refused": status == 403}, status=status)
        shown.headers["Cache-Control"] = "no-store"
        return shown
    params = {str(name): str(value) for name, value in request.query_params.items()}
    found = await served.read(lambda: operations(served, params), long=True)
    shown = page(request, "operations.html", known | {"found": found, "key": key, "params": params})
    shown.headers["Cache-Control"] = "no-store"
    return shown


@post(
    "/operations/{action:str}",
    include_in_schema=False,
    status_code=303,
    guards=[require("admin")],
)
async def act(request: AnyRequest, state: State, action: FromPath[str]) -> Response[Any]:
    """Start what a form of the operations page asks for, and show the page again."""
    served: Service = state.served
    fields = await form(request)
    if action == "seal":
        await _seal(served, fields)
        return _back(request, "sealed=1")
    if action == "cancel":
        job = await served.read(lambda: served.jobs.cancel(fields.get("job", "")), long=True)
    else:
        job = await _begin(served, action, fields)
    return _back(request, f"job={job.id}")


async def _begin(served: Service, action: str, fields: Mapping[str, str]) -> Job:
    """Start a job. If another one runs, show that instead: one runs at a time."""
    book, board = served.book, fields.get("board") or None
    works: dict[str, tuple[JobKind, Work]] = {
        "verify": ("verify", lambda told: book.verify(progress=told)),
        "repair": ("repair", lambda told: book.repair(progress=told)),
        "rebuild": ("rebuild", lambda told: book.rebuild(board=board, progress=told)),
    }
    if action not in works:
        raise NotFound(f"nothing is called {action!r}; there are: {', '.join(works)}, seal, cancel")
    if board is not None:
        book.spec.board(board)
    kind, work = works[action]

    def start() -> Job:
        entries = 0 if kind == "rebuild" else served.jobs.entries()
        of = None if entries is None else book.log.head() + entries
        try:
            return served.jobs.start(kind, work, of)
        except Busy as busy:
            return served.jobs.get(busy.job)

    return await served.read(start, long=True)


async def _seal(served: Service, fields: Mapping[str, str]) -> None:
    """Seal one period; the field `period` has its name as the log writes it."""
    target = fields.get("period", "")
    if not target:
        raise Refused("period", "is missing")
    await served.writer.submit([Event(kind="seal", player="", target=target)])


def _back(request: AnyRequest, query: str) -> Response[Any]:
    place = f"{base(request)}/operations?{query}"
    headers = {"Location": place, "Cache-Control": "no-store"}
    return Response(b"", status_code=303, headers=headers)


handlers: list[ControllerRouterHandler] = [show_operations, act]
