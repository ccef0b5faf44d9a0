"""`rankbook rebuild`: make rankings anew from the log."""

from typing import Annotated

import msgspec
import typer
from msgspec.structs import replace

from rankbook.book import Rankbook
from rankbook.cli.commands.migrate import specification
from rankbook.cli.options import BookOption, JsonOption, PeriodOption, place
from rankbook.cli.screen.output import document, show
from rankbook.cli.screen.progress import counted, progress

OnlyBoard = Annotated[
    str | None, typer.Option("--board", metavar="B", help="Only the rankings of this board.")
]
OtherStore = Annotated[
    str | None, typer.Option("--store", metavar="URI", help="Make them in this store instead.")
]


class Rebuilt(msgspec.Struct, frozen=True, kw_only=True):
    """The log position that the new rankings are at."""

    position: int


def rebuild(
    ctx: typer.Context,
    board: OnlyBoard = None,
    period: PeriodOption = None,
    store: OtherStore = None,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Make rankings anew from the log, by the rankbook.toml of now, beside those that are served.

    The old ones are served until the new ones replace them in one step. A rebuild that was
    stopped goes on where it was. Processes that have the book open under another rankbook.toml
    must be started again. With --store they are made in another store while that of the
    rankbook.toml goes on serving; change its line afterwards.
    """
    if period is not None and board is None:
        raise typer.BadParameter("--period needs --board")
    if store is not None and board is not None:
        raise typer.BadParameter("--store is for all rankings, without --board")
    where = place(ctx, book)
    spec = None if store is None else replace(specification(where), store=store)
    with (
        Rankbook.open(where, spec=spec, catch_up=False, outdated=True) as open_book,
        progress() as told,
    ):
        head = open_book.log.head()
        position = open_book.rebuild(
            board=board, period=period, progress=counted(told, "rebuilding", head)
        )
    if as_json:
        document(Rebuilt(position=position))
    else:
        show(f"The rankings are made anew; they are at log position {position:,}.")
