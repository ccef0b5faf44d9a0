"""The manifest: under which specification and from which log rankings were made. It is stored with
the rankings, and tells what has changed since."""

from typing import Any

import msgspec

from rankbook.errors import Corrupt, RebuildNeeded
from rankbook.log.base import Log
from rankbook.rules import BookSpec

# Where the note says how rankings are spread over parts, and of which log they are: no board has
# such a name.
BOOK, LOG = "[book]", "[log]"

Meanings = dict[str, dict[str, Any]]

_meanings = msgspec.json.Decoder(Meanings)


class Manifest:
    """The specification that gives stored rankings their meaning, and their log, known by its first
    event. If two books of one specification share a place by mistake, their logs differ."""

    def __init__(self, spec: BookSpec, log: Log) -> None:
        self._log = log
        self._meanings: Meanings = {board.name: board.meaning() for board in spec.boards}
        if spec.partition == "board":
            self._meanings[BOOK] = {"partition": "board"}
        elif spec.partition == "period":
            self._meanings[BOOK] = {"partition": "period", "partitions": spec.partitions}
        self._packed = self._bare = _packed(self._meanings)

    def packed(self) -> bytes:
        """The manifest in a stable form. While the log is empty, it does not name the log."""
        if LOG not in self._meanings:
            for first in self._log.read(0, 1):
                self._meanings[LOG] = {"first": first.id, "received_us": first.received_us}
                self._packed = _packed(self._meanings)
        return self._packed

    def agrees(self, kept: bytes | None) -> bool:
        """Whether rankings with this stored manifest belong to this specification and log. Rankings
        without a manifest do, and so do those made while the log was empty."""
        return kept in (None, self._packed, self._bare) or kept == self.packed()

    def check(self, kept: bytes | None) -> None:
        """Raises `RebuildNeeded` with every difference. Rankings without a manifest are new."""
        if kept is None or self.agrees(kept):
            return
        before, now = _read(kept), _read(self.packed())
        self._check_log(before)
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

    def check_served(self, kept: bytes | None) -> None:
        """As `check`, for a book that was opened before that manifest was written."""
        if not self.agrees(kept):
            self._check_log(_read(kept or b"{}"))
            raise RebuildNeeded(
                "the rankings were made anew under other rules: open the book again"
            )

    def _check_log(self, before: Meanings) -> None:
        there, here = before.get(LOG), self._meanings.get(LOG)
        if there is None or here is None or there == here:
            return  # an empty log is told by its head
        raise RebuildNeeded(
            f"the rankings are of another log, whose first event is {there.get('first')!r} and not "
            f"{here['first']!r}: give one of the two books another place, on Redis another ?tag=, "
            "or rebuild to have these made from this log"
        )


def _packed(meanings: Meanings) -> bytes:
    return msgspec.json.encode(meanings, order="deterministic")


def _read(kept: bytes) -> Meanings:
    try:
        return _meanings.decode(kept)
    except msgspec.DecodeError as error:
        raise Corrupt("the note of the rankings' specification cannot be read") from error


def check_log(head: int, position: int) -> None:
    """Raises `RebuildNeeded` if the rankings are ahead of the log. Then they were made from another
    log, or the log was replaced."""
    if head < position:
        raise RebuildNeeded(
            f"the log ends at {head:,} and the rankings are made up to {position:,}: it is another "
            "log, or an older copy; rebuild them to go on with it"
        )


def _changes(name: str, before: dict[str, Any] | None, now: dict[str, Any] | None) -> list[str]:
    if name == BOOK:
        was, is_ = _partition(before), _partition(now)
        return [f"the partition was {was}, is {is_}"] if before != now else []
    if name == LOG:
        return []
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
