"""The tables of rankings' entries, which fit the width of the terminal."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from rankbook.book import BundleReading
from rankbook.cli.screen.cells import aligned, named, title
from rankbook.cli.screen.output import clean
from rankbook.cli.screen.tables import table
from rankbook.model import Entry, Friends, Standings, Value
from rankbook.rules.display import number, second

GAP = 3
NAME_ROOM = 16
LEAST_ROOM = 8


class Column(NamedTuple):
    """A column's heading and cells. Those that may be left out are, where there is no room."""

    name: str
    cells: list[str]
    right: bool = False
    style: str = ""
    optional: bool = False

    def width(self) -> int:
        """How many columns of the terminal it takes."""
        return max([cell_len(text) for text in (self.name, *self.cells)])

    def add_to(self, made: Table) -> None:
        """Add it, without its cells."""
        heading = Text(self.name, justify="right" if self.right else "left")
        made.add_column(heading, no_wrap=True, overflow="ellipsis", style=self.style)


def standings(found: Standings, width: int) -> Table:
    """Entries of one ranking, best first. In a narrow place details are left out, from the right,
    and names are cut."""
    rank = _numbers("#", [entry.rank for entry in found.entries])
    return _fitted(found, found.entries, rank, _columns(found.entries), width)


def bundle(found: BundleReading, width: int) -> Group:
    """The tables of a bundle's rankings, with an empty line between two."""
    drawn: list[RenderableType] = []
    for each in found.rankings:
        drawn += [Text(), standings(each, width)]
    return Group(*drawn[1:])


def friends(found: Friends, width: int) -> Table:
    """Entries of some players, best first: the rank among them, and that among all."""
    entries = [each.entry for each in found.friends]
    among = _numbers("#", [each.rank_among for each in found.friends])
    overall = _numbers("rank", [entry.rank for entry in entries])
    return _fitted(found, entries, among, [overall, *_columns(entries)], width)


def _fitted(
    found: Standings | Friends,
    entries: Sequence[Entry],
    rank: Column,
    others: list[Column],
    width: int,
) -> Table:
    made = table(title(found), f"{len(entries):,} of {found.count:,}")
    names = [named(entry) for entry in entries]
    longest = max([name.cell_len for name in names], default=LEAST_ROOM)
    while others[-1].optional and _room([rank, *others], width) < min(longest, NAME_ROOM):
        others.pop()
    rank.add_to(made)
    room = max(LEAST_ROOM, _room([rank, *others], width))
    made.add_column("player", no_wrap=True, overflow="ellipsis", max_width=room)
    for column in others:
        column.add_to(made)
    cells = zip(*[column.cells for column in others], strict=True)
    for place, name, rest in zip(rank.cells, names, cells, strict=True):
        made.add_row(place, name, *[Text(cell) for cell in rest])
    return made


def _room(columns: Sequence[Column], width: int) -> int:
    """What these columns leave for the players' names."""
    return width - sum([column.width() + GAP for column in columns])


def _columns(entries: Sequence[Entry]) -> list[Column]:
    """The columns right of the players: measures, details that are not measures, reached."""
    first = entries[0] if entries else None
    made: list[Column] = []
    for name in first.measures if first else ["score"]:
        values = [entry.measures[name] for entry in entries]
        made.append(_numbers(name, values)._replace(style="bold"))
    for name in first.details if first else []:
        if name not in entries[0].measures:
            made.append(_detail(name, [entry.details[name] for entry in entries]))
    reached = [second(entry.reached_at) for entry in entries]
    return [*made, Column("reached (UTC)", reached, style="dim", optional=True)]


def _numbers(name: str, values: Sequence[object]) -> Column:
    texts = aligned([number(value) for value in values], cell_len(name))
    return Column(clean(name), texts, right=True)


def _detail(name: str, values: Sequence[Value | None]) -> Column:
    if any(isinstance(value, str) for value in values):
        texts = [number(value) for value in values]
        return Column(clean(name), texts, optional=True)
    return _numbers(name, values)._replace(optional=True)
