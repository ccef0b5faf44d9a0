"""Listeners of closings: functions that this process calls when a period has closed."""

import warnings
from collections.abc import Callable, Mapping

import msgspec

from rankbook.book import events, state
from rankbook.log.base import Recorded
from rankbook.model import Closing
from rankbook.rules import BoardRules, instant

Listener = Callable[[Closing], object]


class ClosingListeners:
    """Tells listeners of seals that were received from the instant `since_us` on."""

    def __init__(self, boards: Mapping[str, BoardRules], since_us: int) -> None:
        self._boards = boards
        self._since_us = since_us
        self._listeners: list[Listener] = []

    def add(self, listener: Listener) -> None:
        """Call this listener at every closing from now on."""
        self._listeners.append(listener)

    def tell(self, seal: Recorded) -> None:
        """Call the listeners for a published seal. If one fails, that is a warning: the results are
        safe."""
        closing = self._closing(seal) if seal.received_us >= self._since_us else None
        if closing is None:
            return
        for listener in self._listeners:
            try:
                listener(closing)
            except Exception as error:
                warnings.warn(f"an on_close listener failed: {error!r}", stacklevel=2)

    def _closing(self, seal: Recorded) -> Closing | None:
        """The closing for a seal. None if its board or window no longer exists."""
        board, window, period = state.read_period(events.body(seal).target)
        rules = self._boards.get(board)
        if rules is None or window not in rules.windows:
            return None
        span = rules.window(window).period(period)
        shown = msgspec.structs.replace(rules.period(span), sealed=True)
        return Closing(board=board, window=window, period=shown, at=instant(seal.at_us))
