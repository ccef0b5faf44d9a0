"""The addresses of the pages. Threads read and render them, beside the API's requests."""

from collections.abc import Callable
from typing import Any

from litestar import Response, Router, get
from litestar.datastructures import State
from litestar.types import ControllerRouterHandler

from rankbook.book import Reader
from rankbook.http.api.guards import require
from rankbook.http.pages import home, operations, player, seasons, submission
from rankbook.http.pages.player_search import search
from rankbook.http.pages.selection import Params, boards_with_rankings, read_params
from rankbook.http.pages.site import AnyRequest, base, page
from rankbook.http.pages.statics import static
from rankbook.http.service import Service
from rankbook.rules import instant

Filled = tuple[str, dict[str, Any]]
Fill = Callable[[Service, Params], Filled]


async def respond(request: AnyRequest, state: State, here: str, fill: Fill) -> Response[Any]:
    """The page of a template with its values. `here` is its place in the navigation."""
    served: Service = state.served
    params = read_params(request.query_params)

    def made() -> Response[Any]:
        template, known = fill(served, params)
        settings = {"book": served.book.spec.name, "remote": served.settings.remote_avatars}
        return page(request, template, {"here": here, **settings, **known})

    return await served.read(made, long=True)


def _at_one_moment(fill: Callable[[Service, Reader, Params], Filled]) -> Fill:
    """Fill a template from one snapshot of the rankings."""
    return lambda served, params: served.book.snapshot(lambda reader: fill(served, reader, params))


@get("/", include_in_schema=False)
async def show_home(request: AnyRequest, state: State) -> Response[Any]:
    """The rankings; with `wall`, in large figures for a screen on a wall."""
    return await respond(request, state, "home", _at_one_moment(_home))


def _home(served: Service, reader: Reader, params: Params) -> Filled:
    if not boards_with_rankings(served.book):
        return "empty.html", {}
    found = home.home(served.book, reader, params, remote=served.settings.remote_avatars)
    end = found.shown.standings.period.end
    over = end is not None and end <= instant(served.clock())
    template = "wall.html" if "wall" in params else "home.html"
    return template, {"home": found, "params": params, "over": over}


@get("/player", include_in_schema=False)
async def show_player(request: AnyRequest, state: State) -> Response[Any]:
    """A player by id, or the players that a text may mean. If only one can be meant, go straight to
    them."""
    served: Service = state.served
    params = read_params(request.query_params)
    if params.get("player"):
        return await respond(request, state, "player", _at_one_moment(_player))
    text = params.get("q", "")
    matches = await served.read(
        lambda: served.book.snapshot(lambda reader: search(served.book, reader, text)), long=True
    )
    if matches.player:
        place = f"{base(request)}/player?{player.address(matches.player)}"
        return Response(b"", status_code=303, headers={"Location": place})
    return await respond(request, state, "player", lambda *_: ("find.html", {"matches": matches}))


def _player(served: Service, reader: Reader, params: Params) -> Filled:
    found = player.player(served.book, reader, params, remote=served.settings.remote_avatars)
    return "player.html", {"found": found}


@get("/seasons", include_in_schema=False)
async def show_seasons(request: AnyRequest, state: State) -> Response[Any]:
    """Past standings."""
    return await respond(request, state, "seasons", _at_one_moment(_seasons))


def _seasons(served: Service, reader: Reader, params: Params) -> Filled:
    if not boards_with_rankings(served.book):
        return "empty.html", {}
    found = seasons.seasons(served.book, reader, params, remote=served.settings.remote_avatars)
    return "seasons.html", {"found": found}


@get("/submissions", include_in_schema=False)
async def show_submissions(request: AnyRequest, state: State) -> Response[Any]:
    """The newest submissions."""
    return await respond(request, state, "submissions", _submissions)


def _submissions(served: Service, params: Params) -> Filled:
    return "submissions.html", {"found": submission.newest(served.book, params)}


@get("/submission", include_in_schema=False)
async def show_submission(request: AnyRequest, state: State) -> Response[Any]:
    """One submission, step by step."""
    return await respond(request, state, "submissions", _submission)


def _submission(served: Service, params: Params) -> Filled:
    found = submission.walk(served.book, params)
    known = {"walk": found, "whys": submission.WHYS, **submission.facts(found.recorded)}
    return "submission.html", known


_pages = Router(
    "/",
    route_handlers=[show_home, show_player, show_seasons, show_submissions, show_submission],
    guards=[require("read")],
)

handlers: list[ControllerRouterHandler] = [static, _pages, *operations.handlers]
