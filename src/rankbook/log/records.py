"""What both logs do with drafts and events alike, whatever keeps them."""

from collections.abc import Callable, Iterator, Sequence

from rankbook.errors import Corrupt, EventConflict
from rankbook.log.base import Draft, Recorded


def ascending(events: list[Recorded], after: int) -> list[Recorded]:
    """The events of an answer, whose positions must ascend from the one that was asked for.

    Raises `Corrupt` where they do not: a reader that went on there would go round for ever.
    """
    for event in events:
        if event.seq <= after:
            raise Corrupt(f"the log has position {event.seq} after position {after}")
        after = event.seq
    return events


def distinct(drafts: Sequence[Draft]) -> dict[str, Draft]:
    """Every id once, in the order of the call.

    Raises `EventConflict` for an id that is there twice with two contents.
    """
    each: dict[str, Draft] = {}
    for draft in drafts:
        first = each.setdefault(draft.id, draft)
        if first is not draft:
            check_same(first, draft)
    return each


def check_same(first: Draft | Recorded, again: Draft) -> None:
    """Raises `EventConflict` where a known id comes again with other content.

    Content is the kind, the player and the body. A retry has times of its own.
    """
    if (first.kind, first.player, first.body) != (again.kind, again.player, again.body):
        raise EventConflict(again.id)


def streamed(page: Callable[[int], list[Recorded]]) -> Iterator[Recorded]:
    """All events of a query, page after page; `page` is given the position to go on after.

    Raises `Corrupt` where positions do not ascend.
    """
    after = 0
    while events := ascending(page(after), after):
        yield from events
        after = events[-1].seq
