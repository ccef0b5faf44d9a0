"""`rankbook doctor`: what the book holds on disk, and whether it is sound."""

from typing import Any

import typer
from rich.text import Text

from rankbook.book import Examination
from rankbook.cli.exits import DISAGREES
from rankbook.cli.options import BookOption, JsonOption, opened
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import clean, document, note, show
from rankbook.cli.screen.progress import counted, progress

SHOWN = 50


def doctor(
    ctx: typer.Context,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show format, sizes, pages and positions, and check every invariant; exit 1 on a fault."""
    with opened(ctx, book, catch_up=False) as open_book, progress() as told:
        found = open_book.doctor(progress=counted(told, "checking"))
    if as_json:
        document(found)
    else:
        report(found)
    if found.faults:
        raise typer.Exit(DISAGREES)


def report(found: Examination) -> None:
    """A table of what was found, and the verdict."""
    made = tables.table("the book on disk", "")
    made.add_column("what")
    made.add_column("found", justify="right", overflow="fold")
    facts: dict[str, Any] = {
        "log position": found.log_position,
        "store position": found.store_position,
        "pending events": found.pending,
        "lag": f"{found.lag_seconds:.1f} s",
        "events set aside": found.set_aside,
        **{name.replace("_", " "): value for name, value in found.store.items()},
    }
    for name, value in facts.items():
        made.add_row(name, Text(clean(_text(value))))
    show(made)
    if "plain" in found.store.get("kernels", {}).values():
        show("The engine runs as plain Python, which is slower: its kernels are not compiled.")
    for each in found.unreadable[:SHOWN]:
        show(f"set aside: {each.event_id} at log position {each.seq:,}, {each.reason}")
    for fault in found.faults[:SHOWN]:
        show(f"fault: {fault}")
    if max(len(found.faults), found.set_aside) > SHOWN:
        note("more was found; --json lists it")
    if not found.faults:
        show("Every invariant holds.")


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    return f"{value:,}" if isinstance(value, int) else "-" if value is None else str(value)
