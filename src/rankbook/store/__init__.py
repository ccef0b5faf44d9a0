"""Where rankings live: bytes in order, published in atomic steps. `open_store` chooses by URI."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankbook.errors import SpecError
from rankbook.store.base import Describable, Store
from rankbook.uris import shown

__all__ = ["Describable", "Store", "open_store"]


def _memory(rest: str, directory: Path, create: bool, parameters: dict[str, Any]) -> Store:
    from rankbook.store.memory import MemoryStore

    if rest:
        raise SpecError("book.store", f"memory: takes nothing after the colon, not {rest!r}")
    return MemoryStore(**parameters)


def _embedded(rest: str, directory: Path, create: bool, parameters: dict[str, Any]) -> Store:
    from rankbook.store.embedded.store import EmbeddedStore

    place, _, settings = rest.partition("?")
    return EmbeddedStore.open(
        directory / (place or "rankings"), create=create, **parameters, **_durability(settings)
    )


def _durability(settings: str) -> dict[str, str]:
    """The durability in an embedded: URI, after its question mark. Raises `SpecError`."""
    if settings in ("", "durability=fast", "durability=full"):
        return dict([settings.split("=")]) if settings else {}
    raise SpecError(
        "book.store", f"embedded: knows durability=fast and durability=full, not {settings!r}"
    )


def _redis(scheme: str) -> Callable[[str, Path, bool, dict[str, Any]], Store]:
    def opener(rest: str, directory: Path, create: bool, parameters: dict[str, Any]) -> Store:
        from rankbook.store.redis import open_redis

        store: Store = open_redis(f"{scheme}:{rest}", **parameters)
        return store

    return opener


SCHEMES: dict[str, Callable[[str, Path, bool, dict[str, Any]], Store]] = {
    "embedded": _embedded,
    "memory": _memory,
    "redis": _redis("redis"),
    "redis+cluster": _redis("redis+cluster"),
    "redis+sentinel": _redis("redis+sentinel"),
    "rediss": _redis("rediss"),
    "unix": _redis("unix"),
    "upstash+http": _redis("upstash+http"),
    "upstash+https": _redis("upstash+https"),
}


def open_store(uri: str, directory: Path, *, create: bool = True, **parameters: Any) -> Store:
    """Open the store that `uri` names; relative paths start at the book's `directory`.

    `memory:` is empty and ends with the process. `embedded:` is `rankings` in the directory, and
    `embedded:path` another place; `?durability=full` after either syncs every commit. `parameters`
    go to the store's own `open`. Raises `SpecError` for an unknown scheme and `BookError` if there
    is no store to open.
    """
    scheme, colon, rest = uri.partition(":")
    opener = SCHEMES.get(scheme)
    if not colon or opener is None:
        known = ", ".join(f"{name}:" for name in SCHEMES)
        raise SpecError("book.store", f"no store is called {shown(uri)!r}; there is {known}")
    return opener(rest, directory, create, parameters)
