"""Options that several subcommands share, and what they mean."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from rankbook.book import Rankbook, RankingView
from rankbook.book.read.slices import MAX_LIMIT
from rankbook.cli.screen.progress import counted, progress
from rankbook.errors import Refused, StoreError
from rankbook.importing import common
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
    str, typer.Option("--id", metavar="ID", help="The event's id: a retry is then known.")
]


def given(ctx: typer.Context, book: Path | None) -> Path | None:
    """The directory given on the command line, after the subcommand or else before it."""
    before: Path | None = ctx.obj
    return before if book is None else book


def place(ctx: typer.Context, book: Path | None) -> Path:
    """The book's directory: as given, else the environment's, else the current one."""
    return given(ctx, book) or Path(os.environ.get(ENVIRONMENT) or ".")


def opened(ctx: typer.Context, book: Path | None, *, catch_up: bool = True) -> Rankbook:
    """The book, open, with what is pending ranked under a progress bar unless `catch_up` is false.

    Raises `BookError` and whatever else `Rankbook.open` does.
    """
    open_book = Rankbook.open(place(ctx, book), catch_up=False)
    try:
        if catch_up:
            _catch_up(open_book)
    except BaseException:
        open_book.close()
        raise
    return open_book


def _catch_up(book: Rankbook) -> None:
    """While a part of the book is down nobody can say what is pending; the others catch up."""
    pending = 0
    with suppress(StoreError):
        pending = book.pending()
    if not pending:
        book.catch_up()
        return
    with progress() as told:
        book.catch_up(progress=counted(told, "ranking what is pending", pending))


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
    """The values of an event: numbers where they are written as such, unless declared as text."""
    texts = [name for name, rule in spec.values.items() if rule.type == "text"]
    return {name: text if name in texts else common.value(text) for name, text in given.items()}


def chosen(book: Rankbook, board: str, **parts: Any) -> RankingView:
    """The ranking of `board` by `window`, `period` and `tag`, as given on the command line."""
    return book.ranking(
        board,
        window=parts["window"],
        period=parts["period"],
        tags=pairs(parts["tag"], "--tag"),
    )
