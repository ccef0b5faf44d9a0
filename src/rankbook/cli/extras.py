"""Libraries that only some subcommands need, and what to install for them."""

from collections.abc import Iterator
from contextlib import contextmanager

from rankbook.errors import BookError


@contextmanager
def service_extra() -> Iterator[None]:
    """Import the HTTP service inside this. Raises `BookError` where its libraries are missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise BookError(
            f"{error.name} is not installed; the service needs: pip install 'rankbook[serve]'"
        ) from None
