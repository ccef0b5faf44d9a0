"""Submissions: the newest events of the log, and one of them step by step, from its receipt."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from rankbook.book import Rankbook, content_of
from rankbook.errors import NotFound, Refused, StoreError
from rankbook.http.pages.selection import Params, query
from rankbook.log import Recorded
from rankbook.model import EventOutcome, Number, Placement, Receipt, Value
from rankbook.rules import BoardRules, instant
from rankbook.rules.display import name_of

NEWEST = 25
WHYS = {
    "new": "the player had no entry here, and has one now",
    "better": "it is better than the stored result, and takes its place",
    "earlier": "it equals the stored result and was reached earlier, so it takes its place",
    "not-better": "the stored result is as good or better, and stays",
    "newer": "it is newer than the stored result, and takes its place",
    "older": "the stored result is newer, and stays",
    "not-first": "an earlier result counts here, and stays",
    "added": "it is added to the player's total",
    "no-change": "the total is the same with it",
    "overflow": "the total would be past what the measure can hold",
    "cooldown": "it came within the cooldown after the player's last one",
    "period_closed": "the period had closed before it came",
    "banned": "the player is banned",
    "expired": "the period is no longer kept",
    "unchanged": "nothing here depends on it",
    "removed": "the player's entry is gone",
    "restored": "the player's entry is back",
    "replaced": "another result of the player counts now",
}


class Line(msgspec.Struct, frozen=True):
    """An event in the list of the newest events."""

    seq: int
    event: str
    kind: str
    player: str
    name: str
    at_us: int
    changed: int
    rankings: int
    status: str
    values: tuple[tuple[str, Any], ...]


class Newest(msgspec.Struct, frozen=True):
    """A page of the newest events; `older` is the query of the next one."""

    lines: tuple[Line, ...]
    older: str


class Step(msgspec.Struct, frozen=True):
    """A step of the walk: `about` is recorded, ranking, published, waiting or aside."""

    number: int
    about: str
    title: str
    placement: Placement | None
    query: str


class Walk(msgspec.Struct, frozen=True, kw_only=True):
    """A submission step by step; `step` is the one on the page. `measured` has the result's own
    score on each board that can measure it."""

    event: str
    recorded: Recorded
    player: str
    name: str
    outcome: EventOutcome
    values: tuple[tuple[str, Any], ...]
    measured: dict[str, Number]
    steps: tuple[Step, ...]
    step: Step
    before: Step | None
    after: Step | None
    changed: int


def newest(book: Rankbook, params: Params) -> Newest:
    """The newest events, or those before a position."""
    head = book.log.head()
    asked = params.get("before", "")
    before = int(asked) if asked.isascii() and asked.isdigit() and len(asked) < 19 else head + 1
    last = min(before - 1, head)
    found = book.log.read(max(0, last - NEWEST), NEWEST)
    kept = [each for each in found if each.seq <= last]
    more = bool(kept) and kept[0].seq > 1
    older = query({"before": kept[0].seq}) if more else ""
    receipts: Sequence[Receipt | None] = [None] * len(kept)
    with suppress(StoreError):  # Without receipts every event is shown as recorded.
        receipts = book.receipts(kept)
    return Newest(tuple(reversed([*map(_line, kept, receipts)])), older)


def _line(recorded: Recorded, receipt: Receipt | None) -> Line:
    placements = receipt.rankings if receipt else ()
    told = content_of(recorded)
    return Line(
        recorded.seq,
        recorded.id,
        recorded.kind,
        recorded.player,
        name_of(told.profile, recorded.player) if recorded.player else "",
        recorded.received_us,
        sum([each.changed for each in placements]),
        len(placements),
        receipt.status if receipt else "recorded",
        tuple(told.values.items()),
    )


def walk(book: Rankbook, params: Params) -> Walk:
    """One submission at the step that the query asks for. Raises `NotFound` for no such event."""
    id = params.get("event", "")
    [recorded] = book.log.find([id]) if id else [None]
    if recorded is None:
        raise NotFound(f"no event {id!r} is recorded")
    outcome = book.outcome(id)
    told = content_of(recorded)
    steps = tuple(_steps(id, outcome))
    at = _within(params.get("step", ""), len(steps))
    placements = outcome.receipt.rankings if outcome.receipt else ()
    return Walk(
        event=id,
        recorded=recorded,
        player=recorded.player,
        name=name_of(told.profile, recorded.player) if recorded.player else "",
        outcome=outcome,
        values=tuple(told.values.items()),
        measured=_measured(book, told.values) if recorded.kind == "result" else {},
        steps=steps,
        step=steps[at],
        before=steps[at - 1] if at else None,
        after=steps[at + 1] if at + 1 < len(steps) else None,
        changed=sum([each.changed for each in placements]),
    )


def _measured(book: Rankbook, values: Mapping[str, Value]) -> dict[str, Number]:
    found: dict[str, Number] = {}
    for board in book.spec.boards:
        rules = BoardRules(board)
        with suppress(Refused):
            found[board.name] = rules.score(rules.measure(values))
    return found


def _steps(id: str, outcome: EventOutcome) -> list[Step]:
    abouts: list[tuple[str, str, Placement | None]] = [("recorded", "Recorded", None)]
    if outcome.status == "ranked" and outcome.receipt is not None:
        abouts += [("ranking", "Ranking", each) for each in outcome.receipt.rankings]
        abouts.append(("published", "Published together", None))
    elif outcome.status == "set_aside":
        abouts.append(("aside", "Set aside", None))
    else:
        abouts.append(("waiting", "Waiting to be ranked", None))
    return [
        Step(number, about, title, placement, query({"event": id, "step": number}))
        for number, (about, title, placement) in enumerate(abouts, 1)
    ]


def _within(text: str, count: int) -> int:
    """A step's 0-based place. If there is no such step, the nearest one."""
    asked = int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 1
    return min(max(asked, 1), count) - 1


def facts(recorded: Recorded) -> Mapping[str, Any]:
    """When an event happened and when it was recorded, as datetimes."""
    return {"at": instant(recorded.at_us), "recorded_at": instant(recorded.received_us)}
