"""How a page writes single values: numbers, labels, sizes. `rules.display` has the rest."""

from collections.abc import Mapping, Sequence

from rankbook.model import Period
from rankbook.rules.display import number as plain_number
from rankbook.rules.display import percent, short, visible_text

DASH = "\N{EN DASH}"
_FIGURE = "\N{FIGURE SPACE}"
_POINT = "\N{PUNCTUATION SPACE}"

_WINDOWS = {
    "all-time": "All time",
    "daily": "Today",
    "weekly": "This week",
    "monthly": "This month",
    "season": "Season",
}
_PERIODS = {"daily": "Days", "weekly": "Weeks", "monthly": "Months", "season": "Seasons"}


def number(value: object) -> str:
    """A number with separated thousands and every digit; text unchanged; None as a dash."""
    if isinstance(value, str):
        return visible_text(value)
    text = plain_number(value, DASH)
    return text if "e" in text else text.replace("-", "\N{MINUS SIGN}")


def aligned(values: Sequence[object]) -> list[str]:
    """Numbers padded so that their points align when they are set flush right in tabular
    figures."""
    texts = [number(value) for value in values]
    decimals = [len(text.partition(".")[2]) for text in texts]
    most = max(decimals, default=0)
    return [
        text + (_POINT if most and not each else "") + _FIGURE * (most - each)
        for text, each in zip(texts, decimals, strict=True)
    ]


def tags_text(tags: Mapping[str, str]) -> str:
    """Tags as a label: their values; `Overall` for none."""
    return " · ".join([short(visible_text(value), 32) for value in tags.values()]) or "Overall"


def window_text(window: str, period: Period | None = None) -> str:
    """A window's current period as a label; a season by its name."""
    if window == "season" and period is not None:
        return period.id
    return _WINDOWS.get(window, window)


def periods_text(window: str) -> str:
    """A window as a label for all of its periods."""
    return _PERIODS.get(window, window)


def past_text(window: str, period: str) -> str:
    """A period as a label. The all-time window is its own period."""
    return _WINDOWS["all-time"] if window == period else period


def share(standing: float | None) -> str:
    """A percentile to one digit; a dash for None."""
    return percent(standing, 1, DASH)


def size(count: float) -> str:
    """Bytes in a suitable unit."""
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:,.1f} {unit}"
        count /= 1024
    return f"{count:,.1f} TiB"
