"""The application: handlers, errors, documentation, and what they share."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from logging import getLogger
from typing import Any

from litestar import Litestar, Request, Response
from litestar.config.cors import CORSConfig
from litestar.datastructures import State
from litestar.exceptions import HTTPException

from rankbook.book import Clock, Rankbook, system_clock
from rankbook.errors import RankbookError
from rankbook.http import pages
from rankbook.http.api.handlers import API, SHAPES
from rankbook.http.auth.limits import intake
from rankbook.http.front import CachedReads
from rankbook.http.metrics import CountedRequests, Metrics
from rankbook.http.openapi.document import description
from rankbook.http.problems import UNEXPECTED, answer, told
from rankbook.http.service import Service
from rankbook.http.settings import Settings

Lifespan = Callable[[Litestar], AbstractAsyncContextManager[None]]

_log = getLogger("rankbook.http")


def app(
    book: Rankbook,
    settings: Settings | None = None,
    *,
    clock: Clock = system_clock,
    around: Sequence[Lifespan] = (),
) -> Litestar:
    """The service of a book: an ASGI application to run, or to mount under any other.

    The caller keeps the book, and closes it after the application has stopped. `clock` is the
    book's own. `around` are context managers that enclose the service's own: they are entered
    before it starts, and left after it stops.
    """
    chosen = settings or Settings()
    counts = Metrics()
    served = Service(book, chosen, clock, counts)
    application = Litestar(
        [*API, *pages.handlers],
        state=State({"served": served}),
        exception_handlers=dict.fromkeys(ERRORS, failed),
        middleware=[intake(chosen)],
        lifespan=[*around, _lifespan],
        openapi_config=description(book.spec.name, SHAPES),
        cors_config=_cors(chosen.cors) if chosen.cors else None,
        logging_config=None,
    )
    # Around the answers to errors too, which the middleware of the framework does not see.
    application.asgi_handler = CachedReads(
        CountedRequests(application.asgi_handler, counts), served
    )
    return application


def _cors(origins: Sequence[str]) -> CORSConfig:
    """Let pages of these origins call the service, and read the headers that they need."""
    return CORSConfig(allow_origins=list(origins), expose_headers=list(EXPOSED))


EXPOSED = ("ETag", "Retry-After")
ERRORS: tuple[type[Exception], ...] = (RankbookError, HTTPException, Exception)


def failed(request: Request[Any, Any, Any], error: Exception) -> Response[Any]:
    """The answer to an error: problem details, or a page for a browser."""
    found, headers = told(error)
    if found.status == UNEXPECTED.status:
        _log.error("a request failed unexpectedly", exc_info=error)
    if pages.wants_page(request):
        return pages.problem_page(request, found, headers)
    return answer(found, headers)


@asynccontextmanager
async def _lifespan(application: Litestar) -> AsyncIterator[None]:
    served: Service = application.state.served
    served.writer.start()
    yield
    await served.stop()
