"""A clock that a program sets, so that an example says the same on every day."""

from datetime import datetime, timedelta

from rankbook.rules import micros


class Clock:
    """Gives `Rankbook` its microseconds; `now` is the same moment as people write it."""

    def __init__(self, text: str) -> None:
        self.now = datetime.fromisoformat(text)

    def __call__(self) -> int:
        """Microseconds since 1970 UTC."""
        return micros(self.now)

    def set(self, moment: str | datetime) -> None:
        """Go to a moment, which has a zone."""
        self.now = datetime.fromisoformat(moment) if isinstance(moment, str) else moment

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.now += timedelta(seconds=seconds)
