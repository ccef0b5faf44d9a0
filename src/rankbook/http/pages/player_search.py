"""Finding a player by id or by name.

Ids are looked up in the rankings. Names have no index. The search goes through the first entries of
each board, at most once every ten seconds while the book changes.
"""

import time
from collections.abc import Iterator
from weakref import WeakKeyDictionary

import msgspec

from rankbook.book import Rankbook, Reader
from rankbook.http.pages.selection import splits
from rankbook.rules.display import name_of

LOOKED_THROUGH = 20_000
PAGE = 1000
KEPT_SECONDS = 10.0
MOST_MATCHES = 20


class Match(msgspec.Struct, frozen=True):
    """A player that the search found."""

    player: str
    name: str
    profile: dict[str, str]


class SearchResult(msgspec.Struct, frozen=True):
    """The players that `text` may mean. `player` is set if only one can be meant; () means
    nobody."""

    text: str
    player: str
    matches: tuple[Match, ...]


class _Names(msgspec.Struct, frozen=True):
    """All players whose names were read, at a position, at an instant of the monotonic clock."""

    position: int
    read_at: float
    matches: tuple[tuple[str, Match], ...]


_names: "WeakKeyDictionary[Rankbook, _Names]" = WeakKeyDictionary()


def search(book: Rankbook, reader: Reader, text: str) -> SearchResult:
    """The player with this id, or the players whose names contain this text.

    A name that equals the text comes before a name that contains it.
    """
    asked = text.strip()
    if asked and reader.player(asked):
        return SearchResult(asked, asked, ())
    wanted = asked.casefold()
    exact: list[Match] = []
    partial: list[Match] = []
    for name, each in _known(book) if wanted else ():
        if wanted in name:
            (exact if each.name.casefold() == wanted else partial).append(each)
    if len(exact or partial) == 1:
        return SearchResult(asked, (exact or partial)[0].player, ())
    return SearchResult(asked, "", tuple([*exact, *partial][:MOST_MATCHES]))


def _known(book: Rankbook) -> tuple[tuple[str, Match], ...]:
    position, now = book.store.position(), time.monotonic()
    kept = _names.get(book)
    if kept is None or (position != kept.position and now - kept.read_at > KEPT_SECONDS):
        found: dict[str, Match] = {}
        for match in _entered(book):
            found.setdefault(match.player, match)
        folded = tuple([(f"{m.name} {m.player}".casefold(), m) for m in found.values()])
        kept = _Names(position, now, folded)
        _names[book] = kept
    return kept.matches


def _entered(book: Rankbook) -> Iterator[Match]:
    """The first entries of each board, as many as are searched."""
    for board in book.spec.boards:
        for tags in splits(book, board)[:1]:
            view = book.ranking(board, tags=dict(tags))
            cursor: str | None = None
            for _page in range(LOOKED_THROUGH // PAGE):
                page = view.page(PAGE, cursor)
                for entry in page.entries:
                    name = name_of(entry.profile, entry.player)
                    yield Match(entry.player, name, entry.profile)
                cursor = page.next
                if cursor is None:
                    break
