"""The windows there are, by name. `periods` says what a window answers."""

from collections.abc import Callable, Sequence

from rankbook.errors import SpecError
from rankbook.rules.calendars import Daily, Monthly, Weekly, WeeksFrom
from rankbook.rules.periods import ALL_TIME, AllTime, PeriodSpan, Window
from rankbook.rules.seasons import SEASON, SeasonWindow
from rankbook.rules.specs import unknown_word
from rankbook.rules.zones import Zone

MONDAY = "monday"
WEEKLY = Weekly.name

_FIXED: dict[str, Callable[[Zone], Window]] = {
    ALL_TIME: AllTime,
    "daily": Daily,
    WEEKLY: Weekly,
    "monthly": Monthly,
}
WINDOWS = (*_FIXED, SEASON)


def open_window(
    name: str,
    zone: Zone,
    field: str,
    *,
    week_start: str = MONDAY,
    seasons: Sequence[PeriodSpan] = (),
) -> Window:
    """The window of that name in the zone. Raises `SpecError` at `field`.

    `week_start` is for "weekly", `seasons` (in the order of time) for "season".
    """
    if name == SEASON:
        return SeasonWindow(zone, seasons)
    if name == WEEKLY and week_start != MONDAY:
        return WeeksFrom(zone, week_start)
    if name not in _FIXED:
        raise SpecError(field, unknown_word(name, WINDOWS))
    return _FIXED[name](zone)
