"""How single things are written in a table: columns of numbers, tags, periods, players."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len
from rich.text import Text

from rankbook.cli.screen.output import clean
from rankbook.model import Entry, Friends, Histogram, PlayerStanding, Standings

Reading = Standings | Friends | Histogram | PlayerStanding


def aligned(texts: Sequence[str], least: int = 0) -> list[str]:
    """Numbers as texts of one width, `least` or more, in which they stand point under point."""
    behind = [len(text) - len(text.partition(".")[0]) for text in texts]
    most = max(behind, default=0)
    filled = [text + " " * (most - each) for text, each in zip(texts, behind, strict=True)]
    width = max([cell_len(text) for text in filled], default=0)
    return [text.rjust(max(width, least)) for text in filled]


def tags_text(tags: Mapping[str, str]) -> str:
    """Tags as they are given on the command line; `overall` for none."""
    return " ".join([f"{name}={value}" for name, value in tags.items()]) or "overall"


def period_text(window: str, period: str) -> str:
    """A window and its period; all-time is its own period."""
    return window if window == period else f"{window} · {period}"


def title(found: Reading) -> str:
    """What a ranking is called above its table, with the zone where its period has bounds."""
    period = found.period
    zone = "" if period.start is None else f" ({period.zone})"
    sealed = " · sealed" if period.sealed else ""
    window = period_text(found.window, period.id)
    return f"{found.board} · {window}{zone}{sealed} · {tags_text(found.tags)}"


def named(entry: Entry) -> Text:
    """The player: the profile's name, and the id where that is another."""
    name = entry.profile.get("name", "")
    text = Text(clean(name or entry.player))
    if name and name != entry.player:
        text.append(f" ({clean(entry.player)})", style="dim")
    return text
