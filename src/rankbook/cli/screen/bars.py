"""The table of a histogram, with a bar for each bin."""

from rich.table import Table
from rich.text import Text

from rankbook.cli.screen import tables
from rankbook.cli.screen.cells import aligned, title
from rankbook.cli.screen.output import stdout
from rankbook.model import Histogram
from rankbook.rules.display import number

LONGEST = 40


def histogram(found: Histogram) -> Table:
    """The bins of a ranking's scores, from the lowest."""
    made = tables.table(title(found), f"{found.count:,} entries; a bin ends where the next begins")
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
    """A bar of up to 40 characters; a bin that is not empty has at least one."""
    mark = "█" if stdout().encoding.startswith("utf") else "#"
    return mark * (0 if count == 0 else max(1, round(LONGEST * count / most)))
