"""Past standings, period by period, and two of them side by side."""

from collections.abc import Sequence

import msgspec

from rankbook.book import Rankbook, Reader
from rankbook.http.pages.avatars import Avatar, avatar
from rankbook.http.pages.formatting import periods_text, tags_text
from rankbook.http.pages.selection import (
    Params,
    Selection,
    Tab,
    boards_with_rankings,
    select,
    splits,
)
from rankbook.http.pages.tables import Table, table
from rankbook.model import Entry, PeriodSummary
from rankbook.rules import ALL_TIME, Board
from rankbook.rules.display import name_of

ROWS = 20
COMPARED = 20
MOST_PERIODS = 120


class Between(msgspec.Struct, frozen=True, kw_only=True):
    """A player in two periods. `moved` is how many places they rose from the earlier to the later
    one."""

    player: str
    name: str
    avatar: Avatar
    earlier: Entry | None
    later: Entry | None
    moved: int | None


class Listed(msgspec.Struct, frozen=True):
    """A period in the list, and the address of its standings."""

    summary: PeriodSummary
    query: str
    current: bool


class Seasons(msgspec.Struct, frozen=True, kw_only=True):
    """The values of the page: the standings of one period, or the difference between two."""

    selection: Selection
    windows: tuple[Tab, ...]
    modes: tuple[Tab, ...]
    periods: tuple[Listed, ...]
    shown: Table
    onward: str
    back: str
    other: str
    between: tuple[Between, ...]
    earlier: str
    later: str


def seasons(book: Rankbook, reader: Reader, params: Params, *, remote: bool = False) -> Seasons:
    """The standings that the query asks for. Raises `NotFound`, which lists what exists."""
    selection = _selection(book, reader, params)
    board = book.spec.board(selection.board)
    summaries = reader.periods(board.name, selection.window, limit=MOST_PERIODS)
    view = selection.view(reader)
    page = view.page(ROWS, params.get("cursor") or None)
    period = page.period.id
    other = params.get("compare") or ""
    ordered = _ordered(summaries, period, other)
    return Seasons(
        selection=msgspec.structs.replace(selection, period=period),
        windows=_windows(book, selection),
        modes=_modes(book, board, selection),
        periods=tuple([_listed(each, selection, period) for each in summaries]),
        shown=table(page, board, remote=remote),
        onward=selection.query(cursor=page.next) if page.next else "",
        back=selection.query(cursor=page.previous) if page.previous else "",
        other=other,
        between=_between(reader, selection, ordered, remote) if other else (),
        earlier=ordered[0],
        later=ordered[1],
    )


def _selection(book: Rankbook, reader: Reader, params: Params) -> Selection:
    """The ranking in the query. By default the first window that has periods, and its newest ended
    period."""
    named = params.get("board")
    board = book.spec.board(named) if named else boards_with_rankings(book)[0]
    periodic = [window for window in board.windows if window != ALL_TIME]
    window = params.get("window") or next(iter(periodic), board.windows[0])
    selection = select(book, reader, {**params, "board": board.name, "window": window})
    if selection.period or window == ALL_TIME:
        return selection
    running = selection.view(reader).period().id
    past = [
        s.period.id for s in reader.periods(board.name, window, limit=2) if s.period.id != running
    ]
    return msgspec.structs.replace(selection, period=next(iter(past), running))


def _ordered(summaries: Sequence[PeriodSummary], one: str, other: str) -> tuple[str, str]:
    """Two periods, the earlier first. The list of periods has the newest first."""
    place = {each.period.id: index for index, each in enumerate(summaries)}
    earlier = place.get(other, 0) > place.get(one, 0)
    return (other, one) if earlier else (one, other)


def _windows(book: Rankbook, selection: Selection) -> tuple[Tab, ...]:
    several = len(boards_with_rankings(book)) > 1
    made: list[Tab] = []
    for board in boards_with_rankings(book):
        for window in board.windows:
            if window == ALL_TIME:
                continue
            label = f"{board.name} · {periods_text(window)}" if several else periods_text(window)
            tags = selection.tags if board.name == selection.board else ()
            current = (board.name, window) == (selection.board, selection.window)
            made.append(Tab(label, Selection(board.name, window, tags).query(), current))
    return tuple(made)


def _modes(book: Rankbook, board: Board, selection: Selection) -> tuple[Tab, ...]:
    found = splits(book, board)
    return tuple(
        [
            Tab(
                tags_text(dict(tags)),
                msgspec.structs.replace(selection, tags=tags).query(),
                tags == selection.tags,
            )
            for tags in found
        ]
    )


def _listed(summary: PeriodSummary, selection: Selection, period: str) -> Listed:
    id = summary.period.id
    return Listed(summary, msgspec.structs.replace(selection, period=id).query(), id == period)


def _between(
    reader: Reader, selection: Selection, ordered: tuple[str, str], remote: bool
) -> tuple[Between, ...]:
    """The first players of either period, in the order of the later one."""
    views = [msgspec.structs.replace(selection, period=each).view(reader) for each in ordered]
    players = {entry.player for view in views for entry in view.top(COMPARED).entries}
    asked = sorted(players)
    earlier, later = [
        {friend.entry.player: friend.entry for friend in view.among(asked).friends}
        for view in views
    ]
    order = [*later, *[player for player in earlier if player not in later]]
    return tuple([_pair(p, earlier.get(p), later.get(p), remote) for p in order])


def _pair(player: str, earlier: Entry | None, later: Entry | None, remote: bool) -> Between:
    entry = later or earlier
    profile = entry.profile if entry is not None else {}
    moved = earlier.rank - later.rank if earlier and later else None
    return Between(
        player=player,
        name=name_of(profile, player),
        avatar=avatar(profile, player, remote=remote),
        earlier=earlier,
        later=later,
        moved=moved,
    )
