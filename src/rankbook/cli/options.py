"""Options and arguments that several subcommands share, and what their texts mean."""

from pathlib import Path
from typing import Annotated

import typer

from rankbook.book import MAX_LIMIT
from rankbook.errors import Refused
from rankbook.importing import value
from rankbook.model import Value
from rankbook.rules import BookSpec

ENVIRONMENT = "RANKBOOK_BOOK"

BookOption = Annotated[
    Path | None,
    typer.Option(
        "--book",
        metavar="DIR",
        help=f"The book's directory; else ${ENVIRONMENT}, else the current one.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
BoardArgument = Annotated[str, typer.Argument(metavar="BOARD", help="The board's name.")]
PlayerArgument = Annotated[str, typer.Argument(metavar="PLAYER", help="The player's id.")]
EventArgument = Annotated[
    str, typer.Argument(metavar="EVENT_ID", help="The id that the event was recorded under.")
]
WindowOption = Annotated[
    str | None,
    typer.Option("--window", metavar="W", help="The window; else the board's first one."),
]
TagOption = Annotated[
    list[str] | None,
    typer.Option("--tag", metavar="NAME=VALUE", help="A tag of the split; may be repeated."),
]
PeriodOption = Annotated[
    str | None,
    typer.Option("--period", metavar="ID", help="A period, as 2026-11-30; else the current one."),
]
LimitOption = Annotated[
    int, typer.Option("--limit", metavar="N", min=1, max=MAX_LIMIT, help="How many entries.")
]
IdOption = Annotated[
    str, typer.Option("--id", metavar="ID", help="The event's id: makes a retry safe.")
]


def pairs(texts: list[str] | None, option: str) -> dict[str, str]:
    """NAME=VALUE arguments as a dictionary. Raises `Refused` at `option`."""
    found: dict[str, str] = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise Refused(option, f"{text!r} is not NAME=VALUE")
        if name in found:
            raise Refused(option, f"{name!r} is given twice")
        found[name] = value
    return found


def typed(spec: BookSpec, given: dict[str, str]) -> dict[str, Value]:
    """The values of an event: text where the book declares it, else a number if written as one."""
    texts = [name for name, rule in spec.values.items() if rule.type == "text"]
    return {name: text if name in texts else value(text) for name, text in given.items()}
