"""The ranking that a page shows, from its address, and tabs for other rankings."""

import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any
from urllib.parse import urlencode
from weakref import WeakKeyDictionary

import msgspec
from litestar.datastructures import MultiDict

from rankbook.book import Rankbook, RankingView, Reader
from rankbook.rules import Board

TAG = "tag."
MOST_TABS = 24
KEPT_SECONDS = 5.0

Tags = tuple[tuple[str, str], ...]
Params = Mapping[str, str]


class Selection(msgspec.Struct, frozen=True):
    """A ranking by its parts. Without a period it is the current one."""

    board: str
    window: str
    tags: Tags = ()
    period: str | None = None

    def view(self, reader: Reader) -> RankingView:
        """The ranking, to read from. Raises `NotFound`, which lists what exists."""
        tags = dict(self.tags)
        return reader.ranking(self.board, window=self.window, period=self.period, tags=tags)

    def query(self, **more: Any) -> str:
        """The selection as the query of an address. Parameters without a value are omitted."""
        tags = {f"{TAG}{name}": value for name, value in self.tags}
        parts = {"board": self.board, "window": self.window, **tags, "period": self.period, **more}
        return query(parts)


class _Seen(msgspec.Struct, frozen=True):
    """Tags as they were read at an instant of the monotonic clock."""

    read_at: float
    tags: tuple[Tags, ...]


_seen: "WeakKeyDictionary[Rankbook, dict[str, _Seen]]" = WeakKeyDictionary()


class Tab(msgspec.Struct, frozen=True):
    """A link to another view of the same page."""

    label: str
    query: str
    current: bool
    title: str = ""


def query(parts: Mapping[str, Any]) -> str:
    """Parameters as the query of an address. Parameters without a value are omitted."""
    kept = [(name, str(value)) for name, value in parts.items() if value not in (None, "")]
    return urlencode(kept, errors="replace")


def read_params(params: MultiDict[Any]) -> dict[str, str]:
    """A query's parameters. If one is repeated, the last value wins."""
    return {str(name): str(value) for name, value in params.multi_items()}


def tags_in(params: Params) -> Tags:
    """The tags in a query, by name."""
    named = {n.removeprefix(TAG): value for n, value in params.items() if n.startswith(TAG)}
    return tuple(sorted(named.items()))


def select(book: Rankbook, reader: Reader, params: Params) -> Selection:
    """The ranking that a query asks for: by default the first board, window and split.

    Raises `NotFound`, which lists what exists.
    """
    named = params.get("board")
    board = (
        book.spec.board(named)
        if named
        else next(iter(boards_with_rankings(book)), book.spec.boards[0])
    )
    window = params.get("window") or board.windows[0]
    tags = tags_in(params)
    if not tags and () not in board.splits:
        tags = next(iter(splits(book, board)), ())
    found = Selection(board.name, window, tags, params.get("period") or None)
    found.view(reader)
    return found


def boards_with_rankings(book: Rankbook) -> list[Board]:
    """The boards that have rankings to show. A board with splits only has none before its first
    result, because nobody knows its tags."""
    return [board for board in book.spec.boards if splits(book, board)]


def splits(book: Rankbook, board: Board) -> list[Tags]:
    """The tags under which a board has rankings, as many as there is room for.

    They are those that the specification lists, or else those that have entries.
    """
    found: list[Tags] = []
    for split in board.splits:
        listed = _listed(book, split)
        found += _met(book, board, split) if listed is None else listed
    return found[:MOST_TABS]


def _listed(book: Rankbook, split: Sequence[str]) -> list[Tags] | None:
    choices: list[Iterable[tuple[str, str]]] = []
    for name in sorted(split):
        rule = book.spec.values.get(name)
        if rule is None or not rule.one_of:
            return None
        choices.append([(name, str(value)) for value in rule.one_of])
    return [tuple(each) for each in product(*choices)]


def _met(book: Rankbook, board: Board, split: Sequence[str]) -> list[Tags]:
    names = sorted(split)
    return [tags for tags in _all_met(book, board) if [name for name, _ in tags] == names]


def _all_met(book: Rankbook, board: Board) -> tuple[Tags, ...]:
    """The tags of every ranking that a board has had in its first window. Read again every few
    seconds."""
    kept = _seen.setdefault(book, {}).get(board.name)
    now = time.monotonic()
    if kept is None or not kept.tags or now - kept.read_at > KEPT_SECONDS:
        kept = _Seen(now, tuple([tuple(tags.items()) for tags in book.tags(board)]))
        _seen[book][board.name] = kept
    return kept.tags
