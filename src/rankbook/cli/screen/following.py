"""What `rankbook fold --follow` prints, and how it is told to stop."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from types import FrameType

import msgspec

from rankbook.book import Followed, Follower, Rankbook, Trouble
from rankbook.cli.screen.output import complain, line, show

SIGNALS = (signal.SIGINT, signal.SIGTERM)
LOOK_SECONDS = 0.2


class Stop:
    """Whether a signal has asked for the end; `pause` ends early then."""

    def __init__(self) -> None:
        self._asked = False

    def __call__(self) -> bool:
        """Whether it has."""
        return self._asked

    def ask(self, _number: int, _frame: FrameType | None) -> None:
        """A signal's handler."""
        self._asked = True

    def pause(self, seconds: float) -> None:
        """Sleep in short pieces, of which the one that a signal comes in is the last."""
        until = monotonic() + seconds
        while not self._asked and (left := until - monotonic()) > 0:
            sleep(min(left, LOOK_SECONDS))


@contextmanager
def stopping() -> Iterator[Stop]:
    """A `Stop` that SIGINT and SIGTERM ask; a second signal does what it did before."""
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
            told=_told(as_json),
            troubled=_troubled,
            pause=stop.pause,
        )
        return follower.run(seconds)


def _told(as_json: bool) -> Callable[[Followed], object]:
    return _json if as_json else _text


def _json(found: Followed) -> None:
    line(msgspec.json.encode(found))


def _text(found: Followed) -> None:
    lag = f"{found.pending:,} pending, lag {found.lag_seconds:.1f} s"
    show(f"{found.ranked:,} ranked; {lag}; the rankings are at log position {found.position:,}")


def _troubled(trouble: Trouble) -> None:
    complain(f"{trouble.error}; trying again in {trouble.seconds:.1f} s")
