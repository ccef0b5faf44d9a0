"""Metrics for Prometheus. No label holds a player, an event or a key.

With several workers, each counts in files of the folder that PROMETHEUS_MULTIPROC_DIR names, and
any of them answers for all.
"""

import os
import time

from litestar.enums import ScopeType
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

SHARED = "PROMETHEUS_MULTIPROC_DIR"
UNMATCHED = "unmatched"
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"})

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_EVENTS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Metrics:
    """What one process counts of its requests and of its writer."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "rankbook_http_requests",
            "Answers, by route and status.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "rankbook_http_request_seconds",
            "Time until an answer was sent, by route.",
            ("method", "route"),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._batches = Histogram(
            "rankbook_batch_events",
            "Events that were recorded in one transaction.",
            buckets=_EVENTS,
            registry=self._registry,
        )
        self._batch_seconds = Histogram(
            "rankbook_batch_seconds",
            "Time to record and rank one batch.",
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._known: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count an answer to a request."""
        known = self._known.get((method, route, status))
        if known is None:
            known = (
                self._requests.labels(method, route, str(status)),
                self._seconds.labels(method, route),
            )
            self._known[method, route, status] = known
        known[0].inc()
        known[1].observe(seconds)

    def batched(self, events: int, seconds: float) -> None:
        """Count a recorded batch."""
        self._batches.observe(events)
        self._batch_seconds.observe(seconds)

    def text(self, book: Collector) -> bytes:
        """All metrics in Prometheus' text format: the counts, and the gauges that `book`
        collects."""
        registry = self._registry
        if os.environ.get(SHARED):
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        of_book = CollectorRegistry()
        of_book.register(book)
        return generate_latest(registry) + generate_latest(of_book)


class CountedRequests:
    """An ASGI application around another one. It counts requests by route, never by path."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and count its answer."""
        if scope["type"] != ScopeType.HTTP:
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500

        async def counting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, counting)
        finally:
            method = scope["method"] if scope["method"] in METHODS else "other"
            route = scope.get("path_template") or UNMATCHED
            self._metrics.answered(method, route, status, time.perf_counter() - began)
