"""Events that are no results, and what all views of one ranking must agree on."""

from rankbook import Event
from rankbook.book.fold.folder import Folder
from rankbook.log import open_log
from rankbook.store import open_store
from tests.book.home import when


def said(kind, player="", *, id="", at=None, target="", profile=None, **values):
    return Event(
        kind=kind,
        player=player,
        id=id,
        at=None if at is None else when(at),
        target=target,
        profile=profile or {},
        values=values,
    )


def void(target, **more):
    return said("void", target=target, **more)


def unvoid(target, **more):
    return said("unvoid", target=target, **more)


def correct(target, score, **more):
    return said("correct", target=target, score=score, **more)


def ban(player, **more):
    return said("ban", player, **more)


def unban(player, **more):
    return said("unban", player, **more)


def forget(player, **more):
    return said("forget", player, **more)


def renamed(player, name, **more):
    return said("profile", player, profile={"name": name}, **more)


def whys(receipt):
    """What an event did, by ranking: window, period and tags as one text."""
    return {_where(each): each.why for each in receipt.rankings}


def moves(receipt):
    """(why, previous rank, rank) by ranking."""
    return {_where(each): (each.why, each.previous_rank, each.rank) for each in receipt.rankings}


def _where(placement):
    tags = [f"{name}={value}" for name, value in sorted(placement.tags.items())]
    return "/".join([placement.window, placement.period, *tags])


def pages(view, limit, cursor=None, back=False):
    """All entries from a cursor on, one page after the other."""
    found = []
    while True:
        page = view.page(limit, cursor)
        found[:] = [*page.entries, *found] if back else [*found, *page.entries]
        cursor = page.previous if back else page.next
        if cursor is None:
            return found


def last_cursor(view, limit):
    """The cursor to the last page, from a walk through all of them."""
    cursor = None
    while (page := view.page(limit, cursor)).next is not None:
        cursor = page.next
    return cursor


def agreed(view):
    """The entries of a ranking, after a check that every view says the same of each of them."""
    everything = view.top(1000)
    entries = list(everything.entries)
    assert everything.count == view.count() == len(entries)
    assert pages(view, 3) == entries
    end = last_cursor(view, 3)
    if end is not None:
        tail = view.page(3, end)
        before = entries[: len(entries) - len(tail.entries)]
        assert pages(view, 2, tail.previous, back=True) == before
    players = [entry.player for entry in entries]
    friends = view.among([*reversed(players), "nobody"]).friends if players else ()
    assert [friend.entry for friend in friends] == entries
    assert [friend.rank_among for friend in friends] == [entry.rank for entry in entries]
    for index, entry in enumerate(entries):
        assert view.entry(entry.player) == entry
        assert view.rank(entry.player) == entry.rank
        assert view.at(index + 1) == entry
        for limit in (1, 3, len(entries) + 2):
            window = list(view.around(entry.player, limit).entries)
            assert entry in window
            assert len(window) == min(limit, len(entries))
            assert window == entries[entries.index(window[0]) :][: len(window)]
    assert view.at(len(entries) + 1) is None
    assert view.rank("nobody") is None
    assert view.entry("nobody") is None
    assert view.around("nobody").entries == ()
    return entries


def anew(book, path):
    """A fresh store in memory with the book's log folded into it."""
    store = open_store("memory:", path)
    log = open_log("sqlite:", path)
    try:
        Folder(tuple(book._boards.values()), log, store, None).fold()
    finally:
        log.close()
    return store


def content(store, hints=False):
    """Every ranking of a store: its order and its members."""
    with store.audit() as audit:
        return {
            id.name: (list(audit.order(id)), sorted(audit.members(id)))
            for id in audit.rankings()
            if hints or not id.name.startswith("~~")
        }


def refolds_alike(book, home):
    """A fresh store folded from the log has what the book's store has."""
    book.fold()
    store = anew(book, home.path)
    try:
        assert content(store) == content(home.store)
    finally:
        store.close()
