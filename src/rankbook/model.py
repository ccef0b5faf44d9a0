"""The nouns of Rankbook as frozen structs: what callers submit, and what they get back.

Instants are microseconds since 1970-01-01 UTC inside (``*_us``) and RFC 3339 UTC outside.
Ranks are 1-based here, as a person sees them; positions below this floor are 0-based.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    Value = int | float | Decimal | str
else:  # msgspec has no union of text and Decimal
    Value = Annotated[
        Any, msgspec.Meta(extra_json_schema={"anyOf": [{"type": "number"}, {"type": "string"}]})
    ]
Kind = Literal["result", "void", "unvoid", "correct", "ban", "unban", "profile", "forget", "seal"]
Number = int | float | Decimal


class Event(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """One fact, as a caller submits it.

    `id` is the idempotency key; when empty, the book gives one and no retry is recognised.
    `at` is when it happened (with a zone), or None for the moment it is recorded.
    `values` feed measures, splits and details: texts and numbers. A whole number is kept as an
    integer, and a `Decimal` exactly. `profile` is the player's name, avatar and so on.
    """

    player: str
    values: dict[str, Value] = {}
    id: str = ""
    at: datetime | None = None
    profile: dict[str, str] = {}
    sequence: int | None = None
    kind: Kind = "result"
    target: str = ""


EventLike = Event | Mapping[str, Any]
"""What may be submitted: an event, or a dict of its fields."""


class Period(msgspec.Struct, frozen=True, kw_only=True):
    """One concrete window of time: [start, end). Both are None for all-time.

    A sealed period takes no more results.
    """

    id: str
    start: datetime | None
    end: datetime | None
    zone: str
    sealed: bool = False


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A player's row in a ranking. `rank` is 1-based under the board's numbering.

    `score` is the first measure of the board's order; `reached_at` is the `at` of the stored
    result. Repeating the same score does not move it, except on a board with `keep = "latest"`:
    there the newest result is always the one that is stored.
    """

    rank: int
    player: str
    score: Number
    measures: dict[str, Number]
    details: dict[str, Value | None]
    profile: dict[str, str]
    event_id: str
    reached_at: datetime


class Standings(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Some entries of one ranking, and what they are entries of: one consistent snapshot.

    `count` is the number of entries in the whole ranking. A page has cursors to the pages `next`
    to it and `previous`, where there are any.
    """

    board: str
    window: str
    period: Period
    tags: dict[str, str]
    count: int
    entries: tuple[Entry, ...]
    next: str | None = None
    previous: str | None = None


class PlayerStanding(msgspec.Struct, frozen=True, kw_only=True):
    """How a player stands in one ranking: every figure is of one snapshot.

    `count` is the number of entries in the whole ranking. `percentile` is the share, 0 to 100, of
    the other entries that do not stand better. Without an entry of the player, `entry`, `rank` and
    `percentile` are None.
    """

    board: str
    window: str
    period: Period
    tags: dict[str, str]
    count: int
    player: str
    rank: int | None
    percentile: float | None
    entry: Entry | None


class Friend(msgspec.Struct, frozen=True, kw_only=True):
    """One of a set of players: the rank among them, and the entry with its rank among all."""

    rank_among: int
    entry: Entry


class Friends(msgspec.Struct, frozen=True, kw_only=True):
    """A set of players in one ranking, best first. `missing` are those without an entry."""

    board: str
    window: str
    period: Period
    tags: dict[str, str]
    count: int
    friends: tuple[Friend, ...]
    missing: tuple[str, ...]


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """How many entries have a score in [low, high); None is no bound. The last bin of an
    automatic histogram holds `high` too."""

    low: Number | None
    high: Number | None
    count: int


class Histogram(msgspec.Struct, frozen=True, kw_only=True):
    """How many entries of a ranking have which scores, from one snapshot."""

    board: str
    window: str
    period: Period
    tags: dict[str, str]
    count: int
    bins: tuple[Bin, ...]


class PlayerPeriod(msgspec.Struct, frozen=True, kw_only=True):
    """How a player stands in one period of a ranking: all None without an entry.

    `percentile` is the share, 0 to 100, of the other entries that do not stand better.
    """

    period: Period
    tags: dict[str, str]
    count: int
    rank: int | None
    score: Number | None
    percentile: float | None


class PeriodSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A period of a window in which there are entries, and how many overall rankings hold."""

    board: str
    window: str
    period: Period
    rankings: int
    entries: int


class Closing(msgspec.Struct, frozen=True, kw_only=True):
    """A period has closed: `at` is the boundary's instant, whenever it was noticed."""

    board: str
    window: str
    period: Period
    at: datetime


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """What one event did in one ranking.

    `changed` says whether the entry changed; `why` says it in a word, such as new, better,
    not-better, cooldown, period_closed, banned. Scores are those before and after the event; ranks
    are those before and after the step that published it (a step holds a whole batch), None where
    there was no entry or ranks were not asked for.
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


def _no_placements() -> tuple[Placement, ...]:
    """The default of a field that is written out also when it is empty."""
    return ()


class Receipt(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to a submission. The same id and content always gets the same receipt.

    `status` is "ranked" when every ranking below has been published, "pending" when the event is
    recorded durably and the next fold will apply it, and "set_aside" when it is in the log and its
    body can no longer be read there. Of a book in parts, `pending_parts` are those that have not
    ranked it yet; `rankings` are then those of the others.
    """

    event_id: str
    player: str
    at: datetime
    recorded_at: datetime
    status: Literal["ranked", "pending", "set_aside"]
    rankings: tuple[Placement, ...] = msgspec.field(default_factory=_no_placements)
    pending_parts: tuple[str, ...] = ()


class EventOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What has become of an event, by its id.

    `status` is "unknown" when no such event is recorded, "recorded" when it is and no receipt is
    stored or can be asked for now, "ranked" with its receipt, and "set_aside" when its body can no
    longer be read: `reason` then says why, and it is ranked nowhere.
    """

    status: Literal["unknown", "recorded", "ranked", "set_aside"]
    receipt: Receipt | None = None
    reason: str = ""


class SetAside(msgspec.Struct, frozen=True, kw_only=True):
    """An event in the log whose body can no longer be read: its position, its id, and why."""

    seq: int
    event_id: str
    reason: str


class Lag(NamedTuple):
    """How far rankings are behind the log: events that are pending, and for how many seconds the
    oldest of them has been recorded. The rankings have reached `position`, the log `head`."""

    events: int
    seconds: float
    position: int
    head: int
