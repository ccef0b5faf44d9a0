"""Verifying: each part is folded again in a scratch store, and compared with what it serves."""

from collections.abc import Mapping

from msgspec.structs import replace

from rankbook.book.fold.folder import Folder
from rankbook.book.parts.folding import Part, Parts
from rankbook.book.parts.store import auditable
from rankbook.book.upkeep.compare import Verification, compare
from rankbook.book.upkeep.scratch import scratch
from rankbook.errors import StoreError
from rankbook.log.base import Log
from rankbook.rules import BoardRules
from rankbook.store import open_store
from rankbook.store.base import Auditable, Progress

ATTEMPTS = 100
CHUNK = 1000


def verify_parts(
    parts: Parts, boards: Mapping[str, BoardRules], log: Log, progress: Progress
) -> list[Verification]:
    """What `Rankbook.verify` finds, for each part."""
    return [_verify_part(part, boards, log, progress) for part in parts.parts]


def _verify_part(
    part: Part, boards: Mapping[str, BoardRules], log: Log, progress: Progress
) -> Verification:
    """Verify one part. Begins again if a player was erased from the log meanwhile."""
    walked = auditable(part.store)
    for _attempt in range(ATTEMPTS):
        forgotten = erasures(log)
        found = _verify(part, walked, boards, log, progress)
        if erasures(log) == forgotten:
            return found
    raise StoreError("players are forgotten faster than the log can be verified")


def _verify(
    part: Part,
    walked: Auditable,
    boards: Mapping[str, BoardRules],
    log: Log,
    progress: Progress,
) -> Verification:
    with scratch() as place:
        shadow = open_store("embedded:", place)
        try:
            with walked.audit() as actual:
                folder = Folder(part.boards, log, shadow, None, scope=part.scope)
                folder.fold(until=actual.position, progress=progress)
                with auditable(shadow).audit() as expected:
                    found = compare(boards, expected, actual, log.head(), progress)
                    return _with_receipts(found, _lost_receipts(part, log, actual.position))
        finally:
            shadow.close()


def _lost_receipts(part: Part, log: Log, position: int) -> int:
    """How many events up to a position have lost the receipt that was published with them."""
    lost = after = 0
    while after < position:
        seqs = [each.seq for each in log.read(after, CHUNK) if each.seq <= position]
        if not seqs:
            break
        lost += sum(1 for receipt in part.store.receipts(seqs) if receipt is None)
        after = seqs[-1]
    return lost


def _with_receipts(found: Verification, lost: int) -> Verification:
    if not lost:
        return found
    fault = f"the receipts of {lost:,} events are lost"
    return replace(found, agrees=False, faults=(*found.faults, fault))


def erasures(log: Log) -> int:
    """How many players have been erased from the log. O(events erased).

    If a player is erased during a fold, the fold may have read the player's events but not the
    forget. Then it must begin again.
    """
    return sum(1 for event in log.of_player("", log.head()) if event.kind == "forget")
