"""Which part of a book has what: its rankings spread over parts, by board or by period.

Every part folds the whole log, so that what a fold remembers is the same in all of them, and keeps
only its own rankings and what helps to find them.
"""

from collections.abc import Callable
from typing import NamedTuple
from zlib import crc32

from rankbook.book import state
from rankbook.rules import BookSpec


class Scope(NamedTuple):
    """What one part is of a whole book: the names of rankings that it `holds`, and whether any
    board, there or in another part, shows the profiles of players."""

    holds: Callable[[str], bool]
    profiles: bool


class Partition:
    """The parts of a book that is in parts, by the numbers of their `names`."""

    def __init__(self, spec: BookSpec) -> None:
        self._by_board = spec.partition == "board"
        self.names = (
            tuple([board.name for board in spec.boards])
            if self._by_board
            else tuple([f"period-{number}" for number in range(spec.partitions)])
        )
        self.every = tuple(range(len(self.names)))
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def of(self, name: str) -> int:
        """The part of a ranking, or of a period, by its name: the same for all tags of a period."""
        if self._by_board:
            return self._numbers.get(name.partition("/")[0], 0)
        return crc32("/".join(name.split("/", 3)[:3]).encode()) % len(self.names)

    def may_have(self, number: int, board: str) -> bool:
        """Whether a part has rankings of a board, or may have."""
        return not self._by_board or self.names[number] == board

    def where(self, name: str) -> tuple[int, ...]:
        """The parts that have something under a name: a ranking's, or of what a fold remembers."""
        if not state.is_state(name):
            return (self.of(name),)
        board = name.partition("/")[2]
        return (self.of(board),) if board and self._by_board else self.every


def is_alike(name: str) -> bool:
    """Whether parts that have something of this name have the same. The others have each their
    own share of it."""
    return state.is_state(name) and not state.is_hint(name)
