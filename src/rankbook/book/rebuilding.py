"""Rebuilding a book's rankings from its log: beside the old ones, and then in their place."""

import shutil
from pathlib import Path

from rankbook.book import specification
from rankbook.book.fold import Folder, Progress
from rankbook.errors import StoreError
from rankbook.log import open_log
from rankbook.rules import BoardRules, BookSpec
from rankbook.store import open_store, swap_store

BESIDE = "rankings.rebuild"


def rebuild(spec: BookSpec, directory: Path, progress: Progress | None = None) -> int:
    """Fold the whole log under `spec` into new rankings, and put them in the place of the old.

    Nobody may have the book open: raises `StoreError` then, with the old rankings as they were.
    `progress` is told numbers of events. Returns the position reached. A rebuild that was
    interrupted begins anew.
    """
    beside = directory / BESIDE
    shutil.rmtree(beside, ignore_errors=True)
    log = open_log(spec.log, directory, create=False)
    try:
        store = open_store(f"embedded:{BESIDE}", directory)
        try:
            rules = [BoardRules(board) for board in spec.boards]
            Folder(rules, log, store, specification.note(spec)).fold(progress=progress)
            position = store.position()
        finally:
            store.close()
        try:
            swap_store(spec.store, directory, beside)
        except StoreError:
            shutil.rmtree(beside)
            raise
    finally:
        log.close()
    return position
