"""`rankbook scores`: the entries between two scores."""

from decimal import Decimal
from typing import Annotated

import typer

from rankbook.book import TOP, RankingView
from rankbook.cli.call import RankingCall, subcommand
from rankbook.cli.options import LimitOption
from rankbook.errors import Refused
from rankbook.importing import number
from rankbook.model import Number


@subcommand
def scores(
    call: RankingCall,
    least: Annotated[
        str | None, typer.Option("--min", metavar="S", help="The least score, itself included.")
    ] = None,
    most: Annotated[
        str | None, typer.Option("--max", metavar="S", help="The greatest score, itself included.")
    ] = None,
    limit: LimitOption = TOP,
) -> None:
    """Show the entries of a ranking whose scores are within bounds, best first."""
    with call.view() as view:
        low, high = _score(view, least, "--min"), _score(view, most, "--max")
        if low is not None and high is not None and low > high:
            raise Refused("--min", f"is {least}, more than --max, which is {most}")
        found = view.scores(low, high, limit)
    call.entries(found)


def _score(view: RankingView, text: str | None, option: str) -> Number | None:
    """The score, exactly as written. Raises `Refused` where the board can have no such score."""
    if text is None:
        return None
    read = number(text, option)
    score = Decimal(text) if isinstance(read, float) else read
    try:
        view.rules.score_bound(score)
    except Refused as error:
        raise Refused(option, error.reason) from None
    return score
