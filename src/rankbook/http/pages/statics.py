"""The files that pages load: styles, modules and the icon. Their address names the version of them
all."""

from hashlib import blake2b
from pathlib import Path

import msgspec
from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

MEDIA_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
YEAR_SECONDS = 31_536_000


class Static(msgspec.Struct, frozen=True):
    """A file as it is sent."""

    content: bytes
    media_type: str


def _loaded() -> dict[str, Static]:
    folder = Path(__file__).parent / "static"
    paths = sorted([path for path in folder.iterdir() if path.suffix in MEDIA_TYPES])
    return {path.name: Static(path.read_bytes(), MEDIA_TYPES[path.suffix]) for path in paths}


FILES = _loaded()
VERSION = blake2b(b"\0".join([each.content for each in FILES.values()]), digest_size=6).hexdigest()
"""Of all files together: another file has another address, so none is ever stale."""


@get("/static/{version:str}/{name:str}", include_in_schema=False, sync_to_thread=False)
def static(version: FromPath[str], name: FromPath[str]) -> Response[bytes]:
    """One of the files. A browser keeps it for good under the current version, and asks again
    otherwise."""
    found = FILES.get(name)
    if found is None:
        raise NotFoundException(f"no file {name!r}")
    kept = f"public, max-age={YEAR_SECONDS}, immutable" if version == VERSION else "no-cache"
    headers = {"Cache-Control": kept, "X-Content-Type-Options": "nosniff"}
    return Response(found.content, media_type=found.media_type, headers=headers)
