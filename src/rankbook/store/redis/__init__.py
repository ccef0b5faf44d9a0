"""Rankings in Redis, Valkey, a cluster, or Upstash. `open_redis` chooses a transport by the URI.

Our own settings are removed from the URI before a client reads it: `tag`, the hash tag of the book,
and `timeout`, the seconds that a call waits.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode

from rankbook.errors import SpecError
from rankbook.store.redis.keys import DEFAULT_TAG, checked_tag
from rankbook.store.redis.transport import Transport
from rankbook.uris import UNTOLD, covered, leaks, shown

__all__ = ["open_redis"]

SECONDS = 5.0
UPSTASH_CHARACTERS = 500_000  # the smallest plan takes requests of 1 MB


def open_redis(uri: str, **parameters: Any) -> Any:
    """The store that a URI names. Connects when it is first used.

    Raises `SpecError` if the URI cannot be read, or if its client is not installed.
    """
    from rankbook.store.redis.store import RedisStore

    opener = _upstash if uri.startswith("upstash+") else _by_redis
    if uri.startswith("upstash+"):
        parameters.setdefault("most_characters", UPSTASH_CHARACTERS)
    try:
        plain, tag, seconds = _taken_off(uri)
        transport = opener(plain, parameters.pop("seconds", seconds))
    except SpecError as error:
        cause = None if leaks(str(error), uri) else error.__cause__
        raise SpecError(error.field, covered(error.reason, uri)) from cause
    except ValueError:
        raise SpecError("book.store", f"{shown(uri)!r} cannot be read") from None
    if leaks(transport.where, uri):
        raise SpecError("book.store", UNTOLD)
    return RedisStore(transport, tag=parameters.pop("tag", tag), **parameters)


def _by_redis(uri: str, seconds: float) -> Transport:
    try:
        from rankbook.store.redis import addresses
    except ModuleNotFoundError as error:
        raise SpecError("book.store", "needs redis-py: pip install 'rankbook[redis]'") from error
    scheme = uri.partition(":")[0]
    openers: dict[str, Callable[[str, float], Transport]] = {
        "redis+sentinel": addresses.sentinel,
        "redis+cluster": addresses.cluster,
    }
    return openers.get(scheme, addresses.single)(uri, seconds)


def _upstash(uri: str, seconds: float) -> Transport:
    try:
        from rankbook.store.redis.upstash import upstash
    except ModuleNotFoundError as error:
        raise SpecError(
            "book.store", "needs upstash-redis: pip install 'rankbook[upstash]'"
        ) from error
    return upstash(uri, seconds)


def _taken_off(uri: str) -> tuple[str, str, float]:
    """The URI without our own settings, and those settings: tag and seconds. Raises `SpecError`."""
    plain, _, query = uri.partition("?")
    settings = dict(parse_qsl(query, keep_blank_values=True))
    tag = checked_tag(settings.pop("tag", DEFAULT_TAG))
    given = settings.pop("timeout", str(SECONDS))
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 3600:
        raise SpecError("book.store", f"timeout is a number of seconds, not {given!r}")
    return plain + (f"?{urlencode(settings)}" if settings else ""), tag, seconds
