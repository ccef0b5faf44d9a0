"""One progress for several folds of the same log."""

from rankbook.store.base import Progress


class Furthest:
    """Calls `progress` with how far the fold that has come furthest is."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress
        self._most = 0
        self._own = 0

    def next_fold(self) -> Progress | None:
        """The progress for the next fold."""
        self._own = 0
        return None if self._progress is None else self._more

    def _more(self, events: int) -> None:
        self._own += events
        more = max(0, self._own - self._most)
        self._most += more
        if self._progress is not None:
            self._progress(more)


def shared(progress: Progress | None, folds: int) -> Progress | None:
    """The progress for each of several folds that run one after the other. Each adds its share."""
    if progress is None or folds == 1:
        return progress
    seen = told = 0

    def more(events: int) -> None:
        nonlocal seen, told
        seen += events
        step = seen // folds - told
        told += step
        progress(step)

    return more
