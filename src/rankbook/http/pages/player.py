"""A player's page: the place in every ranking, the neighbours, seasons side by side, and best
results."""

from collections.abc import Sequence
from itertools import product

import msgspec

from rankbook.book import Rankbook, Reader, content_of
from rankbook.errors import NotFound
from rankbook.http.pages.avatars import Avatar, avatar
from rankbook.http.pages.chart import Chart, chart
from rankbook.http.pages.formatting import periods_text
from rankbook.http.pages.selection import Params, Selection, Tab, query, select, splits
from rankbook.http.pages.tables import Table, table
from rankbook.model import Entry, PlayerPeriod, Standings
from rankbook.rules import ALL_TIME, Board
from rankbook.rules.display import name_of

AROUND = 7
MOST_PERIODS = 120  # the newest ones of each window


class Place(msgspec.Struct, frozen=True):
    """The player's entry in one current ranking."""

    standings: Standings
    entry: Entry
    query: str
    current: bool


class Best(msgspec.Struct, frozen=True, kw_only=True):
    """The best entry under one split: a score, its date, and the result behind it if it is
    known."""

    tags: dict[str, str]
    window: str
    period: str
    score: object
    rank: int | None
    entry: Entry | None


class Player(msgspec.Struct, frozen=True, kw_only=True):
    """The values of the page. `seasons` and `chart` are of the chosen board, split and window."""

    player: str
    name: str
    avatar: Avatar
    selection: Selection
    places: tuple[Place, ...]
    around: Table
    frames: tuple[Tab, ...]
    frame: str
    seasons: tuple[PlayerPeriod, ...]
    chart: Chart | None
    bests: tuple[Best, ...]


def player(book: Rankbook, reader: Reader, params: Params, *, remote: bool = False) -> Player:
    """The page of the player in the query. Raises `NotFound` if the player has no entry at all."""
    id = params["player"]
    now = reader.player(id)
    selection = _selection(book, reader, params, now)
    board = book.spec.board(selection.board)
    frame, frames = _frames(board, selection, params)
    tags = dict(selection.tags)
    seasons = (
        reader.player_periods(id, board.name, frame, tags, limit=MOST_PERIODS) if frame else []
    )
    profile = next((each.entries[0].profile for each in now), {})
    if not now and not any(each.rank for each in seasons):
        profile = _past_profile(book, reader, id)
    descending = board.columns()[0].descending
    return Player(
        player=id,
        name=name_of(profile, id),
        avatar=avatar(profile, id, remote=remote),
        selection=selection,
        places=tuple([_place(id, each, selection) for each in now]),
        around=table(selection.view(reader).around(id, AROUND), board, own=id, remote=remote),
        frames=frames,
        frame=frame,
        seasons=tuple(seasons),
        chart=chart(seasons, descending=descending),
        bests=tuple(_bests(book, reader, board, id, now)),
    )


def _selection(
    book: Rankbook, reader: Reader, params: Params, now: Sequence[Standings]
) -> Selection:
    """The ranking in the query, or else the first one with an entry of the player."""
    if "board" in params or "window" in params or not now:
        return select(book, reader, params)
    return Selection(now[0].board, now[0].window, tuple(sorted(now[0].tags.items())))


def _past_profile(book: Rankbook, reader: Reader, id: str) -> dict[str, str]:
    """The profile of a player who is in no current ranking. Raises `NotFound` if they were in
    none."""
    for board in book.spec.boards:
        for window, tags in product(board.windows, splits(book, board)):
            for each in reader.player_periods(
                id, board.name, window, dict(tags), limit=MOST_PERIODS
            ):
                if each.rank is not None:
                    entry = (
                        Selection(board.name, window, tags, each.period.id).view(reader).entry(id)
                    )
                    return entry.profile if entry else {}
    seen = next(iter(book.log.of_player(id, reader.position())), None)
    if seen is not None:
        return content_of(seen).profile
    raise NotFound(f"no player {id!r} has an entry in this book")


def _place(id: str, found: Standings, selection: Selection) -> Place:
    tags = tuple(sorted(found.tags.items()))
    of = Selection(found.board, found.window, tags)
    current = (of.board, of.window, of.tags) == (selection.board, selection.window, selection.tags)
    return Place(found, found.entries[0], of.query(player=id), current)


def _frames(board: Board, selection: Selection, params: Params) -> tuple[str, tuple[Tab, ...]]:
    """The window whose periods are compared, and tabs for the other windows."""
    periodic = [window for window in board.windows if window != ALL_TIME]
    wanted = params.get("frame") or selection.window
    frame = wanted if wanted in periodic else next(iter(periodic), "")
    tabs = [
        Tab(
            periods_text(window),
            selection.query(player=params["player"], frame=window),
            window == frame,
        )
        for window in periodic
    ]
    return frame, tuple(tabs)


def _bests(
    book: Rankbook, reader: Reader, board: Board, id: str, now: Sequence[Standings]
) -> list[Best]:
    """For each split, the best of all time, or else of the best period."""
    made: list[Best] = []
    for tags in splits(book, board):
        if ALL_TIME in board.windows:
            found = [s for s in now if (s.board, s.window) == (board.name, ALL_TIME)]
            of = next((s for s in found if tuple(sorted(s.tags.items())) == tags), None)
            if of is not None:
                made.append(_best(of.entries[0], dict(tags), ALL_TIME, ALL_TIME))
        else:
            made += _best_period(reader, board, id, dict(tags))
    return made


def _best_period(reader: Reader, board: Board, id: str, tags: dict[str, str]) -> list[Best]:
    window = board.windows[0]
    periods = reader.player_periods(id, board.name, window, tags, limit=MOST_PERIODS)
    scored = [each for each in periods if each.score is not None]
    if not scored:
        return []
    pick = max if board.columns()[0].descending else min
    top = pick(scored, key=lambda each: each.score or 0)
    view = Selection(board.name, window, tuple(sorted(tags.items())), top.period.id).view(reader)
    entry = view.entry(id)
    return [] if entry is None else [_best(entry, tags, window, top.period.id)]


def _best(entry: Entry, tags: dict[str, str], window: str, period: str) -> Best:
    return Best(
        tags=tags, window=window, period=period, score=entry.score, rank=entry.rank, entry=entry
    )


def address(id: str) -> str:
    """The query of a player's page."""
    return query({"player": id})
