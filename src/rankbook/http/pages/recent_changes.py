"""What has just changed a ranking: the newest results that did, from their receipts."""

import msgspec

from rankbook.book import Rankbook
from rankbook.book.events import Body, Unreadable, body
from rankbook.log.base import Recorded
from rankbook.model import Placement, Standings
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


def recent_changes(book: Rankbook, standings: Standings) -> tuple[RecentChange, ...]:
    """The newest changes of a ranking, among the last events of the log."""
    made: list[RecentChange] = []
    for recorded in reversed(book.log.read(max(0, book.log.head() - LOOKED_AT), LOOKED_AT)):
        found = _placed(book, recorded, standings) if recorded.kind == "result" else None
        if found is not None:
            was, now = found.previous_rank, found.rank
            name = name_of(content_of(recorded).profile, recorded.player)
            moved = was - now if was and now else 0
            made.append(RecentChange(recorded.id, recorded.player, name, found, moved))
        if len(made) == SHOWN:
            break
    return tuple(made)


def _placed(book: Rankbook, recorded: Recorded, standings: Standings) -> Placement | None:
    receipt = book.outcome(recorded.id).receipt
    wanted = (standings.board, standings.window, standings.period.id, standings.tags)
    for each in receipt.rankings if receipt else ():
        if (each.board, each.window, each.period, each.tags) == wanted:
            return each if each.changed and each.rank else None
    return None


def content_of(recorded: Recorded) -> Body:
    """What an event says; nothing where it cannot be read any more."""
    if recorded.kind == "forgotten":
        return Body()
    try:
        return body(recorded)
    except Unreadable:
        return Body()
