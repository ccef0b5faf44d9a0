"""Receipts as the store keeps them, and as callers get them.

A stored receipt is a msgpack array with a line for each ranking that the event touched, in the
order of the rankings' names:

    [ [why, previous score, score, previous rank, rank], ... ]               of a result
    [ [why, previous score, score, previous rank, rank, ranking], ... ]      of another event

In a part of a book it has lines for the rankings of that part, always with their names. The receipt
of an event that cannot be read is a text: the reason.

`why` is an index into WHYS. Ranks are 1-based; ranks and scores are nil where there was no entry.
The names of a result's rankings follow from the event, so a receipt with four lines takes about 40
bytes. Position 0 (`MANIFEST`), where no event can be, holds the manifest.
"""

from collections.abc import Sequence
from typing import Literal

import msgspec

from rankbook.book.fold.apply import Outcome
from rankbook.book.fold.rank_changes import Ranks
from rankbook.book.measure import MeasuredResult, Measurer
from rankbook.errors import Corrupt, NotFound
from rankbook.log.base import Recorded
from rankbook.model import Number, Placement, Receipt
from rankbook.rules import CHANGED, WHYS, Ranking, instant

Score = Number | None
Rank = int | None
Line = tuple[int, Score, Score, Rank, Rank]
NamedLine = tuple[int, Score, Score, Rank, Rank, str]

_encoder = msgspec.msgpack.Encoder()
_lines = msgspec.msgpack.Decoder(list[Line])
_named = msgspec.msgpack.Decoder(list[NamedLine])
_text = msgspec.msgpack.Decoder(str)
# First bytes of a msgpack text of up to 64 KiB.
_TEXTS = frozenset((*range(0xA0, 0xC0), 0xD9, 0xDA))
# The receipt of what touched no ranking.
NOTHING = b"\x90"
_index = {why: index for index, why in enumerate(WHYS)}


def pack(
    recorded: Recorded,
    outcomes: Sequence[Outcome],
    ranks: Sequence[Ranks],
    named: bool = False,
) -> bytes:
    """The stored receipt of an event's outcomes.

    The outcomes of a result come in the order of the rankings' names. A line holds its ranking's
    name only if `named`.
    """
    lines: list[Line | NamedLine] = []
    named = named or recorded.kind != "result"
    for outcome, (was, now) in zip(outcomes, ranks, strict=True):
        score = outcome.rules.key_score
        before, after = outcome.before, outcome.after
        old = None if before is None else score(before)
        new = old
        if after is not before:
            new = None if after is None else score(after)
        line = (_index[outcome.why], old, new, was, now)
        lines.append((*line, outcome.id.name) if named else line)
    return _encoder.encode(lines)


def pack_reason(reason: str) -> bytes:
    """The stored receipt of an event that was set aside."""
    return _encoder.encode(reason)


def reason(stored: bytes) -> str:
    """Why the event with this stored receipt was set aside. Empty if it was not."""
    return _text.decode(stored) if stored and stored[0] in _TEXTS else ""


def merge(stored: Sequence[bytes]) -> bytes | None:
    """Merge the receipts that several parts stored for one event, by the names of rankings.

    If a part set the event aside, the result is that reason. Raises `Corrupt`.
    """
    if len(stored) < 2:
        return stored[0] if stored else None
    lines: list[NamedLine] = []
    for each in stored:
        if reason(each):
            return each
        try:
            lines += _named.decode(each)
        except msgspec.DecodeError as error:
            raise Corrupt("the receipt of an event cannot be read in one part") from error
    lines.sort(key=lambda line: line[5])
    return _encoder.encode(lines)


def receipt(
    measurer: Measurer,
    recorded: Recorded,
    stored: bytes | None,
    result: MeasuredResult | None = None,
) -> Receipt:
    """The receipt of a recorded event; "pending" if none is stored yet.

    `result` is the measured event, if known. The receipt of a forgotten event no longer says what
    it did. Raises `Corrupt`.
    """
    placements: tuple[Placement, ...] = ()
    status: Literal["ranked", "pending", "set_aside"] = "pending"
    if stored is not None:
        status = "set_aside" if reason(stored) else "ranked"
    if stored is not None and status == "ranked" and recorded.kind != "forgotten":
        placements = tuple(_placements(measurer, recorded, stored, result))
    return Receipt(
        event_id=recorded.id,
        player=recorded.player,
        at=instant(recorded.at_us),
        recorded_at=instant(recorded.received_us),
        status=status,
        rankings=placements,
    )


def _placements(
    measurer: Measurer, recorded: Recorded, stored: bytes, result: MeasuredResult | None
) -> list[Placement]:
    try:
        if recorded.kind != "result":
            return [_placement(Ranking.parse(line[5]), line[:5]) for line in _named.decode(stored)]
        lines = _lines_of(stored)
    except (msgspec.DecodeError, NotFound) as error:
        raise Corrupt(f"the receipt of event {recorded.id!r} cannot be read") from error
    touched = measurer.declared(result or measurer.measure(recorded))
    if lines is None:
        return _of_parts(recorded, stored, touched)
    if len(touched) != len(lines) or any(line[0] >= len(WHYS) for line in lines):
        raise Corrupt(f"the receipt of event {recorded.id!r} is of other boards")
    line_of = dict(zip(sorted([ranking.name for ranking in touched]), lines, strict=True))
    return [_placement(ranking, line_of[ranking.name]) for ranking in touched]


def _lines_of(stored: bytes) -> list[Line] | None:
    """The lines of a result. None if each line names its ranking."""
    try:
        return _lines.decode(stored)
    except msgspec.ValidationError:
        _named.decode(stored)
        return None


def _of_parts(recorded: Recorded, stored: bytes, touched: Sequence[Ranking]) -> list[Placement]:
    """The placements of a result in the parts that have ranked it."""
    line_of = {line[5]: line[:5] for line in _named.decode(stored)}
    there = [ranking for ranking in touched if ranking.name in line_of]
    if len(there) != len(line_of) or any(line[0] >= len(WHYS) for line in line_of.values()):
        raise Corrupt(f"the receipt of event {recorded.id!r} is of other boards")
    return [_placement(ranking, line_of[ranking.name]) for ranking in there]


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
