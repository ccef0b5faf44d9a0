"""Every handler of the API, and the structs that its answers are made of."""

from typing import Any

from litestar.types import ControllerRouterHandler

from rankbook.book import BundleReading
from rankbook.http.api import admin, events, guards, health, live, metrics, rankings
from rankbook.http.api.boards import Boards, Periods
from rankbook.http.api.health import Alive, Ready
from rankbook.http.api.players import PlayerReading
from rankbook.http.changes import Changes
from rankbook.http.jobs import Job
from rankbook.http.problems import Problem
from rankbook.model import EventOutcome, Friends, Histogram, PlayerStanding, Receipt, Standings

API: list[ControllerRouterHandler] = [
    *health.handlers,
    *rankings.handlers,
    *live.handlers,
    *events.handlers,
    *admin.handlers,
    *metrics.handlers,
    *guards.handlers,
]
SHAPES: list[type[Any]] = [
    Alive,
    Boards,
    BundleReading,
    Changes,
    EventOutcome,
    Friends,
    Histogram,
    Job,
    Periods,
    PlayerReading,
    PlayerStanding,
    Problem,
    Ready,
    Receipt,
    Standings,
]
