"""Pages as answers: templates, the headers that protect them, and the values that every page
has."""

from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Request, Response

from rankbook.http.pages import formatting, selection
from rankbook.http.pages.statics import VERSION
from rankbook.rules import display

HERE = Path(__file__).parent
HTML = "text/html; charset=utf-8"

_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}
_FILTERS = {
    "clean": display.visible_text,
    "iso": display.iso,
    "moment": display.minute,
    "name_of": display.name_of,
    "number": formatting.number,
    "second": display.second,
    "share": formatting.share,
    "short": display.short,
    "size": formatting.size,
}

AnyRequest = Request[Any, Any, Any]


@cache
def templates() -> Environment:
    """The templates. Values are escaped, and a missing value is an error."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= _FILTERS
    made.globals |= {
        "query": selection.query,
        "tags_text": formatting.tags_text,
        "window_text": formatting.window_text,
        "past_text": formatting.past_text,
        "version": VERSION,
    }
    return made


def page(
    request: AnyRequest, template: str, known: Mapping[str, Any], *, status: int = 200
) -> Response[bytes]:
    """A filled template, with an ETag of its text. 304 if the client already has that text."""
    text = templates().get_template(template).render(base=base(request), **known)
    content = text.encode(errors="replace")
    tag = f'W/"{blake2b(content, digest_size=12).hexdigest()}"'
    headers = guards(remote=bool(known.get("remote"))) | {
        "ETag": tag,
        "Cache-Control": "private, no-cache",
    }
    if status == 200 and request.headers.get("if-none-match") == tag:
        return Response(b"", status_code=304, headers=headers, media_type=HTML)
    return Response(content, status_code=status, headers=headers, media_type=HTML)


def base(request: AnyRequest) -> str:
    """The prefix of every address: where the service is mounted, without a slash at the end."""
    return str(request.scope.get("root_path", "")).rstrip("/")


def guards(*, remote: bool = False) -> dict[str, str]:
    """The headers of a page: it runs and loads only what this service serves.

    With `remote`, pictures may come from other sites over HTTPS.
    """
    policy = _POLICY | ({"img-src": "'self' https:"} if remote else {})
    return {
        "Content-Security-Policy": "; ".join([f"{name} {value}" for name, value in policy.items()]),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }
