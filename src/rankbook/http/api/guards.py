"""Who may do what: guards for handlers, and the session of the operations page.

A key comes as `Authorization: Bearer KEY`. A signed submission names a key and proves that it knows
its secret. The operations page has a session instead. Its cookie names an admin key, and ends after
eight hours or when the key is revoked. Nobody can find out the key from the cookie.
"""

import hashlib
import secrets
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

from itsdangerous import BadSignature, Signer
from litestar import Request, Response, post
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.exceptions import HTTPException
from litestar.handlers import BaseRouteHandler
from litestar.types import ControllerRouterHandler, Guard

from rankbook.http.auth.keys import Key, KeyRing, Scope
from rankbook.http.auth.signing import KEY_HEADER, SIGNATURE_HEADER, TIME_HEADER, trouble
from rankbook.http.service import Service

COOKIE = "rankbook_session"
SESSION_SECONDS = 8 * 3600
PAGE = "/operations"
MAX_FORM = 4096

Connection = ASGIConnection[Any, Any, Any, Any]

_HELD = "rankbook_key"
_SAFE = ("GET", "HEAD", "OPTIONS")


def require(*scopes: Scope) -> Guard:
    """A guard that admits requests whose key has one of the scopes. If reading is open, it admits
    all reads."""

    async def guard(connection: Connection, _handler: BaseRouteHandler) -> None:
        served: Service = connection.app.state.served
        if "read" in scopes and served.settings.read_open:
            return
        signer = await _signed(connection, served) if "submit" in scopes else None
        key = signer or holder(connection)
        if key is None:
            raise _unauthenticated("a key is needed that is known here: Authorization: Bearer KEY")
        if not any(key.may(scope) for scope in scopes):
            raise HTTPException(
                status_code=403,
                detail=f"the key {key.name!r} may {', '.join(key.scopes)}; this is for {scopes[0]}",
            )
        if served.settings.signed and scopes == ("submit",) and not (signer or key.may("admin")):
            raise _unauthenticated(f"submissions are signed here: {SIGNATURE_HEADER}")
        connection.scope["state"][_HELD] = key

    return guard


def held(connection: Connection) -> Key:
    """The key that the guard has admitted."""
    key: Key = connection.scope["state"][_HELD]
    return key


def stays(connection: Connection) -> Callable[[], bool]:
    """Tells whether the admitted key is still valid. Open reading needs no key."""
    served: Service = connection.app.state.served
    key: Key | None = connection.scope["state"].get(_HELD)
    return lambda: key is None or served.keys.get(key.id) is not None


def holder(connection: Connection) -> Key | None:
    """The key of a request: the one it carries, or that of its operations session.

    Raises 403 if another site's page sends a change within the session.
    """
    served: Service = connection.app.state.served
    written = connection.headers.get("authorization")
    if written is not None:
        scheme, _, token = written.partition(" ")
        return served.keys.find(token.strip()) if scheme.lower() == "bearer" else None
    key = _session(served.keys, connection.cookies.get(COOKIE, ""), time.time())
    if key is not None and connection.scope.get("method") not in _SAFE:
        _check_origin(connection)
    return key


async def _signed(connection: Connection, served: Service) -> Key | None:
    """The key that has signed this submission. None if it is not signed."""
    signature = connection.headers.get(SIGNATURE_HEADER)
    if signature is None:
        return None
    id = connection.headers.get(KEY_HEADER, "")
    said = connection.headers.get(TIME_HEADER, "")
    # What is read has no body, and nothing bounds one that is sent all the same.
    body = b""
    if isinstance(connection, Request) and connection.method not in _SAFE:
        body = await connection.body()
    secret = served.keys.signing_secret(id)
    wrong = trouble(secret, said, signature, body, time.time(), served.settings.signing_seconds)
    if wrong:
        raise _unauthenticated(wrong)
    return served.keys.get(id)


def _unauthenticated(detail: str) -> HTTPException:
    return HTTPException(
        status_code=401, detail=detail, headers={"WWW-Authenticate": 'Bearer realm="rankbook"'}
    )


def _check_origin(connection: Connection) -> None:
    """Raises 403 unless the request comes from a page of this service."""
    site = connection.headers.get("sec-fetch-site")
    origin = connection.headers.get("origin", "").partition("://")[2]
    ours = origin == connection.headers.get("host") if site is None else site == "same-origin"
    if not ours:
        raise HTTPException(status_code=403, detail="the request is of another site's page")


def session(keys: KeyRing, key: Key, now: float) -> str:
    """The text for the cookie of a new session."""
    claim = f"{key.id}.{int(now) + SESSION_SECONDS}.{secrets.token_hex(8)}"
    return _signer(keys).sign(claim).decode()


def _session(keys: KeyRing, cookie: str, now: float) -> Key | None:
    key = keys.get(cookie.partition(".")[0])
    if key is None:
        return None  # somebody else's cookie: no secret is made for it
    try:
        _id, until, _nonce = _signer(keys).unsign(cookie).decode().split(".")
    except BadSignature:
        return None
    return key if int(until) > now and key.may("admin") else None


def _signer(keys: KeyRing) -> Signer:
    return Signer(keys.session_secret(), salt="rankbook.session", digest_method=hashlib.sha256)


async def form(request: Request[Any, Any, Any]) -> dict[str, str]:
    """The form's fields. If a field is repeated, the last value wins. Raises 413."""
    written = await request.body()
    if len(written) > MAX_FORM:
        raise HTTPException(status_code=413, detail="the form is too large")
    return {name: values[-1] for name, values in parse_qs(written.decode(errors="replace")).items()}


@post("/operations/session", include_in_schema=False, status_code=303)
async def begin(request: Request[Any, Any, Any]) -> Response[None]:
    """Begin a session with the admin key of a form's field `key`, and show the operations page."""
    _check_origin(request)
    served: Service = request.app.state.served
    fields = await form(request)
    key = served.keys.find(fields.get("key", "").strip())
    if key is None or not key.may("admin"):
        return _to_page(request, "?refused=1")
    cookie = _cookie(request, session(served.keys, key, time.time()), SESSION_SECONDS)
    return _to_page(request, cookie=cookie)


@post("/operations/session/end", include_in_schema=False, status_code=303)
async def end(request: Request[Any, Any, Any]) -> Response[None]:
    """End the session in this browser."""
    _check_origin(request)
    return _to_page(request, cookie=_cookie(request, "", 0))


def _to_page(
    request: Request[Any, Any, Any], query: str = "", cookie: Cookie | None = None
) -> Response[None]:
    place = f"{request.scope.get('root_path', '')}{PAGE}{query}"
    return Response(
        None,
        status_code=303,
        headers={"Location": place, "Cache-Control": "no-store"},
        cookies=[cookie] if cookie else None,
    )


def _cookie(request: Request[Any, Any, Any], value: str, seconds: int) -> Cookie:
    served: Service = request.app.state.served
    return Cookie(
        COOKIE,
        value=value,
        max_age=seconds,
        path=request.scope.get("root_path") or "/",
        secure=served.settings.secure_cookies or request.url.scheme == "https",
        httponly=True,
        samesite="strict",
    )


handlers: list[ControllerRouterHandler] = [begin, end]
