"""The newest results that changed a ranking, from their receipts."""

import msgspec

from rankbook.book import Rankbook, content_of
from rankbook.model import Placement, Receipt, Standings
from rankbook.rules.display import name_of

LOOKED_AT = 40
SHOWN = 6


class RecentChange(msgspec.Struct, frozen=True):
    """A result that changed the ranking; `moved` is how many places up the player went."""

    event: str
    player: str
    name: str
    placement: Placement
    moved: int


def recent_changes(book: Rankbook, standings: Standings, position: int) -> tuple[RecentChange, ...]:
    """The newest changes of a ranking, among the last events up to a position of the log."""
    read = book.log.read(max(0, position - LOOKED_AT), LOOKED_AT)
    results = [each for each in reversed(read) if each.seq <= position and each.kind == "result"]
    made: list[RecentChange] = []
    for recorded, receipt in zip(results, book.receipts(results), strict=True):
        found = _placed(receipt, standings)
        if found is not None and len(made) < SHOWN:
            was, now = found.previous_rank, found.rank
            name = name_of(content_of(recorded).profile, recorded.player)
            moved = was - now if was and now else 0
            made.append(RecentChange(recorded.id, recorded.player, name, found, moved))
    return tuple(made)


def _placed(receipt: Receipt | None, standings: Standings) -> Placement | None:
    wanted = (standings.board, standings.window, standings.period.id, standings.tags)
    for each in receipt.rankings if receipt else ():
        if (each.board, each.window, each.period, each.tags) == wanted:
            return each if each.changed and each.rank else None
    return None
