"""A board's specification: what is measured, how it is ordered, kept, split, and cut in time."""

import hashlib
from typing import Any

import msgspec

from rankbook.errors import SpecError
from rankbook.rules.calendars import WEEKDAYS
from rankbook.rules.conditions import Condition
from rankbook.rules.folding import KEEPS
from rankbook.rules.measures import MAX_MEASURES, check_reads, read_column, read_measures
from rankbook.rules.numbering import NUMBERINGS, Numbering
from rankbook.rules.options import (
    MAX_BEST_OF,
    MAX_SIZE,
    KeepPeriods,
    check_belongs,
    check_between,
    check_keep_periods,
    check_seconds,
    check_window_options,
    same_seconds,
    scaled_limits,
)
from rankbook.rules.ordering import Column
from rankbook.rules.periods import ALL_TIME, Window
from rankbook.rules.scoring import CompiledMeasure
from rankbook.rules.seasons import MAX_SEASONS, Season, season_spans
from rankbook.rules.specs import (
    check_choice,
    check_count,
    check_name,
    check_unique,
    check_value_name,
    shaped,
)
from rankbook.rules.windows import MONDAY, open_window
from rankbook.rules.zones import Zone, parse_zone

MAX_SPLITS = 32
MAX_SPLIT_TAGS = 8
MAX_DETAILS = 32
TIE_BREAKS = ("first", "last", "player")
LATEST_BY = ("sequence", "at")
PROFILES = ("entry", "player")
RESERVED_TAGS = ("board", "window", "period")
STORED_FORM = 1


