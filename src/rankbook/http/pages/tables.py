"""Standings prepared for a page: columns with aligned points, names, shared places."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from rankbook.http.pages.avatars import Avatar, avatar
from rankbook.http.pages.formatting import aligned, number
from rankbook.model import Entry, Standings
from rankbook.rules import Board
from rankbook.rules.display import name_of, short, visible_text

MOST_CELL = 40
MOST_COLUMNS = 5


class Cell(msgspec.Struct, frozen=True):
    """A measure or a detail beside the score."""

    text: str
    numeric: bool


class Row(msgspec.Struct, frozen=True):
    """An entry. `shared` says that others stand at the same rank; `own` is the viewer's."""

    entry: Entry
    name: str
    avatar: Avatar
    score: str
    cells: tuple[Cell, ...]
    shared: bool
    own: bool


class Head(msgspec.Struct, frozen=True):
    """The heading of a column beside the score."""

    text: str
    numeric: bool


class Table(msgspec.Struct, frozen=True):
    """Some entries of one ranking, and the ranking's name and period."""

    standings: Standings
    score: str
    heads: tuple[Head, ...]
    rows: tuple[Row, ...]


def table(found: Standings, board: Board, *, own: str = "", remote: bool = False) -> Table:
    """Entries as rows. The player `own` is marked; `remote` allows pictures from other sites.

    It shows the measures and details that the board names first, as many as there is room for.
    """
    entries = found.entries
    score = score_name(board)
    names = [name for name in board.measures if name != score]
    measures = names[:MOST_COLUMNS]
    details = [name for name in board.details if name not in board.measures]
    details = details[: MOST_COLUMNS - len(measures)]
    columns: list[list[object]] = [[each.measures[name] for each in entries] for name in measures]
    columns += [[each.details[name] for each in entries] for name in details]
    numeric = [not any(isinstance(value, str) for value in values) for values in columns]
    texts = [_texts(values, of) for values, of in zip(columns, numeric, strict=True)]
    heads = zip([*measures, *details], numeric, strict=True)
    scores = aligned([each.score for each in entries])
    shared = Counter([each.rank for each in entries])
    rows: list[Row] = []
    for index, entry in enumerate(entries):
        cells = [Cell(column[index], of) for column, of in zip(texts, numeric, strict=True)]
        rows.append(
            Row(
                entry,
                name_of(entry.profile, entry.player),
                avatar(entry.profile, entry.player, remote=remote),
                scores[index],
                tuple(cells),
                shared[entry.rank] > 1,
                entry.player == own,
            )
        )
    return Table(
        found,
        visible_text(score),
        tuple([Head(visible_text(n), of) for n, of in heads]),
        tuple(rows),
    )


def score_name(board: Board) -> str:
    """The first measure of a board's order."""
    return list(board.measures)[board.columns()[0].measure]


def _texts(values: Sequence[object], numeric: bool) -> list[str]:
    return aligned(values) if numeric else [short(number(value), MOST_CELL) for value in values]
