"""`rankbook histogram`: how the scores of a ranking are spread."""

from typing import Annotated

import typer

from rankbook.book import MAX_BINS
from rankbook.cli.call import RankingCall, subcommand
from rankbook.cli.screen.bars import histogram as draw

BINS = 10


@subcommand
def histogram(
    call: RankingCall,
    bins: Annotated[
        int, typer.Option("--bins", metavar="N", min=1, max=MAX_BINS, help="How many at most.")
    ] = BINS,
) -> None:
    """Show how many entries have which scores, in equal steps from the lowest to the highest."""
    with call.view() as view:
        found = view.spread(bins)
    call.answer(found, lambda: draw(found))
