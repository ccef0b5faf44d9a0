"""Looking after a book: what it holds, whether it agrees with its log, and mending it."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from rankbook.book.fold.folder import Folder, Progress
from rankbook.book.manifest import Manifest
from rankbook.book.parts.folding import Part, shared
from rankbook.book.parts.store import auditable
from rankbook.book.read.bundles import BundleCache
from rankbook.book.upkeep.backup import Backup, backup
from rankbook.book.upkeep.doctor import Examination, examine
from rankbook.book.upkeep.rebuild import ATTEMPTS, Making, Wanted, erasures, of_board, rebuild_part
from rankbook.book.upkeep.verify import Verification, compare, joined
from rankbook.errors import RebuildNeeded, StoreError
from rankbook.log.base import Followable
from rankbook.rules import BoardRules, BookSpec
from rankbook.store import open_store
from rankbook.store.base import Auditable, Store


class Upkeep:
    """The part of a Rankbook that checks and mends; the rest is in book.py."""

    spec: BookSpec
    log: Followable
    store: Store
    _clock: Callable[[], int]
    _rules: dict[str, BoardRules]
    _boards: tuple[BoardRules, ...]
    _parts: tuple[Part, ...]
    _bundles: BundleCache
    _manifest: Manifest
    _ready: Callable[[], None]
    _outdated: bool

    def doctor(self, *, progress: Progress | None = None) -> Examination:
        """What the book holds on disk, and every broken invariant of its store's form.

        `progress` is told numbers of entries looked at.
        """
        return examine(self.log, self.store, self._clock(), progress or _untold)

    def backup(self, directory: str | Path, progress: Progress | None = None) -> Backup:
        """Copy log, rankings and rankbook.toml into a directory that is missing or empty.

        Submissions and reads go on meanwhile. A log in PostgreSQL is left to its server's own
        backup. `progress` is told numbers of bytes. Raises `BookError` for another directory.
        """
        return backup(self.spec, self.log, self.store, Path(directory), progress or _untold)

    def rebuild(
        self,
        *,
        board: str | None = None,
        period: str | None = None,
        progress: Progress | None = None,
    ) -> int:
        """Make rankings anew from the log, beside those that are served, and then serve them.

        All of them, or those of one board, or of one period of it. Submissions and reads go on
        meanwhile; a rebuild that was killed goes on where it was. Returns the log position
        reached; `progress` is told numbers of events. Processes that have the book open under
        another specification must be started again. Raises `NotFound` for no such board,
        `RebuildNeeded` where the specification has changed and not everything is made anew.
        """
        if board is None:
            position = self._rebuild([(part, None) for part in self._parts], progress)
            self._outdated = False
            return position
        self.spec.board(board)
        self._ready()
        if self._outdated:
            raise RebuildNeeded("the specification has changed: every ranking must be made anew")
        wanted = of_board(board, period)
        having = [part for part in self._parts if self._rules[board] in part.boards]
        return self._rebuild([(part, wanted) for part in having], progress)

    def _rebuild(
        self, made: Sequence[tuple[Part, Wanted | None]], progress: Progress | None
    ) -> int:
        """Make rankings of these parts anew; the least position reached."""
        told = shared(progress, len(made))
        try:
            return min(
                [
                    rebuild_part(
                        Making(
                            part.boards,
                            self.log,
                            part.store,
                            self._manifest,
                            part.folder.fold,
                            self._outdated,
                            part.scope,
                        ),
                        wanted,
                        told,
                    )
                    for part, wanted in made
                ]
            )
        finally:
            self._bundles.forget()

    def repair(self, *, progress: Progress | None = None) -> Verification:
        """Mend what `verify` finds, and say what that was: a second repair finds nothing.

        Exactly the rankings that disagree are made anew from the log and replaced in one step, of
        each part of the book; where the store's own form is broken, all of them are.
        """
        found = self._verified(progress or _untold)
        mending = [
            (
                part,
                None if each.faults else {one.ranking for one in each.disagreements}.__contains__,
            )
            for part, each in zip(self._parts, found, strict=True)
            if not each.agrees
        ]
        if mending:
            self._rebuild(mending, progress)
        return self._joined(found)

    def verify(self, *, progress: Progress | None = None) -> Verification:
        """Fold the log anew, beside, and compare it with both indexes of every ranking.

        Submissions go on meanwhile: everything is compared at one log position, of each part of
        the book. `progress` is told numbers of events folded and entries compared. Raises
        `StoreError` for a store that cannot be walked.
        """
        return self._joined(self._verified(progress or _untold))

    def _joined(self, found: Sequence[Verification]) -> Verification:
        return joined(found, [part.name for part in self._parts])

    def _verified(self, told: Progress) -> list[Verification]:
        self._ready()
        return [self._verified_part(part, told) for part in self._parts]

    def _verified_part(self, part: Part, told: Progress) -> Verification:
        walked = auditable(part.store)
        for _attempt in range(ATTEMPTS):
            forgotten = erasures(self.log)
            found = self._verify(part, walked, told)
            if erasures(self.log) == forgotten:
                return found
        raise StoreError("players are forgotten faster than the log can be verified")

    def _verify(self, part: Part, walked: Auditable, told: Progress) -> Verification:
        with tempfile.TemporaryDirectory(prefix="rankbook-verify-") as beside:
            shadow = open_store("embedded:", Path(beside))
            try:
                with walked.audit() as actual:
                    folder = Folder(part.boards, self.log, shadow, None, scope=part.scope)
                    folder.fold(until=actual.position, progress=told)
                    with auditable(shadow).audit() as expected:
                        return compare(self._rules, expected, actual, self.log.head(), told)
            finally:
                shadow.close()


def _untold(_number: int) -> None:
    """Progress that nobody wants to hear of."""
