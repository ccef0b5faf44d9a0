"""What changed between two log positions, read from the log and its receipts.

A client that knows a position can catch up from it, whichever process published the changes.
Several changes of one player in one ranking become one, from before the first to after the last.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Iterable

import msgspec
from litestar.concurrency import sync_to_thread

from rankbook.book import Rankbook
from rankbook.errors import LogError, StoreError
from rankbook.model import Number, Placement, Receipt

KEPT_READS = 64


class RankChange(msgspec.Struct, frozen=True, kw_only=True):
    """The change of one player in one ranking. Ranks are those when the last event was ranked. None
    stands for no entry, or for a rank that was left out."""

    player: str
    previous_score: Number | None
    score: Number | None
    previous_rank: int | None
    rank: int | None
    why: str


class RankingMoves(msgspec.Struct, frozen=True, kw_only=True):
    """The players whose entries in one ranking changed, in the order of their first change."""

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
    """Too many changes to list. The client should read the rankings again."""


class ChangeFeed:
    """The changes between two positions, read once for all streams that want the same."""

    def __init__(self, book: Rankbook, most_events: int) -> None:
        """`most_events` is the largest number of events that are read for one answer."""
        self._book = book
        self._most_events = most_events
        self._reads: OrderedDict[tuple[int, int], asyncio.Task[dict[str, Changes]]] = OrderedDict()

    async def between(self, after: int, until: int) -> dict[str, Changes]:
        """What changed, by board. Raises `TooFar`, `LogError` or `StoreError`."""
        key = after, until
        task = self._reads.get(key)
        if task is None:
            task = self._reads[key] = asyncio.create_task(self._read(after, until))
            if len(self._reads) > KEPT_READS:
                self._reads.popitem(last=False)
        try:
            return await asyncio.shield(task)
        except (LogError, StoreError):
            self._reads.pop(key, None)
            raise

    async def _read(self, after: int, until: int) -> dict[str, Changes]:
        found = await sync_to_thread(between, self._book, after, until, self._most_events)
        return {each.board: each for each in found}


def between(book: Rankbook, after: int, until: int, most: int) -> list[Changes]:
    """What changed on each board from the position `after` to `until`.

    Raises `TooFar` if that is more than `most` events, or beyond the end of the log.
    """
    if after > until:
        raise TooFar
    recorded = [each for each in book.log.read(after, most + 1) if each.seq <= until]
    if len(recorded) > most:
        raise TooFar
    found = book.receipts(recorded)
    return coalesced([each for each in found if each is not None], until)


def coalesced(found: Iterable[Receipt], position: int) -> list[Changes]:
    """The changes in these receipts, for each board."""
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
