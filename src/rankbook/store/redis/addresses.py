"""Transports over redis-py by their URIs: redis, rediss, unix, redis+sentinel and redis+cluster.

A password may stand in the URI or, better, in the environment. No message shows it.
"""

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from redis import RedisCluster
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode
from redis.connection import ConnectionPool, parse_url
from redis.retry import Retry
from redis.sentinel import Sentinel

from rankbook.errors import SpecError
from rankbook.store.redis.client import ClusterTransport, RedisTransport

CONNECT_TRIES = 2
PORT = 6379
SENTINEL_PORT = 26379
PASSWORD = "RANKBOOK_REDIS_PASSWORD"
PLAIN = ("socket_timeout", "socket_connect_timeout", "retry")  # what sentinels are asked with

# redis-py says nothing of what these take.
_parse: Any = parse_url
_sentinel: Any = Sentinel
_node: Any = ClusterNode


def single(uri: str, seconds: float) -> RedisTransport:
    """One server: redis://, rediss:// or unix://, as redis-py reads them."""
    try:
        settings = _parse(uri)
    except ValueError:
        raise SpecError("book.store", "the address of the Redis server cannot be read") from None
    pool = ConnectionPool.from_url(uri, **_settings(seconds, settings))
    try:
        pool.make_connection()  # connects only when it is used
    except TypeError:
        names = ", ".join([repr(name) for name, _value in parse_qsl(urlsplit(uri).query)])
        raise SpecError("book.store", f"a setting of the Redis URI is unknown: {names}") from None
    place = settings.get("path") or f"{settings.get('host', 'localhost')}:{_port(settings)}"
    return RedisTransport(pool.make_connection, f"Redis at {place}", seconds)


def sentinel(uri: str, seconds: float) -> RedisTransport:
    """A server behind sentinels: redis+sentinel://host:port,host:port/service."""
    parts = _without_query(uri)
    service, _, database = parts.path.strip("/").partition("/")
    if not service:
        raise SpecError("book.store", "redis+sentinel:// needs a service: //host:port/service")
    if database and not database.isdecimal():
        raise SpecError("book.store", f"a database of Redis has a number, not {database!r}")
    secrets = _secrets(parts.netloc)
    settings = _settings(seconds, secrets) | secrets
    plain = {name: settings[name] for name in PLAIN}
    sentinels = _sentinel(_hosts(parts.netloc, SENTINEL_PORT), sentinel_kwargs=plain)
    client: Any = sentinels.master_for(service, db=int(database or 0), **settings)
    pool = client.connection_pool
    return RedisTransport(pool.make_connection, f"Redis service {service!r}", seconds)


def cluster(uri: str, seconds: float) -> ClusterTransport:
    """A cluster: redis+cluster://host:port,host:port. One of these must be up."""
    parts = _without_query(uri)
    hosts = _hosts(parts.netloc, PORT)
    secrets = _secrets(parts.netloc)

    def connect() -> RedisCluster:
        nodes = [_node(host, port) for host, port in hosts]
        settings = _settings(seconds, secrets) | secrets
        # Connecting asks a node that may be the dead one; asked again, it is another.
        settings["retry"] = Retry(NoBackoff(), CONNECT_TRIES)
        return RedisCluster(startup_nodes=nodes, require_full_coverage=False, **settings)

    shown = ",".join(f"{host}:{port}" for host, port in hosts)
    return ClusterTransport(connect, f"Redis cluster at {shown}", seconds)


def _settings(seconds: float, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of every connection. Those in the URI take precedence."""
    settings: dict[str, Any] = {
        "decode_responses": True,
        "socket_timeout": seconds,
        "socket_connect_timeout": seconds,
        "retry": Retry(NoBackoff(), 0),
    }
    password = os.environ.get(PASSWORD)
    if password and "password" not in given:
        settings["password"] = password
    return {name: value for name, value in settings.items() if name not in given}


def _without_query(uri: str) -> SplitResult:
    """The parts of a URI that takes no settings of redis-py. Raises `SpecError`."""
    parts = urlsplit(uri)
    if parts.query:
        names = ", ".join([repr(name) for name, _value in parse_qsl(parts.query)])
        raise SpecError("book.store", f"{parts.scheme}:// takes no such setting: {names}")
    return parts


def _port(settings: Mapping[str, Any]) -> int:
    return int(settings.get("port", PORT))


def _secrets(netloc: str) -> dict[str, Any]:
    user, at, _hosts = netloc.rpartition("@")
    if not at:
        return {}
    name, _, password = user.partition(":")
    found = {"username": unquote(name), "password": unquote(password)}
    return {each: value for each, value in found.items() if value}


def _hosts(netloc: str, port: int) -> list[tuple[str, int]]:
    """The hosts and ports behind a URI's double slash. Raises `SpecError`."""
    found: list[tuple[str, int]] = []
    for each in netloc.rpartition("@")[2].split(","):
        host, colon, number = each.rpartition(":")
        host, number = (host, number) if colon else (each, str(port))
        if not host or not number.isdecimal():
            raise SpecError("book.store", f"no host and port: {each!r}")
        found.append((host.strip("[]"), int(number)))
    return found
