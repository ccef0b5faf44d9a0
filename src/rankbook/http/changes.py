"""What changed between two log positions, read from the log and its receipts.

So whoever knows a position can be told everything since, whichever process published it. Several
changes of one player in one ranking become one: what was before the first, and what is after the
last.
"""

from collections.abc import Iterable

import msgspec

from rankbook.book.fold import receipts
from rankbook.book.measure import Measurer
from rankbook.log.base import Log
from rankbook.model import Number, Placement, Receipt
from rankbook.store.base import Store

NO_TAGS: dict[str, str] = {}


class RankChange(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one player in one ranking. Ranks are those when the last event was ranked;
    None is no entry, or a rank that was not asked for."""

    player: str
    previous_score: Number | None
    score: Number | None
    previous_rank: int | None
    rank: int | None
    why: str


class RankingMoves(msgspec.Struct, frozen=True, kw_only=True):
    """The players whose entries in one ranking changed, in the order in which they first did."""

    window: str
    period: str
    tags: dict[str, str]
    moves: tuple[RankChange, ...]


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """What changed on one board up to `position`, in `events` events."""

    board: str
    position: int
    events: int
    rankings: tuple[RankingMoves, ...]


class TooFar(Exception):
    """More happened since than is told one by one: whoever asks reads the rankings anew."""


def between(
    log: Log, store: Store, measurer: Measurer, after: int, until: int, most: int
) -> list[Changes]:
    """What changed on each board from the position `after` to `until`.

    Raises `TooFar` where that is more than `most` events, or what was published is no longer told.
    """
    if after > until:
        raise TooFar
    recorded = [each for each in log.read(after, most + 1) if each.seq <= until]
    if len(recorded) > most:
        raise TooFar
    stored = store.receipts([each.seq for each in recorded])
    found = [
        receipts.receipt(measurer, each, kept)
        for each, kept in zip(recorded, stored, strict=True)
        if kept is not None
    ]
    return coalesced(found, until)


def coalesced(found: Iterable[Receipt], position: int) -> list[Changes]:
    """What these receipts changed, for each board."""
    events: dict[str, set[str]] = {}
    moves: dict[str, dict[tuple[str, str, tuple[tuple[str, str], ...]], dict[str, RankChange]]] = {}
    for receipt in found:
        for each in receipt.rankings:
            if each.changed:
                events.setdefault(each.board, set()).add(receipt.event_id)
                key = (each.window, each.period, tuple(sorted(each.tags.items())))
                players = moves.setdefault(each.board, {}).setdefault(key, {})
                players[receipt.player] = _joined(players.get(receipt.player), receipt, each)
    return [
        Changes(
            board=board,
            position=position,
            events=len(events[board]),
            rankings=tuple(
                [
                    RankingMoves(
                        window=window, period=period, tags=dict(tags), moves=tuple(each.values())
                    )
                    for (window, period, tags), each in rankings.items()
                ]
            ),
        )
        for board, rankings in moves.items()
    ]


def _joined(before: RankChange | None, receipt: Receipt, now: Placement) -> RankChange:
    first = now if before is None else before
    return RankChange(
        player=receipt.player,
        previous_score=first.previous_score,
        score=now.score,
        previous_rank=first.previous_rank,
        rank=now.rank,
        why=now.why,
    )
