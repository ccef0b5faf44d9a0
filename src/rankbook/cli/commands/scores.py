"""`rankbook scores`: the entries between two scores."""

from decimal import Decimal
from typing import Annotated

import typer

from rankbook.book import RankingView
from rankbook.book.read.view import TOP
from rankbook.cli.options import (
    BoardArgument,
    BookOption,
    JsonOption,
    LimitOption,
    PeriodOption,
    TagOption,
    WindowOption,
    chosen,
    opened,
)
from rankbook.cli.screen.output import result, stdout
from rankbook.cli.screen.standings import standings
from rankbook.errors import Refused
from rankbook.importing import common
from rankbook.model import Number


def scores(
    ctx: typer.Context,
    board: BoardArgument,
    least: Annotated[
        str | None, typer.Option("--min", metavar="S", help="The least score, itself included.")
    ] = None,
    most: Annotated[
        str | None, typer.Option("--max", metavar="S", help="The greatest score, itself included.")
    ] = None,
    window: WindowOption = None,
    tag: TagOption = None,
    period: PeriodOption = None,
    limit: LimitOption = TOP,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show the entries of a ranking whose scores are within bounds, best first."""
    with opened(ctx, book) as open_book:
        view = chosen(open_book, board, window=window, period=period, tag=tag)
        low, high = _score(view, least, "--min"), _score(view, most, "--max")
        if low is not None and high is not None and low > high:
            raise Refused("--min", f"is {least}, more than --max, which is {most}")
        found = view.scores(low, high, limit)
    result(as_json, found, lambda: standings(found, stdout().width))


def _score(view: RankingView, text: str | None, option: str) -> Number | None:
    """The score, exactly as written. Raises `Refused` where the board can have no such score."""
    if text is None:
        return None
    number = common.number(text, option)
    score = Decimal(text) if isinstance(number, float) else number
    try:
        view.rules.score_bound(score)
    except Refused as error:
        raise Refused(option, error.reason) from None
    return score
