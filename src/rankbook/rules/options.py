"""The smaller choices of a board, each checked alone and against what it belongs to."""

from collections.abc import Sequence
from typing import Any

from rankbook.errors import Refused, SpecError
from rankbook.rules.periods import ALL_TIME
from rankbook.rules.scoring import NumberType
from rankbook.rules.seasons import SEASON
from rankbook.rules.specs import check_choice
from rankbook.rules.values import Scaled
from rankbook.rules.windows import MONDAY, WEEKLY

MAX_BEST_OF = 100
MAX_SIZE = 10_000_000
MAX_PERIODS = 1_000_000
MAX_SECONDS = 1_000_000_000

KeepPeriods = int | dict[str, int] | None
Limits = tuple[Scaled | None, Scaled | None]


def check_between(number: int, least: int, most: int, field: str) -> None:
    """A whole number within bounds. Raises `SpecError`."""
    if not least <= number <= most:
        raise SpecError(field, f"is {number}; it may be {least} to {most}")


def check_seconds(seconds: object, field: str) -> None:
    """A span of time. Raises `SpecError`."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise SpecError(field, f"is {seconds!r}, not a number of seconds")
    if not 0 <= seconds <= MAX_SECONDS:  # NaN is not either
        raise SpecError(field, f"is {seconds}; it may be 0 to {MAX_SECONDS} seconds")


def micros_of(seconds: int | float) -> int:
    """Seconds in microseconds."""
    return round(seconds * 1_000_000)


def same_seconds(seconds: int | float) -> int | float:
    """The same span, written in one way: 5.0 as 5."""
    whole, rest = divmod(micros_of(seconds), 1_000_000)
    return whole if rest == 0 else seconds


def check_belongs(given: bool, field: str, there: bool, owner: str) -> None:
    """What is given has something to work on. Raises `SpecError` at `field`, naming the owner."""
    if given and not there:
        raise SpecError(field, f"is for {owner}, which this board has not")


def check_window_options(
    windows: Sequence[str], week_start: str, seasons: Sequence[object]
) -> None:
    """Weeks and seasons are declared where a window uses them. Raises `SpecError`."""
    check_belongs(week_start != MONDAY, "week_start", WEEKLY in windows, 'the window "weekly"')
    check_belongs(bool(seasons), "seasons", SEASON in windows, 'the window "season"')
    if SEASON in windows and not seasons:
        raise SpecError("seasons", 'is empty; the window "season" has at least one')


def check_keep_periods(kept: KeepPeriods, windows: Sequence[str]) -> None:
    """How many periods stay, for all windows or for some that end. Raises `SpecError`."""
    if not isinstance(kept, dict):
        if kept is not None:
            check_between(kept, 1, MAX_PERIODS, "keep_periods")
        return
    for name, number in kept.items():
        field = f"keep_periods.{name}"
        check_choice(name, [window for window in windows if window != ALL_TIME], field)
        check_between(number, 1, MAX_PERIODS, field)


def scaled_limits(least: Any, most: Any, type_: NumberType) -> Limits:
    """`min` and `max` as scaled numbers. Raises `SpecError` at "min" or "max"."""
    low, high = _limit(least, type_, "min"), _limit(most, type_, "max")
    if low is not None and high is not None and low > high:
        raise SpecError("max", f"{most} is less than min {least}")
    return low, high


def _limit(number: Any, type_: NumberType, field: str) -> Scaled | None:
    if number is None:
        return None
    if isinstance(number, bool):
        raise SpecError(field, "is a bool, not a number")
    try:
        return type_.scaled(number, field)
    except Refused as error:
        raise SpecError(field, error.reason) from error
