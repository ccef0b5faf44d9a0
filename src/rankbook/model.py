"""The nouns of Rankbook as frozen structs: what callers submit, and what they get back.

Instants are microseconds since 1970-01-01 UTC inside (``*_us``) and RFC 3339 UTC outside.
Ranks are 1-based here, as a person sees them; positions below this floor are 0-based.
"""

from datetime import datetime
from decimal import Decimal
from typing import Literal

import msgspec

Value = int | float | str
Kind = Literal["result", "void", "correct", "ban", "unban", "profile", "forget", "seal"]
Number = int | float | Decimal


class Event(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One fact, as a caller submits it.

    `id` is the idempotency key; when empty, the book gives one and no retry is recognised.
    `at` is when it happened (with a zone), or None for the moment it is recorded.
    `values` feed measures, splits and details; `profile` is the player's name, avatar and so on.
    """

    player: str
    values: dict[str, Value] = {}
    id: str = ""
    at: datetime | None = None
    profile: dict[str, str] = {}
    sequence: int | None = None
    kind: Kind = "result"
    target: str = ""


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """One concrete window of time: [start, end). Both are None for all-time."""

    id: str
    start: datetime | None
    end: datetime | None
    zone: str


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A player's row in a ranking. `rank` is 1-based under the board's numbering.

    `score` is the first measure of the board's order; `reached_at` is when the stored result
    was reached, which repeating the same score does not move.
    """

    rank: int
    player: str
    score: Number
    measures: dict[str, Number]
    details: dict[str, Value | None]
    profile: dict[str, str]
    event_id: str
    reached_at: datetime


class Standings(msgspec.Struct, frozen=True, kw_only=True):
    """Some entries of one ranking, and what they are entries of: one consistent snapshot.

    `count` is the number of entries in the whole ranking.
    """

    board: str
    window: str
    period: Period
    tags: dict[str, str]
    count: int
    entries: tuple[Entry, ...]


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """What one event did in one ranking.

    `changed` says whether the entry was replaced; `why` says it in a word: new, better, earlier,
    not-better. Ranks and scores are those before and after the step that published the event
    (a step holds a whole batch); None where there was no entry or ranks were not asked for.
    """

    board: str
    window: str
    period: str
    tags: dict[str, str]
    changed: bool
    why: str
    previous_score: Number | None
    score: Number | None
    previous_rank: int | None
    rank: int | None


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a submission. The same id and content always gets the same receipt.

    `status` is "ranked" when every ranking below has been published, "pending" when the event is
    recorded durably and the next fold will apply it.
    """

    event_id: str
    player: str
    at: datetime
    recorded_at: datetime
    status: Literal["ranked", "pending"]
    rankings: tuple[Placement, ...] = ()
