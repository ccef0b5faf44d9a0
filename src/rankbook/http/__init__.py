"""The HTTP service: `app(book)` is an ASGI application, to run or to mount under a prefix."""

from rankbook.http.app import app
from rankbook.http.auth.keys import Key, KeyRing
from rankbook.http.server.serving import address, listen, serve
from rankbook.http.service import Service
from rankbook.http.settings import Settings

__all__ = ["Key", "KeyRing", "Service", "Settings", "address", "app", "listen", "serve"]
