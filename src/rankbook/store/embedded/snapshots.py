"""Blocks that read from one snapshot of an embedded store.

They are classes and not generators, for a submission enters eight of them.
"""

from collections.abc import Callable
from threading import local

from rankbook.engine.environment import Environment
from rankbook.engine.transaction import Transaction
from rankbook.store.embedded.generations import Generation


class Snapshot:
    """A block with a space, in the snapshot that its thread holds, as `held` knows, or in one of
    its own, which ends with the block."""

    __slots__ = ("_environment", "_held", "_own", "_space")

    def __init__(
        self, environment: Environment, held: local, space: Callable[[Transaction], Generation]
    ) -> None:
        self._environment = environment
        self._held = held
        self._space = space
        self._own: Transaction | None = None

    def __enter__(self) -> Generation:
        """The space. Raises what `space` raises."""
        held: Generation | None = getattr(self._held, "space", None)
        if held is not None:
            return held
        self._own = view = self._environment.view()
        try:
            return self._space(view)
        except BaseException as error:
            view.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """End the snapshot, if it is the block's own."""
        if self._own is not None:
            self._own.__exit__(kind, error, trace)


class Hold:
    """A block during which its thread holds the snapshot."""

    __slots__ = ("_held", "_snapshot")

    def __init__(self, snapshot: Snapshot, held: local) -> None:
        self._snapshot = snapshot
        self._held = held

    def __enter__(self) -> None:
        """Hold it."""
        self._held.space = self._snapshot.__enter__()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Hold it no more."""
        self._held.space = None
        self._snapshot.__exit__(kind, error, trace)
