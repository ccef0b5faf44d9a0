"""The HTTP service: `app(book)` is an ASGI application, to run or to mount under a prefix."""

from rankbook.http.app import app
from rankbook.http.settings import Settings

__all__ = ["Settings", "app"]
