"""The endpoint of the metrics: counts of requests, and gauges of the book."""

from collections.abc import Iterator

from litestar import Response, get
from litestar.datastructures import State
from litestar.types import ControllerRouterHandler
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

from rankbook.errors import LogError, StoreError
from rankbook.http.api.guards import require
from rankbook.http.service import Service

MEDIA_TYPE = "text/plain; version=0.0.4"


class BookGauges(Collector):
    """Gauges of the book, read from it at each request for metrics."""

    def __init__(self, served: Service) -> None:
        self._served = served

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The gauges. If log or store is down, `rankbook_up` is 0 and the book's other gauges are
        omitted."""
        waiting = self._served.writer.waiting
        yield GaugeMetricFamily(
            "rankbook_waiting_events", "Events that wait to be recorded here.", waiting
        )
        try:
            lag = self._served.book.lag()
        except (LogError, StoreError):
            yield GaugeMetricFamily("rankbook_up", "Whether log and store can be used.", 0)
            return
        yield GaugeMetricFamily("rankbook_up", "Whether log and store can be used.", 1)
        yield GaugeMetricFamily(
            "rankbook_log_position", "The position of the newest event.", lag.head
        )
        yield GaugeMetricFamily(
            "rankbook_store_position", "How far rankings are made.", lag.position
        )
        yield GaugeMetricFamily(
            "rankbook_pending_events", "Events recorded and not ranked.", lag.events
        )
        yield GaugeMetricFamily(
            "rankbook_lag_seconds", "How long the oldest of them is.", lag.seconds
        )


@get(
    "/metrics",
    guards=[require("read")],
    media_type=MEDIA_TYPE,
    tags=["health"],
    summary="Metrics for Prometheus",
)
async def metrics(state: State) -> Response[bytes]:
    """Requests, batches, and gauges of the book. No metric names a player or a key."""
    served: Service = state.served
    text = await served.read(lambda: served.metrics.text(BookGauges(served)), long=True)
    return Response(text, media_type=MEDIA_TYPE, headers={"Cache-Control": "no-store"})


handlers: list[ControllerRouterHandler] = [metrics]
