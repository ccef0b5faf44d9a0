"""The steps that this process has published lately, so that its readers need not read everything
back.

A reading belongs to one log position. If all steps since then are known here, then so is every
entry that moved, with its place before and after. A page of the first ten stays the same if nobody
moved into it or out of it.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

STEPS = 200
MOST_CHANGES = 100


class KeyChange(NamedTuple):
    """An entry that a step changed: its key before, and its key after; None where there is none."""

    member: bytes
    before: bytes | None
    after: bytes | None


class PublishedStep(NamedTuple):
    """A step: the log positions before and after it, and the entries that moved, by name of
    ranking."""

    expect: int
    then: int
    changes: Mapping[str, Sequence[KeyChange]]


class StepHistory:
    """The last steps. Safe to use from many threads.

    A step with many changes is not kept, because reading again is faster than following it. A step
    that removed whole rankings is not kept either.
    """

    def __init__(self) -> None:
        self._steps: deque[PublishedStep] = deque(maxlen=STEPS)

    def add(self, step: PublishedStep) -> None:
        """Remember a step of at most `MOST_CHANGES` changes."""
        self._steps.append(step)

    def since(self, position: int) -> list[PublishedStep]:
        """The steps from a position on, without a gap. Empty if one of them is not known."""
        last = self._steps[-1] if self._steps else None  # mostly it is the only one
        if last is None or last.expect == position:
            return [] if last is None else [last]
        found: list[PublishedStep] = []
        for step in reversed(tuple(self._steps)):
            if step.expect < position or (found and step.then != found[-1].expect):
                break
            found.append(step)
        found.reverse()
        return found if found and found[0].expect == position else []
