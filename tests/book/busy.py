"""A store that publishes: whatever is read from it, something new is ranked right after."""

from collections.abc import Callable

READS = ("read", "entries", "position", "receipts")


class Busy:
    """Within the block every read of a book's store is followed by a publication, up to `most`.

    `publish` submits the next event. What it reads itself is followed by nothing.
    """

    def __init__(self, book, publish: Callable[[], object], most: int = 10) -> None:
        self.store = book.store
        self.publish = publish
        self.most = most
        self.published = 0
        self._within = False

    def __enter__(self) -> "Busy":
        for name in READS:
            setattr(self.store, name, self._followed(getattr(self.store, name)))
        return self

    def __exit__(self, *_error: object) -> None:
        for name in READS:
            delattr(self.store, name)

    def _followed(self, read):
        def reads(*given):
            found = read(*given)
            if not self._within and self.published < self.most:
                self._within = True
                try:
                    self.publish()
                    self.published += 1
                finally:
                    self._within = False
            return found

        return reads
