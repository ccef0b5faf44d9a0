"""Tables of a player's places, of receipts and of boards."""

from collections.abc import Sequence

import msgspec
from rich import box
from rich.table import Table
from rich.text import Text

from rankbook.cli.screen.cells import aligned, period_text, tags_text, title
from rankbook.cli.screen.output import clean
from rankbook.model import Placement, PlayerStanding, Receipt, Standings
from rankbook.rules import Board, BookSpec, Season
from rankbook.rules.display import number, percent, second

MORE = "more was found; --json lists it"
COMMON_KEYS = (
    *("name", "measures", "order_by", "keep", "splits", "windows", "zone", "numbering"),
    *("tie_break", "details"),
)


def table(heading: str, caption: str = "") -> Table:
    """An empty table. The heading is data: nothing in it acts."""
    return Table(
        title=Text(clean(heading), style="bold"),
        caption=Text(clean(caption), style="dim") if caption else None,
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
    )


def rank(found: PlayerStanding) -> Table:
    """Where a player stands in one ranking."""
    made = table(found.player)
    made.add_column("ranking", overflow="fold")
    for name in ("rank", "of", "score", "percentile"):
        made.add_column(name, justify="right", no_wrap=True)
    made.add_row(
        Text(clean(title(found))),
        number(found.rank),
        number(found.count),
        number(None if found.entry is None else found.entry.score),
        percent(found.percentile, 2),
    )
    return made


def places(player: str, found: Sequence[Standings]) -> Table:
    """One player's place in several rankings."""
    profile = next((each.entries[0].profile for each in found if each.entries), {})
    name = profile.get("name", player)
    made = table(player if name == player else f"{name} ({player})")
    made.add_column("ranking")
    made.add_column("rank", justify="right", no_wrap=True)
    made.add_column("of", justify="right", no_wrap=True)
    made.add_column("score", justify="right", no_wrap=True, style="bold")
    made.add_column("reached (UTC)", style="dim")
    scores = aligned([number(each.entries[0].score) for each in found])
    for each, score in zip(found, scores, strict=True):
        [entry] = each.entries
        ranking = f"{each.board} · {period_text(each.window, each.period.id)}"
        made.add_row(
            Text(clean(f"{ranking} · {tags_text(each.tags)}")),
            number(entry.rank),
            number(each.count),
            score,
            second(entry.reached_at),
        )
    return made


def receipt(made_of: Receipt, *, only_changed: bool = False) -> Table:
    """What an event touched, or only what it changed: each ranking, before and after."""
    shown = [each for each in made_of.rankings if each.changed or not only_changed]
    caption = ""
    if made_of.status == "pending":
        where = " in " + ", ".join(made_of.pending_parts) if made_of.pending_parts else ""
        caption = f"recorded; the next fold ranks it{where}"
    elif only_changed:
        caption = f"{len(shown):,} of {len(made_of.rankings):,} rankings changed"
    made = table(f"{made_of.player} · {made_of.status} · {made_of.event_id}", caption)
    made.add_column("ranking")
    made.add_column("changed", no_wrap=True)
    made.add_column("score", justify="right", no_wrap=True, style="bold")
    made.add_column("rank", justify="right", no_wrap=True)
    for each in shown:
        period = period_text(each.window, each.period)
        made.add_row(
            Text(clean(f"{each.board} · {period} · {tags_text(each.tags)}")),
            f"yes, {each.why}" if each.changed else f"no, {each.why}",
            *_before_after(each),
        )
    return made


def _before_after(placement: Placement) -> tuple[str, str]:
    return (
        _change(placement.previous_score, placement.score),
        _change(placement.previous_rank, placement.rank),
    )


def _change(before: object, after: object) -> str:
    if before == after:
        return number(after)
    return f"{number(before)} → {number(after)}"


def boards(spec: BookSpec) -> Table:
    """The boards of a book."""
    made = table(spec.name)
    for name in ("board", "order", "keep", "splits", "windows", "zone", "numbering"):
        made.add_column(name, overflow="fold")
    for board in spec.boards:
        splits = ", ".join([" + ".join(split) or "overall" for split in board.splits])
        windows = ", ".join(board.windows)
        order = ", ".join(board.order_by)
        made.add_row(board.name, order, board.keep, splits, windows, board.zone, board.numbering)
    return made


def more(spec: BookSpec) -> Table:
    """What boards say beyond the columns of `boards`, where it is not the default."""
    made = table("more of the boards")
    for name in ("board", "key", "value"):
        made.add_column(name, overflow="fold")
    for board in spec.boards:
        for field in msgspec.structs.fields(Board):
            value = getattr(board, field.name)
            if field.name not in COMMON_KEYS and value != field.default:
                made.add_row(board.name, field.name, Text(clean(_said(value))))
    return made


def _said(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join([_said(each) for each in value])
    if isinstance(value, Season):
        return f"{value.name} ({value.start} to {value.end})"
    if isinstance(value, dict):
        return ", ".join([f"{name} {each}" for name, each in value.items()])
    return "yes" if value is True else str(value)


def bundles(spec: BookSpec) -> Table:
    """The bundles of a book."""
    made = table("bundles")
    made.add_column("bundle")
    made.add_column("top", justify="right")
    made.add_column("rankings", overflow="fold")
    for bundle in spec.bundles:
        rankings = [f"{r.board} {r.window} {tags_text(dict(r.tags))}" for r in bundle.rankings]
        made.add_row(bundle.name, number(bundle.top), Text(clean(", ".join(rankings))))
    return made
