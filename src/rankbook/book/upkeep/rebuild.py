"""Rebuilding and repairing: new rankings are made from the log in staging, and then served.

Meanwhile the served rankings are still read and folded. They are replaced in one step, once the new
ones have caught up. Staging stays in the store if the process is killed. The next rebuild of the
same kind continues from there, unless a player was forgotten meanwhile.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from rankbook.book import state
from rankbook.book.fold.folder import STEP_EVENTS, Folder
from rankbook.book.manifest import Manifest
from rankbook.book.parts.folding import Part, Parts
from rankbook.book.parts.progress import shared
from rankbook.book.upkeep.compare import Verification
from rankbook.book.upkeep.verify import erasures, verify_parts
from rankbook.errors import Corrupt, NotFound, StoreError
from rankbook.log.base import Log
from rankbook.rules import BoardRules, Ranking
from rankbook.store.base import MANIFEST, Progress, Rebuildable, Replaceable, Store

ATTEMPTS = 100
# Nobody waits for a step of a rebuild, and larger ones write a page once for more changes, which
# takes a tenth less time than steps of 1,000. A step holds what it reads and changes, some 4 KB an
# event. A server serves nobody else during a step, and may bound requests: there steps stay small.
LOCAL_STEP_EVENTS = 8000

Wanted = Callable[[str], bool]


class Rebuild(NamedTuple):
    """Makes rankings again: from the log, under a manifest.

    If the served rankings are `outdated`, they are not folded meanwhile.
    """

    log: Log
    manifest: Manifest
    outdated: bool

    def all(self, parts: Parts, progress: Progress | None) -> int:
        """Make every ranking again. Returns as `parts`."""
        return self.parts([(part, None) for part in parts.parts], progress)

    def board(
        self, parts: Parts, rules: BoardRules, period: str | None, progress: Progress | None
    ) -> int:
        """Make the rankings of a board, or of one period of it, again. Returns as `parts`."""
        wanted = of_board(rules.board.name, period)
        having = [(part, wanted) for part in parts.parts if rules in part.boards]
        return self.parts(having, progress)

    def parts(self, wanted: Sequence[tuple[Part, Wanted | None]], progress: Progress | None) -> int:
        """Make the wanted rankings of each part, or all of them, again. Returns the lowest position
        reached.

        Raises `StoreError` for a store that cannot keep rankings in staging.
        """
        told = shared(progress, len(wanted))
        return min([self._part(part, names, told) for part, names in wanted])

    def _part(self, part: Part, wanted: Wanted | None, progress: Progress | None) -> int:
        """Make rankings of a part anew, whatever is damaged in its store.

        What is in staging may be damaged, too: it is given up once. A store that still cannot be
        written is replaced whole, where it can be.
        """
        try:
            return self._staged(part, wanted, progress)
        except Corrupt:
            try:
                self._discard(part)
                return self._staged(part, wanted, progress)
            except Corrupt:
                if not isinstance(part.store, Replaceable):
                    raise
                return self.replaced(part, progress)

    def _discard(self, part: Part) -> None:
        if isinstance(part.store, Rebuildable):
            part.store.discard()

    def replaced(self, part: Part, progress: Progress | None) -> int:
        """Make a part's rankings anew in a store of their own, and serve that; the position."""
        store = part.store
        if not isinstance(store, Replaceable):
            raise Corrupt("the store is damaged and cannot be replaced")

        def fill(new: Store) -> None:
            folder = Folder(part.boards, self.log, new, self.manifest, scope=part.scope)
            forgotten = erasures(self.log)
            folder.fold(progress=progress, step_events=LOCAL_STEP_EVENTS)
            if erasures(self.log) != forgotten:
                raise StoreError("a player was forgotten meanwhile: repair again")

        store.replace(fill)
        part.folder.fold()
        return part.store.position()

    def _staged(self, part: Part, wanted: Wanted | None, progress: Progress | None) -> int:
        store = part.store
        if not isinstance(store, Rebuildable):
            raise StoreError("this store cannot make rankings beside those that it serves")
        for _attempt in range(ATTEMPTS):
            forgotten = erasures(self.log)
            manifest = BuildManifest(self.manifest, forgotten)
            staging = store.staging()
            if staging.receipts([MANIFEST]) not in ([None], [manifest.packed()]):
                store.discard()
                staging = store.staging()
            folder = Folder(part.boards, self.log, staging, manifest, scope=part.scope)
            step_events = STEP_EVENTS if store.remote else LOCAL_STEP_EVENTS
            folder.fold(progress=progress, step_events=step_events)
            if wanted is not None:
                part.folder.fold()
                folder.fold(until=part.store.position())
            position = staging.position()
            if erasures(self.log) != forgotten:
                continue
            if store.promote(wanted, self.manifest.packed(), behind=self.outdated):
                return position
        raise StoreError("the log grows faster than rankings can be made anew")


class BuildManifest(NamedTuple):
    """The manifest of rankings in staging. It also says how many players had been erased from the
    log when the rebuild began."""

    manifest: Manifest
    forgotten: int

    def packed(self) -> bytes:
        """The manifest as bytes to store."""
        return self.manifest.packed() + b"#%d" % self.forgotten

    def check_served(self, kept: bytes | None) -> None:
        """Raises `StoreError` if another process has begun a new build."""
        if kept not in (None, self.packed()):
            raise StoreError("another process has begun this rebuild anew")


def repair(
    rebuild: Rebuild, parts: Parts, boards: Mapping[str, BoardRules], progress: Progress
) -> list[Verification]:
    """Make exactly the rankings that differ again. Returns what was found in each part.

    If the store's own form is broken, all rankings of that part are made again.
    """
    found = _verified(rebuild, parts, boards, progress)
    mending = [
        (part, None if each.faults else {one.ranking for one in each.disagreements}.__contains__)
        for part, each in zip(parts.parts, found, strict=True)
        if not each.agrees
    ]
    if mending:
        rebuild.parts(mending, progress)
        again = verify_parts(parts, boards, rebuild.log, progress)
        for part, each in zip(parts.parts, again, strict=True):
            if not each.agrees and isinstance(part.store, Replaceable):
                rebuild.replaced(part, progress)
    return found


def _verified(
    rebuild: Rebuild, parts: Parts, boards: Mapping[str, BoardRules], progress: Progress
) -> list[Verification]:
    """What `verify` finds, also where a store cannot be read at all, which is then replaced."""
    lost: list[str] = []
    for part in parts.parts:
        if isinstance(part.store, Replaceable) and not part.store.is_readable():
            rebuild.replaced(part, progress)
            lost.append("the files of the store could not be read, and were made anew")
    try:
        found = verify_parts(parts, boards, rebuild.log, progress)
    except Corrupt as error:
        lost.append(str(error))
        for part in parts.parts:
            rebuild.replaced(part, progress)
        found = verify_parts(parts, boards, rebuild.log, progress)
    if not lost:
        return found
    return [replace(each, agrees=False, faults=(*lost, *each.faults)) for each in found]


def of_board(board: str, period: str | None) -> Wanted:
    """Whether this is the name of a ranking of the board and, if one is given, of the period."""

    def wanted(name: str) -> bool:
        if state.is_state(name):
            return False
        try:
            ranking = Ranking.parse(name)
        except NotFound:
            return False
        return ranking.board == board and period in (None, ranking.period)

    return wanted
