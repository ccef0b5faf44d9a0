"""The documentation of the API as a whole, at /schema: its head, its groups, and its schemas.

The framework writes it from the handlers. This file adds what the framework cannot know: that a
number is one type however it is kept, which headers come with an answer, and parameters whose names
the book decides.
"""

from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import msgspec
from litestar import Request
from litestar.enums import MediaType
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme, Tag

SUMMARY = """\
Leaderboards: every result is recorded once, durably, before it is ranked, and every ranking can be
checked and made anew.

Times are RFC 3339 in UTC, numbers are exact, ranks begin at 1. Errors are problem details (RFC
9457). Reads have an ETag, and answer 304 to an If-None-Match that names it. A submission that is
sent again under its id counts once, and gets the first answer."""

TAGS = {
    "boards": "What is ranked, and in which periods.",
    "rankings": "Reads of one ranking: a board's window, in a period, maybe under tags.",
    "players": "A player in every ranking.",
    "bundles": "Several rankings from one moment.",
    "live": "What changes, as it happens.",
    "events": "Submitting results, and what has become of them.",
    "admin": "Taking back, keeping out, checking and mending.",
    "health": "For supervisors and load balancers.",
}
REF = "#/components/schemas/{name}"
DECIMAL = {"type": "string", "format": "decimal"}

_TEXT = {"type": "string"}
_HEADERS = {
    "ETag": {"description": "The version of what is shown.", "schema": _TEXT},
    "Cache-Control": {"description": "Who may keep it, and for how long.", "schema": _TEXT},
}
_RETRY = {"Retry-After": {"description": "In how many seconds.", "schema": {"type": "integer"}}}
_IF_NONE_MATCH = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "An ETag that was given: the answer is 304 while it holds.",
    "schema": _TEXT,
}
_TAGS_OF_RANKING = {
    "name": "tags",
    "in": "query",
    "required": False,
    "style": "form",
    "explode": True,
    "description": "The tags of a split, each as `tag.NAME=VALUE`; overall without any.",
    "schema": {
        "type": "object",
        "patternProperties": {"^tag\\.[A-Za-z0-9_-]{1,64}$": _TEXT},
        "additionalProperties": False,
    },
}


def description(book: str, shapes: Sequence[type[Any]]) -> OpenAPIConfig:
    """The settings for a service's documentation. `shapes` are the structs of its answers."""
    document = Document(path=["/openapi.json", "/"], media_type=MediaType.JSON)
    document.shapes = shapes
    return OpenAPIConfig(
        title=f"Rankbook: {book}",
        version=version("rankbook"),
        description=SUMMARY,
        path="/schema",
        use_handler_docstrings=True,
        render_plugins=[document],
        tags=[Tag(name=name, description=text) for name, text in TAGS.items()],
        components=Components(
            security_schemes={
                "key": SecurityScheme(
                    type="http", scheme="bearer", description="A key of `rankbook key create`."
                )
            }
        ),
    )


class Document(JsonRenderPlugin):
    """The whole document, written once for each prefix under which the service is reached."""

    shapes: Sequence[type[Any]] = ()

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._written: dict[str, bytes] = {}

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:
        """The document as JSON."""
        prefix = str(request.scope.get("root_path") or "/")
        if prefix not in self._written:
            whole = {**openapi_schema, "servers": [{"url": prefix}]}
            whole["components"] = _components(openapi_schema["components"], self.shapes)
            whole["paths"] = {
                path: {name: _operation(each) for name, each in there.items()}
                for path, there in openapi_schema["paths"].items()
            }
            self._written[prefix] = msgspec.json.encode(whole)
        return self._written[prefix]


def _components(written: dict[str, Any], shapes: Sequence[type[Any]]) -> dict[str, Any]:
    """Schemas with descriptions from the structs' docstrings, and numbers as numbers."""
    _, exact = msgspec.json.schema_components(shapes, ref_template=REF)
    known = {name: _plain(schema) for name, schema in exact.items()}
    return {**written, "schemas": {**written["schemas"], **known}}


def _plain(schema: Any) -> Any:
    """A number is an integer or a number, and never the text of a decimal."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {name: _plain(each) for name, each in schema.items()}
    if "anyOf" in made:
        nested = [kind for each in made["anyOf"] for kind in each.get("anyOf", [each])]
        kinds = [each for each in nested if each != DECIMAL]
        if {"type": "number"} in kinds:
            kinds = [each for each in kinds if each != {"type": "integer"}]
        made = {**made, "anyOf": kinds} if len(kinds) > 1 else {**_without(made), **kinds[0]}
    return made


def _without(schema: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in schema.items() if name != "anyOf"}


_OF_EVERY_REQUEST = {
    "408": "The request does not come in time. Problem details.",
    "431": "The head of the request, with its address, is over 64 KiB. Problem details.",
}


def _operation(written: dict[str, Any]) -> dict[str, Any]:
    """An operation with the headers of its answers, and the parameters that follow from them."""
    answers = dict(written["responses"])
    parameters = list(written.get("parameters", []))
    if "304" in answers:
        for status in ("200", "304"):
            answers[status] = {**answers[status], "headers": _HEADERS}
        parameters.append(_IF_NONE_MATCH)
    for status, description in _OF_EVERY_REQUEST.items():
        answers.setdefault(status, {"description": description})
    for status in ("429", "503"):
        if status in answers:
            answers[status] = {**answers[status], "headers": _RETRY}
    if "rankings" in written.get("tags", []):
        parameters.append(_TAGS_OF_RANKING)
    return {**written, "responses": answers, "parameters": parameters}
