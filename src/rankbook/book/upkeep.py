"""Looking after a book: what it holds, whether it agrees with its log, and mending it."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from rankbook.book import rebuilding, specification
from rankbook.book.backup import Backup, backup
from rankbook.book.bundles import BundleCache
from rankbook.book.doctor import Examination, examine
from rankbook.book.fold import Folder, Progress
from rankbook.book.reconcile import Verification, compare
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
    _folder: Folder
    _bundles: BundleCache
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
        note = specification.note(self.spec)
        if board is None:
            position = self._rebuild(None, note, progress)
            self._outdated = False
            return position
        self.spec.board(board)
        if self._outdated:
            raise RebuildNeeded("the specification has changed: every ranking must be made anew")
        return self._rebuild(rebuilding.of_board(board, period), note, progress)

    def _rebuild(
        self, wanted: rebuilding.Wanted | None, note: bytes, progress: Progress | None
    ) -> int:
        making = rebuilding.Making(
            self._boards, self.log, self.store, note, self._folder.fold, self._outdated
        )
        try:
            return rebuilding.rebuild(making, wanted, progress)
        finally:
            self._bundles.forget()

    def repair(self, *, progress: Progress | None = None) -> Verification:
        """Mend what `verify` finds, and say what that was: a second repair finds nothing.

        Exactly the rankings that disagree are made anew from the log and replaced in one step;
        where the store's own form is broken, all of them are.
        """
        found = self.verify(progress=progress)
        if found.faults:
            self._rebuild(None, specification.note(self.spec), progress)
        elif found.disagreements:
            names = {each.ranking for each in found.disagreements}
            self._rebuild(lambda name: name in names, specification.note(self.spec), progress)
        return found

    def verify(self, *, progress: Progress | None = None) -> Verification:
        """Fold the log anew, beside, and compare it with both indexes of every ranking.

        Submissions go on meanwhile: everything is compared at one log position. `progress` is
        told numbers of events folded and entries compared. Raises `StoreError` for a store that
        cannot be walked.
        """
        auditable = self.store
        if not isinstance(auditable, Auditable):
            raise StoreError("this store cannot be walked, so it cannot be verified")
        told = progress or _untold
        for _attempt in range(rebuilding.ATTEMPTS):
            forgotten = rebuilding.erasures(self.log)
            found = self._verify(auditable, told)
            if rebuilding.erasures(self.log) == forgotten:
                return found
        raise StoreError("players are forgotten faster than the log can be verified")

    def _verify(self, auditable: Auditable, told: Progress) -> Verification:
        with tempfile.TemporaryDirectory(prefix="rankbook-verify-") as beside:
            shadow = open_store("embedded:", Path(beside))
            try:
                with auditable.audit() as actual:
                    folder = Folder(self._boards, self.log, shadow, b"")
                    folder.fold(until=actual.position, progress=told)
                    assert isinstance(shadow, Auditable)
                    with shadow.audit() as expected:
                        return compare(self._rules, expected, actual, self.log.head(), told)
            finally:
                shadow.close()


def _untold(_number: int) -> None:
    """Progress that nobody wants to hear of."""
