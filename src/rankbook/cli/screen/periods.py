"""Tables of a board's periods."""

from collections.abc import Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from rankbook.cli.screen import tables
from rankbook.cli.screen.cells import aligned, period_text, tags_text
from rankbook.cli.screen.output import clean
from rankbook.model import PeriodSummary, PlayerPeriod
from rankbook.rules.display import number, percent, second

Played = tuple[str, PlayerPeriod]
"""A window, and how a player stood in one of its periods."""


def listed(board: str, found: Sequence[PeriodSummary]) -> Table:
    """Periods, with their bounds and sizes."""
    made = tables.table(board, f"{len(found):,} periods")
    made.add_column("period", overflow="fold")
    for name in ("start (UTC)", "end (UTC)", "sealed"):
        made.add_column(name, no_wrap=True)
    for name in ("rankings", "entries"):
        made.add_column(name, justify="right", no_wrap=True)
    for each in found:
        made.add_row(
            Text(clean(period_text(each.window, each.period.id))),
            _instant(each.period.start),
            _instant(each.period.end),
            _yes(each.period.sealed),
            number(each.rankings),
            number(each.entries),
        )
    return made


def compared(heading: str, tags: dict[str, str], played: Sequence[Played]) -> Table:
    """One player's rank, score and percentile in each period."""
    caption = f"{sum(1 for _, each in played if each.rank)} of {len(played):,} periods"
    made = tables.table(f"{heading} · {tags_text(tags)}", caption)
    made.add_column("period", overflow="fold")
    for name in ("rank", "of", "score", "percentile"):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_column("sealed", no_wrap=True)
    scores = aligned([number(each.score) for _, each in played])
    for (window, each), score in zip(played, scores, strict=True):
        made.add_row(
            Text(clean(period_text(window, each.period.id))),
            number(each.rank),
            number(each.count),
            score,
            percent(each.percentile, 2),
            _yes(each.period.sealed),
        )
    return made


def _instant(at: datetime | None) -> str:
    return "-" if at is None else second(at)


def _yes(sealed: bool) -> str:
    return "yes" if sealed else "no"
