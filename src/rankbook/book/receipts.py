"""Receipts as the store keeps them, and as callers get them.

A stored receipt is a msgpack array with five numbers for each ranking that the event touched, in
the order of the rankings' names, which stays when a book's boards or splits are written in another:

    [ [why, previous score, score, previous rank, rank], ... ]

`why` is an index into WHYS, ranks are 1-based or nil, as scores are where there was none. What the
rankings are called follows from the event, so an event with four rankings takes about 40 bytes.
Under `NOTE`, where no event can be, stands the specification that the rankings were made under.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from rankbook.book import events
from rankbook.errors import Corrupt
from rankbook.log.base import Recorded
from rankbook.model import Number, Placement, Receipt
from rankbook.rules import BoardRules, Ranking
from rankbook.rules.instants import instant

if TYPE_CHECKING:
    from rankbook.book.fold import Outcome
    from rankbook.book.places import Ranks

NOTE = 0
WHYS = ("new", "better", "earlier", "not-better")
CHANGED = ("new", "better", "earlier")

Line = tuple[int, Number | None, Number | None, int | None, int | None]

_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(list[Line])
_index = {why: index for index, why in enumerate(WHYS)}


def pack(outcomes: Sequence["Outcome"], ranks: Sequence["Ranks"]) -> bytes:
    """The stored receipt of an event's outcomes."""
    lines: list[Line] = []
    ordered = sorted(zip(outcomes, ranks, strict=True), key=_ranking_name)
    for outcome, (was, now) in ordered:
        score = outcome.rules.key_score
        before, after = outcome.before, outcome.after
        old = None if before is None else score(before)
        new = None if after is None else score(after)
        lines.append((_index[outcome.why], old, new, was, now))
    return _encoder.encode(lines)


def _ranking_name(pair: tuple["Outcome", "Ranks"]) -> str:
    return pair[0].ranking.name


def receipt(boards: Sequence[BoardRules], recorded: Recorded, stored: bytes | None) -> Receipt:
    """The receipt of a recorded event; "pending" where none is stored yet. Raises `Corrupt`."""
    placements: tuple[Placement, ...] = ()
    if stored is not None:
        placements = tuple(_placements(boards, recorded, stored))
    return Receipt(
        event_id=recorded.id,
        player=recorded.player,
        at=instant(recorded.at_us),
        recorded_at=instant(recorded.received_us),
        status="pending" if stored is None else "ranked",
        rankings=placements,
    )


def _placements(boards: Sequence[BoardRules], recorded: Recorded, stored: bytes) -> list[Placement]:
    try:
        lines = _decoder.decode(stored)
    except msgspec.DecodeError as error:
        raise Corrupt(f"the receipt of event {recorded.id!r} cannot be read") from error
    values = events.body(recorded).values
    touched = [ranking for b in boards for ranking in b.rankings(values, recorded.at_us)]
    if len(touched) != len(lines):
        raise Corrupt(f"the receipt of event {recorded.id!r} is of other boards")
    line_of = dict(zip(sorted([ranking.name for ranking in touched]), lines, strict=True))
    return [_placement(ranking, line_of[ranking.name]) for ranking in touched]


def _placement(ranking: Ranking, line: Line) -> Placement:
    why, old, new, was, now = line
    return Placement(
        board=ranking.board,
        window=ranking.window,
        period=ranking.period,
        tags=dict(ranking.tags),
        changed=WHYS[why] in CHANGED,
        why=WHYS[why],
        previous_score=old,
        score=new,
        previous_rank=was,
        rank=now,
    )
