"""Options that several subcommands share, and what they mean."""

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from rankbook.book import Rankbook, RankingView
from rankbook.book.reading import MAX_LIMIT
from rankbook.errors import Refused

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


def given(ctx: typer.Context, book: Path | None) -> Path | None:
    """The directory given on the command line, after the subcommand or else before it."""
    before: Path | None = ctx.obj
    return before if book is None else book


def place(ctx: typer.Context, book: Path | None) -> Path:
    """The book's directory: as given, else the environment's, else the current one."""
    return given(ctx, book) or Path(os.environ.get(ENVIRONMENT) or ".")


def opened(ctx: typer.Context, book: Path | None) -> Rankbook:
    """The book, open. Raises `BookError` and whatever else `Rankbook.open` does."""
    return Rankbook.open(place(ctx, book))


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


def chosen(book: Rankbook, board: str, **parts: Any) -> RankingView:
    """The ranking of `board` by `window`, `period` and `tag`, as given on the command line."""
    return book.ranking(
        board,
        window=parts["window"],
        period=parts["period"],
        tags=pairs(parts["tag"], "--tag"),
    )
