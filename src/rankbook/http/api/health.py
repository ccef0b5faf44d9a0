"""Whether the process runs, and whether it can serve: for supervisors and load balancers."""

import msgspec
from litestar import Response, get
from litestar.datastructures import State
from litestar.openapi.datastructures import ResponseSpec
from litestar.types import ControllerRouterHandler

from rankbook.http.problems import Problem
from rankbook.http.service import Service

_FRESH = {"Cache-Control": "no-store"}


class Alive(msgspec.Struct, frozen=True):
    """The process answers."""

    status: str


class Ready(msgspec.Struct, frozen=True):
    """Log and store can be used. `pending` events are recorded and not ranked yet; `lag_seconds` is
    the age of the oldest."""

    status: str
    position: int
    pending: int
    lag_seconds: float


@get("/healthz", sync_to_thread=False, tags=["health"], summary="Is the process alive")
def healthz() -> Response[Alive]:
    """Answers as long as the process runs. Asks neither log nor store."""
    return Response(Alive("alive"), headers=_FRESH)


@get(
    "/readyz",
    tags=["health"],
    summary="Can it serve, and how far are rankings behind",
    responses={503: ResponseSpec(Problem, description="The log or the store cannot be used.")},
)
async def readyz(state: State) -> Response[Ready]:
    """Asks the log and the store. 503 while either of them cannot be used."""
    served: Service = state.served
    found = await served.read(lambda: ready(served), long=True)
    return Response(found, headers=_FRESH)


def ready(served: Service) -> Ready:
    """The book's position and lag. Raises `LogError` or `StoreError`."""
    lag = served.book.lag()
    return Ready("ready", lag.position, lag.events, lag.seconds)


handlers: list[ControllerRouterHandler] = [healthz, readyz]
