"""The top of a ranking as last shown, and how to update it without reading all of it again."""

from collections.abc import Sequence

import msgspec

from rankbook.book import state
from rankbook.book.published import KeyChange, PublishedStep
from rankbook.book.read.source import RankingSource, each_beside
from rankbook.model import Standings
from rankbook.store.base import Answer, Row, sliced


class CachedTop(msgspec.Struct, frozen=True):
    """Rows of the top of a ranking, and the standings made from them. They belong to one version,
    with `count` entries in the whole ranking."""

    version: int
    count: int
    rows: Sequence[Row]
    beside: Sequence[bytes | None]
    standings: Standings


def refresh(
    view: RankingSource, answer: Answer, last: CachedTop | None, known: int | None
) -> CachedTop:
    """The top in an answer to the view's `top_query` with this `known`; the last one if nothing
    changed. Entries with the same bytes are not decoded again."""
    found = sliced(answer)
    entries = None
    if last is not None:
        if found.version == last.version == known:
            return last
        if (found.version, found.count) == (last.version, last.count) and (
            found.rows == last.rows and found.beside == last.beside
        ):
            return last
        beside = last.beside or each_beside(found)
        before = zip(last.rows, last.standings.entries, beside, strict=False)
        entries = {row: (entry, content) for row, entry, content in before}
    standings = view.standings(found, entries)
    return CachedTop(found.version, found.count, found.rows, found.beside, standings)


def advance(
    view: RankingSource, last: CachedTop, limit: int, steps: Sequence[PublishedStep]
) -> CachedTop | None:
    """The shown top after these steps. None if they may have changed its rows.

    `limit` is how many rows were asked for. If there were fewer, every entry is shown.
    """
    name, version, count = view.id.name, last.version, last.count
    for step in steps:
        changes = step.changes.get(name)
        if changes is not None:
            if len(last.rows) < limit or _touch(last.rows[-1], changes):
                return None
            for change in changes:
                count += (change.after is not None) - (change.before is not None)
            version = step.then
        if view.beside is not None and _show(last.rows, step.changes.get(state.PROFILES.name)):
            return None
    if version == last.version:
        return last
    standings = last.standings
    if count != last.count:
        standings = msgspec.structs.replace(standings, count=view.capped(count))
    return CachedTop(version, count, last.rows, last.beside, standings)


def _touch(last: Row, changes: Sequence[KeyChange]) -> bool:
    """Whether any entry has left or taken a place at or above the last row."""
    end = (last.key, last.member)
    for member, before, after in changes:
        if before is not None and (before, member) <= end:
            return True
        if after is not None and (after, member) <= end:
            return True
    return False


def _show(rows: Sequence[Row], changes: Sequence[KeyChange] | None) -> bool:
    """Whether any row belongs to a member that moved."""
    if changes is None:
        return False
    moved = {change.member for change in changes}
    return any(row.member in moved for row in rows)
