"""Rebuilding and repairing: rankings are made anew from the log beside those that are served.

The served ones go on being read and folded meanwhile, and are replaced in one step once the new
ones have come as far. What is being made stays in the store when the process is killed, and the
next rebuild of the same kind goes on from there, unless a player was forgotten meanwhile.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rankbook.book import state
from rankbook.book.fold.folder import STEP_EVENTS, Folder, Progress
from rankbook.book.manifest import Manifest
from rankbook.book.parts.partition import Scope
from rankbook.errors import NotFound, StoreError
from rankbook.log.base import Log
from rankbook.rules import BoardRules, Ranking
from rankbook.store.base import NOTE, Rebuildable, Store

ATTEMPTS = 100
# Nobody waits for a step here, and larger ones write a page once for more changes: that takes a
# tenth less time than steps of 1,000. A step holds what it reads and changes, some 4 KB an event.
# A server serves nobody else during a step, and requests may be bounded: there they stay small.
NEAR_STEP_EVENTS = 8000

Wanted = Callable[[str], bool]


class Making(NamedTuple):
    """What rankings are made of, and where: `manifest` names their specification and their log,
    `serve` folds what is served now as far as the log has come, and `outdated` rankings need
    not be served on. In a part of a book, by its `scope`."""

    boards: Sequence[BoardRules]
    log: Log
    store: Store
    manifest: Manifest
    serve: Callable[[], object]
    outdated: bool
    scope: Scope | None = None


class BuildManifest(NamedTuple):
    """The note of rankings that are being made: with how many players had been erased from the log
    when that began. They are nobody else's."""

    manifest: Manifest
    forgotten: int

    def packed(self) -> bytes:
        """As it is kept."""
        return self.manifest.packed() + b"#%d" % self.forgotten

    def check_served(self, kept: bytes | None) -> None:
        """Raises `StoreError` where what is being made is another's."""
        if kept not in (None, self.packed()):
            raise StoreError("what was being made beside was begun anew by another process")


def rebuild_part(making: Making, wanted: Wanted | None, progress: Progress | None = None) -> int:
    """Make the rankings anew whose names are wanted, or all, and serve them; the position reached.

    Raises `StoreError` for a store that cannot make rankings beside those that it serves.
    """
    store = making.store
    if not isinstance(store, Rebuildable):
        raise StoreError("this store cannot make rankings beside those that it serves")
    for _attempt in range(ATTEMPTS):
        forgotten = erasures(making.log)
        note = BuildManifest(making.manifest, forgotten)
        beside = store.staging()
        if beside.receipts([NOTE]) not in ([None], [note.packed()]):
            store.discard()
            beside = store.staging()
        folder = Folder(making.boards, making.log, beside, note, scope=making.scope)
        step_events = STEP_EVENTS if store.remote else NEAR_STEP_EVENTS
        folder.fold(progress=progress, step_events=step_events)
        if wanted is not None:
            making.serve()
            folder.fold(until=store.position())
        position = beside.position()
        if erasures(making.log) != forgotten:
            continue
        if store.promote(wanted, making.manifest.packed(), behind=making.outdated):
            return position
    raise StoreError("the log grows faster than rankings can be made beside")


def erasures(log: Log) -> int:
    """How many players have been erased from the log.

    Who folds the log while one is erased may have met the player's events and not who is to be
    forgotten: such a fold is begun anew. O(events erased).
    """
    return sum(1 for event in log.of_player("", log.head()) if event.kind == "forget")


def of_board(board: str, period: str | None) -> Wanted:
    """Whether a name is that of a ranking of the board, in the period where one is given."""

    def wanted(name: str) -> bool:
        if state.is_state(name):
            return False
        try:
            ranking = Ranking.parse(name)
        except NotFound:
            return False
        return ranking.board == board and period in (None, ranking.period)

    return wanted
