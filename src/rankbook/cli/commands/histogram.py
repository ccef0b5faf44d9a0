"""`rankbook histogram`: how the scores of a ranking are spread."""

from typing import Annotated

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from rankbook.book.read.scores import MAX_BINS
from rankbook.cli.options import (
    BoardArgument,
    BookOption,
    JsonOption,
    PeriodOption,
    TagOption,
    WindowOption,
    chosen,
    opened,
)
from rankbook.cli.screen import tables
from rankbook.cli.screen.cells import aligned, number, title
from rankbook.cli.screen.output import result, stdout
from rankbook.model import Bin, Period

BINS = 10
LONGEST = 40


class HistogramReading(msgspec.Struct, frozen=True, kw_only=True):
    """The scores of a ranking in bins, from one snapshot."""

    board: str
    window: str
    period: Period
    tags: dict[str, str]
    count: int
    bins: tuple[Bin, ...]


def histogram(
    ctx: typer.Context,
    board: BoardArgument,
    bins: Annotated[
        int, typer.Option("--bins", metavar="N", min=1, max=MAX_BINS, help="How many at most.")
    ] = BINS,
    window: WindowOption = None,
    tag: TagOption = None,
    period: PeriodOption = None,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show how many entries have which scores, in equal steps from the lowest to the highest."""
    with opened(ctx, book) as open_book:
        view = chosen(open_book, board, window=window, period=period, tag=tag)
        counted = view.histogram(bins)
    found = HistogramReading(
        board=view.ranking.board,
        window=view.ranking.window,
        period=view.period(),
        tags=dict(view.ranking.tags),
        count=sum([each.count for each in counted]),
        bins=tuple(counted),
    )
    result(as_json, found, lambda: _drawn(found))


def _drawn(found: HistogramReading) -> Table:
    heading = title(found.board, found.window, found.period, found.tags)
    made = tables.table(heading, f"{found.count:,} entries; a bin ends where the next begins")
    for name in ("from", "to", "entries"):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_column("", no_wrap=True)
    lows = aligned([number(each.low) for each in found.bins])
    highs = aligned([number(each.high) for each in found.bins])
    most = max([each.count for each in found.bins], default=0)
    for low, high, each in zip(lows, highs, found.bins, strict=True):
        made.add_row(low, high, number(each.count), Text(_bar(each.count, most)))
    return made


def _bar(count: int, most: int) -> str:
    """A bar of up to 40 characters; whoever is there at all has one."""
    mark = "█" if stdout().encoding.startswith("utf") else "#"
    return mark * (0 if count == 0 else max(1, round(LONGEST * count / most)))
