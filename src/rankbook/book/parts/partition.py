"""Which part of a book holds what: one part holds everything, or each board has a part, or each
period is in one of several parts.

Every part folds the whole log, so all parts remember the same. Each keeps only its own rankings,
and what helps to find them.
"""

from zlib import crc32

from rankbook.book import state
from rankbook.book.measure import Scope
from rankbook.rules import BookSpec


class Partition:
    """The parts of a book, by the numbers of their `names`; a single part has no name."""

    def __init__(self, spec: BookSpec) -> None:
        self._by_board = spec.partition == "board"
        if self._by_board:
            self.names: tuple[str, ...] = tuple([board.name for board in spec.boards])
        elif spec.partition == "period":
            self.names = tuple([f"period-{number}" for number in range(spec.partitions)])
        else:
            self.names = ("",)
        self.is_whole = spec.partition == "book"
        self.every = tuple(range(len(self.names)))
        self._numbers = {name: number for number, name in enumerate(self.names)}

    def of(self, name: str) -> int:
        """The part of a ranking, or of a period, by its name: the same for all tags of a period."""
        if self.is_whole:
            return 0
        if self._by_board:
            return self._numbers.get(name.partition("/")[0], 0)
        return crc32("/".join(name.split("/", 3)[:3]).encode()) % len(self.names)

    def may_have(self, number: int, board: str) -> bool:
        """Whether a part may have rankings of a board."""
        return not self._by_board or self.names[number] == board

    def where(self, name: str) -> tuple[int, ...]:
        """The parts that have something under a name: a ranking, or state that a fold remembers."""
        if not state.is_state(name):
            return (self.of(name),)
        board = name.partition("/")[2]
        return (self.of(board),) if board and self._by_board else self.every

    def scope(self, number: int, profiles: bool) -> Scope | None:
        """What a part holds; None for a single part, which holds everything."""
        if self.is_whole:
            return None
        return Scope(lambda name: self.of(name) == number, profiles)


def is_alike(name: str) -> bool:
    """Whether every part that has something under this name has the same.

    Of anything else, each part has its own share.
    """
    return state.is_state(name) and not state.is_hint(name)
