"""Where rankings live: bytes in order, published in atomic steps. `open_store` chooses by URI."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from rankbook.errors import SpecError
from rankbook.store.base import Store

__all__ = ["open_store"]


def _memory(rest: str, directory: Path, create: bool, parameters: dict[str, Any]) -> Store:
    from rankbook.store.memory import MemoryStore

    if rest:
        raise SpecError("book.store", f"memory: takes nothing after the colon, not {rest!r}")
    return MemoryStore(**parameters)


def _embedded(rest: str, directory: Path, create: bool, parameters: dict[str, Any]) -> Store:
    from rankbook.store.embedded import EmbeddedStore

    return EmbeddedStore.open(directory / (rest or "rankings"), create=create, **parameters)


SCHEMES: dict[str, Callable[[str, Path, bool, dict[str, Any]], Store]] = {
    "embedded": _embedded,
    "memory": _memory,
}


def open_store(uri: str, directory: Path, *, create: bool = True, **parameters: Any) -> Store:
    """Open the store that `uri` names; relative paths start at the book's `directory`.

    `memory:` is empty and goes with the process; `embedded:` is `rankings` in the directory,
    `embedded:path` another place. `parameters` go to the store's own `open`. Raises `SpecError`
    for an unknown scheme and `BookError` when there is no store to open.
    """
    scheme, colon, rest = uri.partition(":")
    opener = SCHEMES.get(scheme)
    if not colon or opener is None:
        known = ", ".join(f"{name}:" for name in SCHEMES)
        raise SpecError("book.store", f"no store is called {uri!r}; there is {known}")
    return opener(rest, directory, create, parameters)
