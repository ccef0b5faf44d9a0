"""Blocks that read from one snapshot of an embedded store.

They are classes and not generators, because a submission enters eight of them.
"""

from collections.abc import Callable
from threading import local

from rankbook.engine.environment import Environment
from rankbook.engine.transaction import Transaction
from rankbook.store.embedded.generations import Generation


class Snapshot:
    """A block with a generation. It uses the thread's snapshot, or else its own, which ends with
    the block. `held` keeps the snapshots of threads."""

    __slots__ = ("_environment", "_find", "_held", "_own")

    def __init__(
        self, environment: Environment, held: local, find: Callable[[Transaction], Generation]
    ) -> None:
        self._environment = environment
        self._held = held
        self._find = find
        self._own: Transaction | None = None

    def __enter__(self) -> Generation:
        """The generation. Raises what `find` raises."""
        held: Generation | None = getattr(self._held, "generation", None)
        if held is not None:
            return held
        self._own = view = self._environment.view()
        try:
            return self._find(view)
        except BaseException as error:
            view.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """End the snapshot, if it is the block's own."""
        if self._own is not None:
            self._own.__exit__(kind, error, trace)


class ThreadSnapshot:
    """A block in which every read of its thread uses one snapshot."""

    __slots__ = ("_before", "_held", "_snapshot")

    def __init__(self, snapshot: Snapshot, held: local) -> None:
        self._snapshot = snapshot
        self._held = held

    def __enter__(self) -> None:
        """Give the snapshot to the thread, if it has none yet."""
        self._before = getattr(self._held, "generation", None)
        self._held.generation = self._snapshot.__enter__()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Restore what the thread had before. If the snapshot is the block's own, end it."""
        self._held.generation = self._before
        self._snapshot.__exit__(kind, error, trace)
