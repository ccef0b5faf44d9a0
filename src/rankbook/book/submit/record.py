"""Recording: drafts go into the log, and a retry of an event gives its first record."""

from collections.abc import Callable, Sequence

from rankbook.book import events
from rankbook.errors import EventConflict
from rankbook.log.base import Draft, Log, Recorded, Recording


def record(
    append: Callable[[Sequence[Draft]], Recording], log: Log, drafts: Sequence[Draft]
) -> Recording:
    """Append drafts to `log`. Raises `EventConflict` where an id is recorded with other content.

    The log compares bodies as bytes. Those of earlier releases may spell the same content in
    another way: such a retry is appended with the body that is recorded.
    """
    try:
        return append(drafts)
    except EventConflict:
        known = {each.id: each for each in log.find([draft.id for draft in drafts]) if each}
        respelled = [_respelled(draft, known.get(draft.id)) for draft in drafts]
        if respelled == list(drafts):
            raise
    return append(respelled)


def _respelled(draft: Draft, known: Recorded | None) -> Draft:
    if (
        known is None
        or not known.intact
        or (draft.kind, draft.player) != (known.kind, known.player)
    ):
        return draft
    same = events.same_content(draft.body, known.body)
    return draft._replace(body=known.body) if same else draft
