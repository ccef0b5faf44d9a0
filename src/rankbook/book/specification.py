"""Under which specification rankings were made, kept beside them, and what has changed since."""

from typing import Any

import msgspec

from rankbook.errors import Corrupt, RebuildNeeded
from rankbook.rules import BookSpec

# Where the note says how rankings are spread over parts: no board has such a name.
BOOK = "[book]"


def note(spec: BookSpec) -> bytes:
    """What gives the stored rankings their meaning, in a stable form."""
    meanings = {board.name: board.meaning() for board in spec.boards}
    if spec.partition == "board":
        meanings[BOOK] = {"partition": "board"}
    elif spec.partition == "period":
        meanings[BOOK] = {"partition": "period", "partitions": spec.partitions}
    return msgspec.json.encode(meanings, order="deterministic")


def check(spec: BookSpec, kept: bytes | None) -> None:
    """Compare the note kept beside the rankings with the specification of now.

    Raises `RebuildNeeded` with every difference. A store without a note is new.
    """
    if kept is None:
        return
    try:
        before: dict[str, dict[str, Any]] = msgspec.json.decode(
            kept, type=dict[str, dict[str, Any]]
        )
    except msgspec.DecodeError as error:
        raise Corrupt("the note of the rankings' specification cannot be read") from error
    now: dict[str, dict[str, Any]] = msgspec.json.decode(note(spec))
    changes = [
        change
        for name in sorted(before.keys() | now.keys())
        for change in _changes(name, before.get(name), now.get(name))
    ]
    if changes:
        raise RebuildNeeded(
            "the rankings were made under another specification; rebuild them: "
            + "; ".join(changes)
        )


def check_log(head: int, position: int) -> None:
    """Raises `RebuildNeeded` when the rankings are ahead of the log: it is not, or is no longer,
    the one that they were made from."""
    if head < position:
        raise RebuildNeeded(
            f"the log ends at {head:,} and the rankings are made up to {position:,}: it is another "
            "log, or an older copy; rebuild them to go on with it"
        )


def _changes(name: str, before: dict[str, Any] | None, now: dict[str, Any] | None) -> list[str]:
    if name == BOOK:
        was, is_ = _partition(before), _partition(now)
        return [f"the partition was {was}, is {is_}"] if before != now else []
    if before is None:
        return [f"board {name!r} is new"]
    if now is None:
        return [f"board {name!r} is gone"]
    return [
        f"board {name!r}: {key} was {_text(before.get(key))}, is {_text(now.get(key))}"
        for key in sorted(before.keys() | now.keys())
        if before.get(key) != now.get(key)
    ]


def _partition(said: dict[str, Any] | None) -> str:
    return "by book" if said is None else "by " + " of ".join(map(str, said.values()))


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
