"""What verify and repair print: whether the rankings agree with the log, and where they do not."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from rankbook.book import LogVerification, Verification
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import SHOWN, Part, clean
from rankbook.model import SetAside


def comparison(found: Verification) -> list[Part]:
    """The verdict; the first disagreements; and what is recorded but not ranked."""
    verdict = "agree" if found.agrees else "DISAGREE"
    size = (
        f"{found.rankings:,} rankings, {found.entries:,} entries, log position {found.position:,}"
    )
    parts: list[Part] = [f"The rankings {verdict} with the log: {size}."]
    if found.disagreements:
        parts.append(_table(found))
    parts += [f"fault: {fault}" for fault in found.faults[:SHOWN]]
    if max(len(found.disagreements), len(found.faults)) > SHOWN:
        parts.append(tables.MORE)
    if found.pending:
        parts.append(f"Recorded and not ranked yet: {found.pending:,}; rankbook fold ranks them.")
    if found.set_aside:
        parts.append(
            f"Set aside, as they cannot be read: {found.set_aside:,}; rankbook doctor lists them."
        )
    return parts


def soundness(found: LogVerification) -> list[Part]:
    """The verdict about the log alone; its faults; and the events that are set aside."""
    verdict = "sound" if found.sound else "DAMAGED"
    parts: list[Part] = [
        f"The log is {verdict}: {found.events:,} events, log position {found.position:,}."
    ]
    parts += [f"fault: {fault}" for fault in found.faults[:SHOWN]]
    parts += set_aside(found.unreadable)
    if max(len(found.faults), found.set_aside) > SHOWN:
        parts.append(tables.MORE)
    return parts


def set_aside(unreadable: Sequence[SetAside]) -> list[Part]:
    """A line for each of the first events that are set aside."""
    return [
        f"set aside: {each.event_id} at log position {each.seq:,}, {each.reason}"
        for each in unreadable[:SHOWN]
    ]


def _table(found: Verification) -> Table:
    count = len(found.disagreements)
    made = tables.table("disagreements", f"{min(count, SHOWN):,} of {count:,}")
    for name in ("ranking", "player", "index", "kind", "expected", "found"):
        made.add_column(name, overflow="fold")
    for each in found.disagreements[:SHOWN]:
        cells = (each.ranking, each.player, each.index, each.kind, each.expected, each.found)
        made.add_row(*[Text(clean("-" if cell is None else str(cell))) for cell in cells])
    return made
