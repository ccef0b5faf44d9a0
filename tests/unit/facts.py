"""Facts, and folding them by a board's rules into one player's entry."""

from rankbook.rules import Board, BoardRules, Fact


def fact(event_id, at=0, profile=None, player="asha", sequence=None, **values):
    return Fact(player, values, profile or {}, sequence, at, event_id, 1)


def rules(keep="best", measures=None, **fields):
    """The rules of a board by x, higher first."""
    made = {"measures": measures or {"x": "x"}, "order_by": ["x desc"], "keep": keep, **fields}
    return BoardRules(Board("b", **made))


def fold(board, facts, stored=None):
    """The stored entry after all facts, and the verdict of the last."""
    why = ""
    for each in facts:
        verdict = board.fold(stored, board.candidate(each))
        why = verdict.why
        if verdict.key is not None:
            stored = (verdict.key, verdict.value)
    return stored, why


def entry(board, facts):
    """The entry after all facts, as people read it; it also proves that key and value agree."""
    stored, _ = fold(board, facts)
    return board.entry(1, b"asha", *stored)
