"""The clock that books go by; tests and replays give another."""

import time
from collections.abc import Callable

Clock = Callable[[], int]


def system_clock() -> int:
    """Microseconds since 1970 UTC."""
    return time.time_ns() // 1000
