"""`rankbook top`: the first entries of a ranking."""

from rankbook.book import TOP
from rankbook.cli.call import RankingCall, subcommand
from rankbook.cli.options import LimitOption


@subcommand
def top(call: RankingCall, limit: LimitOption = TOP) -> None:
    """Show the first entries of a ranking."""
    with call.view() as view:
        found = view.top(limit)
    call.entries(found)
