"""Problems as pages, for browsers."""

from typing import Any

from litestar import Response

from rankbook.http.pages.site import AnyRequest, page
from rankbook.http.problems import Problem

TOLD = {
    401: "This service answers only to those who have a key.",
    404: "There is nothing at this address.",
    405: "This address is not for that.",
    429: "That was a lot at once. Wait a moment, and try again.",
    500: "Something failed that should not have. What was recorded is safe.",
    503: "The service cannot answer at the moment. What was recorded is safe. Try again soon.",
}


def wants_page(request: AnyRequest) -> bool:
    """Whether the request comes from a browser, and not for the API."""
    path = request.scope["path"].removeprefix(str(request.scope.get("root_path", "")))
    api = path == "/v1" or path.startswith(("/v1/", "/schema"))
    return not api and "text/html" in request.headers.get("accept", "")


def problem_page(
    request: AnyRequest, found: Problem, headers: dict[str, str] | None = None
) -> Response[Any]:
    """A problem as a page, with its own status and headers."""
    name = request.app.state.served.book.spec.name
    known = {"problem": found, "told": TOLD.get(found.status, ""), "book": name}
    made = page(request, "problem.html", known, status=found.status)
    made.headers.update({"Cache-Control": "no-store", **(headers or {})})
    return made
