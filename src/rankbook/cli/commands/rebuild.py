"""`rankbook rebuild`: make rankings anew from the log."""

from typing import Annotated

import typer
from msgspec.structs import replace

from rankbook.book import Rankbook, read_spec
from rankbook.cli.call import Call, LogPosition, subcommand
from rankbook.cli.options import PeriodOption
from rankbook.cli.screen.progress import counting


@subcommand
def rebuild(
    call: Call,
    board: Annotated[
        str | None, typer.Option("--board", metavar="B", help="Only the rankings of this board.")
    ] = None,
    period: PeriodOption = None,
    store: Annotated[
        str | None, typer.Option("--store", metavar="URI", help="Make them in this store instead.")
    ] = None,
) -> None:
    """Make rankings anew from the log and the rankbook.toml of now, while the old ones serve.

    The new rankings replace the old in one step. A rebuild that was stopped goes on where it was.
    Restart processes that have the book open under another rankbook.toml. With --store the new
    rankings are made in another store; afterwards, write that store into rankbook.toml.
    """
    if period is not None and board is None:
        raise typer.BadParameter("--period needs --board")
    if store is not None and board is not None:
        raise typer.BadParameter("--store is for all rankings, without --board")
    where = call.directory
    spec = None if store is None else replace(read_spec(where), store=store)
    with (
        Rankbook.open(where, spec=spec, catch_up=False, outdated=True) as book,
        counting("rebuilding", book.log.head()) as rebuilt,
    ):
        position = book.rebuild(board=board, period=period, progress=rebuilt)
    call.answer(
        LogPosition(position=position),
        lambda: f"The rankings are made anew; they are at log position {position:,}.",
    )