class Board(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board. Making one checks it: every fault is a `SpecError` at its field.

    - `measures`: names to expressions, tables ``{value = "...", type = "decimal(2)"}``,
      `Measure`s, or functions of the values.
    - `order_by`: the measures that rank, as "score desc". The first is the score.
    - `keep`: which of a player's results stays: "best", "latest", "first" or "total".
    - `splits`: lists of value names. Each combination of values has a ranking; ``[]`` is overall.
    - `details`: values that are kept and shown beside the score.
    - `best_of`: with keep "total", only the player's n best results are summed.
    - `latest_by`: with keep "latest", what makes a result newer.
    - `where`: an expression. The board ignores events for which it is not true.
    - `min`, `max`: limits of the score of one result. They are applied before it is recorded.
    - `size`: how many entries a ranking shows.
    - `seal`, `grace_seconds`: whether a period closes, and how long after its end.
    - `keep_periods`: how many periods stay readable, for all windows or by window.
    - `cooldown_seconds`: a result this soon after the player's last one is not ranked.
    - `profiles`: an entry shows the profile of its result, or the player's current one.

    Sequences may be lists; they are kept as tuples. docs/boards.md has the details.
    """

    name: str
    measures: dict[str, Any]
    order_by: tuple[str, ...]
    keep: str = "best"
    splits: tuple[tuple[str, ...], ...] = ((),)
    windows: tuple[str, ...] = (ALL_TIME,)
    zone: str = "UTC"
    numbering: Numbering = "competition"
    tie_break: str = "first"
    details: tuple[str, ...] = ()
    best_of: int | None = None
    latest_by: str = "sequence"
    where: str | None = None
    min: Any = None
    max: Any = None
    size: int | None = None
    week_start: str = MONDAY
    seasons: tuple[Any, ...] = ()
    grace_seconds: int | float = 0
    seal: bool = False
    keep_periods: KeepPeriods = None
    cooldown_seconds: int | float = 0
    profiles: str = "entry"

    def __post_init__(self) -> None:
        """Bring every field into its shape and check it."""
        check_name(shaped(self.name, str, "name"), "name")
        for field, type_ in _SHAPES.items():
            self._set(field, shaped(getattr(self, field), type_, field))
        self._set("measures", read_measures(self.measures))
        first = self.columns()[0].measure
        scaled_limits(self.min, self.max, self.compiled()[first].type)
        for field, choices in _CHOICES.items():
            check_choice(getattr(self, field), choices, field)
        _check_splits(self.splits)
        self._check_time()
        self._check_options()
        _check_list(self.details, "details", 0, MAX_DETAILS)
        for index, name in enumerate(self.details):
            check_value_name(name, f"details[{index}]")

    def _check_time(self) -> None:
        _check_list(self.windows, "windows", 1, 16)
        check_count(self.seasons, 0, MAX_SEASONS, "seasons")
        seasons = [shaped(each, Season, f"seasons[{i}]") for i, each in enumerate(self.seasons)]
        self._set("seasons", tuple(seasons))
        self.open_windows()
        check_window_options(self.windows, self.week_start, seasons)
        check_keep_periods(self.keep_periods, self.windows)
        for field in ("grace_seconds", "cooldown_seconds"):
            check_seconds(getattr(self, field), field)

    def _check_options(self) -> None:
        total, latest = self.keep == "total", self.keep == "latest"
        check_belongs(self.best_of is not None, "best_of", total, 'keep = "total"')
        given = self.latest_by != LATEST_BY[0]
        check_belongs(given, "latest_by", latest, 'keep = "latest"')
        if self.best_of is not None:
            check_between(self.best_of, 1, MAX_BEST_OF, "best_of")
        if self.size is not None:
            check_between(self.size, 1, MAX_SIZE, "size")
        condition = self.condition()
        if condition is not None:
            check_reads(condition.expression, "", self.measures, "where")

    def _set(self, field: str, value: object) -> None:
        msgspec.structs.force_setattr(self, field, value)

    def compiled(self) -> tuple[CompiledMeasure, ...]:
        """The measures as functions, in the board's order."""
        items = self.measures.items()
        return tuple([CompiledMeasure(name, each, f"measures.{name}") for name, each in items])

    def columns(self) -> tuple[Column, ...]:
        """The columns of the order. Raises `SpecError`."""
        _check_list(self.order_by, "order_by", 1, MAX_MEASURES)
        names = list(self.measures)
        parsed = [
            read_column(text, i, names, self.measures) for i, text in enumerate(self.order_by)
        ]
        check_unique([column.measure for column in parsed], "order_by")
        return tuple(parsed)

    def parsed_zone(self) -> Zone:
        """The board's zone. Raises `SpecError`."""
        return parse_zone(self.zone, "zone")

    def condition(self) -> Condition | None:
        """`where` as a function. Raises `SpecError`."""
        return None if self.where is None else Condition(self.where, "where")

    def open_windows(self) -> dict[str, Window]:
        """The windows, by name. Raises `SpecError`."""
        zone = self.parsed_zone()
        spans = season_spans(self.seasons, zone, "seasons")
        return {
            name: open_window(
                name, zone, f"windows[{i}]", week_start=self.week_start, seasons=spans
            )
            for i, name in enumerate(self.windows)
        }

    def periods_kept(self, window: str) -> int | None:
        """How many periods of a window stay readable; None for all of them."""
        kept = self.keep_periods
        return kept.get(window) if isinstance(kept, dict) else kept

    def meaning(self) -> dict[str, Any]:
        """All that decides what a fold of the log stores, as plain data in a stable form.

        `numbering` and `size` are left out: they only change what is shown. So are `min` and
        `max`, which apply before an event is recorded. Options newer than the first release are
        left out at their defaults, so that older rankings stay valid. A function is known by its
        module and name only.
        """
        return self._first_meaning() | self._later_meaning()

    def _unranked(self) -> bool:
        """Whether a measure is outside the order."""
        return len(self.measures) > len(self.order_by)

    def _later_meaning(self) -> dict[str, Any]:
        spans = season_spans(self.seasons, self.parsed_zone(), "seasons")
        later = {
            "best_of": self.best_of,
            "latest_by": self.latest_by if self.latest_by != LATEST_BY[0] else None,
            "where": self.where.strip() if self.where else None,
            "week_start": self.week_start if self.week_start != MONDAY else None,
            "seasons": {span.id: list(span[1:]) for span in spans} or None,
            "seal": self.seal or None,
            "grace_seconds": same_seconds(self.grace_seconds) if self.seal else None,
            "cooldown_seconds": same_seconds(self.cooldown_seconds) or None,
            "keep_periods": self.keep_periods,
            "profiles": self.profiles if self.profiles != PROFILES[0] else None,
            # Earlier, a measure outside the order moved the time that breaks ties.
            "ties": "order_by" if self.keep == "total" and self._unranked() else None,
        }
        return {key: value for key, value in later.items() if value is not None}

    def _first_meaning(self) -> dict[str, Any]:
        return {
            "form": STORED_FORM,
            "name": self.name,
            "measures": [
                [name, _formula(each.value), each.type] for name, each in self.measures.items()
            ],
            "order_by": [" ".join(text.split()) for text in self.order_by],
            "keep": self.keep,
            "splits": sorted([sorted(split) for split in self.splits]),
            "windows": sorted(self.windows),
            "zone": self.zone,
            "tie_break": self.tie_break,
            "details": list(self.details),
        }

    def fingerprint(self) -> str:
        """32 hex digits of `meaning`. Rankings with another fingerprint must be rebuilt."""
        canonical = msgspec.json.encode(self.meaning(), order="sorted")
        return hashlib.blake2b(canonical, digest_size=16).hexdigest()


_SHAPES: dict[str, Any] = {
    "measures": dict[str, Any],
    "order_by": tuple[str, ...],
    "keep": str,
    "splits": tuple[tuple[str, ...], ...],
    "windows": tuple[str, ...],
    "zone": str,
    "numbering": str,
    "tie_break": str,
    "details": tuple[str, ...],
    "best_of": int | None,
    "latest_by": str,
    "where": str | None,
    "size": int | None,
    "week_start": str,
    "seasons": tuple[Any, ...],
    "grace_seconds": int | float,
    "seal": bool,
    "keep_periods": int | dict[str, int] | None,
    "cooldown_seconds": int | float,
    "profiles": str,
}
_CHOICES: dict[str, tuple[str, ...]] = {
    "keep": KEEPS,
    "numbering": NUMBERINGS,
    "tie_break": TIE_BREAKS,
    "latest_by": LATEST_BY,
    "week_start": WEEKDAYS,
    "profiles": PROFILES,
}


def _check_splits(splits: tuple[tuple[str, ...], ...]) -> None:
    check_count(splits, 1, MAX_SPLITS, "splits")
    for index, split in enumerate(splits):
        field = f"splits[{index}]"
        _check_list(split, field, 0, MAX_SPLIT_TAGS)
        for place, name in enumerate(split):
            check_value_name(name, f"{field}[{place}]")
            if name in RESERVED_TAGS:
                raise SpecError(f"{field}[{place}]", f"{name!r} cannot be a tag's name")
    check_unique([sorted(split) for split in splits], "splits")


def _check_list(items: tuple[str, ...], field: str, least: int, most: int) -> None:
    check_count(items, least, most, field)
    check_unique(items, field)


def _formula(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    return f"function {value.__module__}.{value.__qualname__}"
