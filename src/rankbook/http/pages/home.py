"""The home page: a bundle's rankings by window and split, and the viewer's own place."""

from collections.abc import Sequence

import msgspec

from rankbook.book import Rankbook, Reader
from rankbook.http.pages.formatting import past_text, tags_text, window_text
from rankbook.http.pages.player_search import SearchResult, search
from rankbook.http.pages.recent_changes import RecentChange, recent_changes
from rankbook.http.pages.selection import Params, Selection, Tab, query, select, splits, tags_in
from rankbook.http.pages.tables import Table, table
from rankbook.model import Standings
from rankbook.rules import Bundle, BundleRanking

TOP = 10
NAME = "home"


class Home(msgspec.Struct, frozen=True, kw_only=True):
    """The values of the home page. `own` is the viewer's row, if it is below the top."""

    bundles: tuple[Tab, ...]
    frames: tuple[Tab, ...]
    modes: tuple[Tab, ...]
    tables: tuple[Table, ...]
    shown: Table
    selection: Selection
    own: Table | None
    search: SearchResult | None
    recent: tuple[RecentChange, ...]


class _Reading(msgspec.Struct, frozen=True):
    """A bundle and its standings in the same order, at one position."""

    bundle: Bundle
    position: int
    rankings: tuple[Standings, ...]


def home(book: Rankbook, reader: Reader, params: Params, *, remote: bool = False) -> Home:
    """The rankings that the query asks for, from one snapshot. Raises `NotFound` for no such
    bundle."""
    read = _read(book, reader, params)
    wanted = _wanted(book, reader, read.bundle, params)
    found = search(book, reader, params["player"]) if params.get("player") else None
    own = found.player if found else ""
    made = [_table(book, each, own, remote) for each in read.rankings]
    index = read.bundle.rankings.index(wanted)
    pinned = _pinned(book, reader, wanted, made[index], own, remote)
    return Home(
        bundles=_bundles(book, read.bundle, params),
        frames=_frames(read, wanted, params),
        modes=_modes(read, wanted, params),
        tables=tuple(
            [t for r, t in zip(read.bundle.rankings, made, strict=True) if _same(r, wanted)]
        ),
        shown=made[index],
        selection=Selection(wanted.board, wanted.window, wanted.tags),
        own=pinned,
        search=found,
        recent=recent_changes(book, made[index].standings, read.position),
    )


def _read(book: Rankbook, reader: Reader, params: Params) -> _Reading:
    name = params.get("bundle")
    if name or book.spec.bundles:
        bundle = book.spec.bundle(name) if name else book.spec.bundles[0]
    else:
        bundle = Bundle(NAME, _every(book), TOP)
    found = reader.bundle(bundle)
    return _Reading(bundle, found.position, found.rankings)


def _every(book: Rankbook) -> tuple[BundleRanking, ...]:
    """The rankings of a book without bundles: each board in its windows and splits."""
    made = [
        BundleRanking(board.name, window, tags)
        for board in book.spec.boards
        for tags in splits(book, board)
        for window in board.windows
    ]
    return tuple(made[:64])


def _wanted(book: Rankbook, reader: Reader, bundle: Bundle, params: Params) -> BundleRanking:
    """The bundle's ranking that is nearest to the query. The window counts more than the split.

    Raises `NotFound` if the query names a board, window or split that does not exist.
    """
    board, window, tags = params.get("board"), params.get("window"), tags_in(params)

    def nearness(each: BundleRanking) -> tuple[bool, bool, bool]:
        return each.board == board, each.window == window, each.tags == tags

    nearest = max(bundle.rankings, key=nearness)
    if board or window or tags:
        select(book, reader, {**params, "board": board or nearest.board})
    return nearest


def _same(one: BundleRanking, other: BundleRanking) -> bool:
    return (one.board, one.window) == (other.board, other.window)


def _bundles(book: Rankbook, bundle: Bundle, params: Params) -> tuple[Tab, ...]:
    names = [each.name for each in book.spec.bundles]
    if len(names) < 2:
        return ()
    kept = _kept(params)
    return tuple([Tab(n, query({**kept, "bundle": n}), n == bundle.name) for n in names])


def _frames(read: _Reading, wanted: BundleRanking, params: Params) -> tuple[Tab, ...]:
    several = len({each.board for each in read.bundle.rankings}) > 1
    made: dict[tuple[str, str], Tab] = {}
    pairs = zip(read.bundle.rankings, read.rankings, strict=True)
    for ranking, standings in pairs:
        label = window_text(ranking.window, standings.period)
        label = f"{ranking.board} · {label}" if several else label
        tab = _tab(label, ranking, wanted.tags, params, _same(ranking, wanted))
        title = past_text(ranking.window, standings.period.id)
        made.setdefault((ranking.board, ranking.window), msgspec.structs.replace(tab, title=title))
    return tuple(made.values())


def _modes(read: _Reading, wanted: BundleRanking, params: Params) -> tuple[Tab, ...]:
    return tuple(
        [
            _tab(tags_text(dict(each.tags)), each, each.tags, params, each == wanted)
            for each in read.bundle.rankings
            if _same(each, wanted)
        ]
    )


def _tab(
    label: str,
    ranking: BundleRanking,
    tags: Sequence[tuple[str, str]],
    params: Params,
    current: bool,
) -> Tab:
    chosen = Selection(ranking.board, ranking.window, tuple(tags))
    return Tab(label, chosen.query(**_kept(params)), current)


def _kept(params: Params) -> dict[str, str]:
    """The parameters of the query that tabs keep: the bundle and the player."""
    kept = {name: params[name] for name in ("bundle", "player") if params.get(name)}
    return kept | {"wall": "1"} if "wall" in params else kept


def _table(book: Rankbook, found: Standings, own: str, remote: bool) -> Table:
    return table(found, book.spec.board(found.board), own=own, remote=remote)


def _pinned(
    book: Rankbook, reader: Reader, wanted: BundleRanking, shown: Table, own: str, remote: bool
) -> Table | None:
    """The viewer's row, if it is not in the top."""
    if not own or any(row.own for row in shown.rows):
        return None
    around = Selection(wanted.board, wanted.window, wanted.tags).view(reader).around(own, 1)
    return _table(book, around, own, remote) if around.entries else None
