"""`rankbook doctor`: what the book holds on disk, and whether it is sound."""

from typing import Any

import typer
from msgspec.structs import asdict
from rich.text import Text

from rankbook.book import Examination
from rankbook.cli.call import Call, subcommand
from rankbook.cli.exits import DISAGREES
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import SHOWN, Part, clean
from rankbook.cli.screen.progress import counting
from rankbook.cli.screen.verification import set_aside


@subcommand
def doctor(call: Call) -> None:
    """Show format, sizes, pages and positions, and check every invariant; exit 1 on a fault."""
    with call.open(catch_up=False) as book, counting("checking") as checked:
        found = book.doctor(progress=checked)
    call.answer(found, lambda: _drawn(found))
    if max(len(found.faults), found.set_aside) > SHOWN:
        call.note(tables.MORE)
    if found.faults:
        raise typer.Exit(DISAGREES)


def _drawn(found: Examination) -> list[Part]:
    """A table of what was found, and the verdict."""
    made = tables.table("the book on disk")
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
    plain = "plain" in found.store.get("kernels", {}).values()
    slow = ["The engine runs as plain Python, which is slower: its kernels are not compiled."]
    faults = [f"fault: {fault}" for fault in found.faults[:SHOWN]]
    return [
        made,
        *slow * plain,
        *set_aside(found.unreadable),
        *(faults or ["Every invariant holds."]),
    ]


def _text(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    if isinstance(value, list):
        return "; ".join(_text(asdict(each)) for each in value) or "none"
    return f"{value:,}" if isinstance(value, int) else "-" if value is None else str(value)
