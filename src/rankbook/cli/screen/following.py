"""What `rankbook fold --follow` prints, and how signals stop it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from types import FrameType

import msgspec

from rankbook.book import Followed, Follower, Rankbook, Trouble
from rankbook.cli.screen.output import complain, line, show

SIGNALS = (signal.SIGINT, signal.SIGTERM)
LOOK_SECONDS = 0.2


class Stop:
    """Says whether a signal has asked to stop. A signal also ends `pause` early."""

    def __init__(self) -> None:
        self._asked = False

    def __call__(self) -> bool:
        """Whether a signal has asked to stop."""
        return self._asked

    def ask(self, _number: int, _frame: FrameType | None) -> None:
        """Handle a signal."""
        self._asked = True

    def pause(self, seconds: float) -> None:
        """Sleep for so long, or until shortly after a signal."""
        until = monotonic() + seconds
        while not self._asked and (left := until - monotonic()) > 0:
            sleep(min(left, LOOK_SECONDS))


@contextmanager
def stopping() -> Iterator[Stop]:
    """A `Stop` that SIGINT and SIGTERM set. A second signal has its usual effect."""
    stop = Stop()
    before = {each: signal.getsignal(each) for each in SIGNALS}

    def handle(number: int, frame: FrameType | None) -> None:
        stop.ask(number, frame)
        signal.signal(number, before[signal.Signals(number)])

    for each in SIGNALS:
        signal.signal(each, handle)
    try:
        yield stop
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def follow(book: Rankbook, seconds: float | None, as_json: bool) -> int:
    """Fold until a signal comes, or for so many seconds; how many events were ranked."""
    with stopping() as stop:
        follower = Follower(
            book,
            stopped=stop,
            told=_json if as_json else _text,
            troubled=_troubled,
            pause=stop.pause,
        )
        return follower.run(seconds)


def _json(found: Followed) -> None:
    line(msgspec.json.encode(found))


def _text(found: Followed) -> None:
    lag = f"{found.pending:,} pending, lag {found.lag_seconds:.1f} s"
    show(f"{found.ranked:,} ranked; {lag}; the rankings are at log position {found.position:,}")


def _troubled(trouble: Trouble) -> None:
    complain(f"{trouble.error}; trying again in {trouble.seconds:.1f} s")
