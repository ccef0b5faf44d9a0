"""Comparing stored rankings, in both indexes, with those that the log gives."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Literal

import msgspec

from rankbook.book.state import POISON, is_hint
from rankbook.errors import Corrupt, NotFound
from rankbook.rules import BoardRules, Ranking
from rankbook.store.base import Audit, Progress, RankingId

CHUNK = 1000
MOST_LISTED = 10_000

Kind = Literal["missing", "extra", "different"]
Index = Literal["order", "members"]


class Disagreement(msgspec.Struct, frozen=True, kw_only=True):
    """One entry that differs from what the log says, in one of the two indexes.

    `expected` and `found` are what to look at: the score at which the entry stands, or the entry.
    """

    ranking: str
    player: str
    index: Index
    kind: Kind
    expected: object
    found: object


class Verification(msgspec.Struct, frozen=True, kw_only=True):
    """The result of `verify`, at one log position. `pending` is how many log positions lie after
    it, whose events are not ranked yet. `set_aside` is how many events cannot be read, so that they
    are not ranked."""

    agrees: bool
    position: int
    pending: int
    rankings: int
    entries: int
    disagreements: tuple[Disagreement, ...]
    faults: tuple[str, ...]
    set_aside: int = 0


def compare(
    boards: Mapping[str, BoardRules],
    expected: Audit,
    actual: Audit,
    head: int,
    compared: Progress,
) -> Verification:
    """Compare every ranking of `actual` with `expected`. Both are at the same position; the log
    ends at `head`.

    Lists at most 10,000 disagreements. If the rest of a ranking cannot be read, that is a fault,
    and the next ranking is compared. `compared` is called with numbers of entries compared.
    """
    faults: list[str] = []
    names = {id.name: id for id in expected.rankings() if not is_hint(id.name)}
    with _noting("the list of rankings", faults):
        names |= {id.name: id for id in actual.rankings() if not is_hint(id.name)}
    disagreements: list[Disagreement] = []
    entries = 0
    for name in sorted(names):
        with _noting(name, faults):
            entries += sum(1 for _ in actual.order(names[name]))
            for each in _ranking(boards, names[name], expected, actual, compared):
                if len(disagreements) < MOST_LISTED:
                    disagreements.append(each)
    set_aside = 0
    with _noting(POISON.name, faults):
        set_aside = sum(1 for _ in actual.order(POISON))
    faults += actual.faults()
    return Verification(
        agrees=not disagreements and not faults,
        position=actual.position,
        pending=max(0, head - actual.position),
        rankings=len(names),
        entries=entries,
        disagreements=tuple(disagreements),
        faults=tuple(faults),
        set_aside=set_aside,
    )


def joined(found: Sequence[Verification], names: Sequence[str]) -> Verification:
    """One verification from those of a book's parts: the lowest position, and the sums."""
    if len(found) == 1:
        return found[0]
    disagreements = [each for one in found for each in one.disagreements]
    return Verification(
        agrees=all(each.agrees for each in found),
        position=min([each.position for each in found]),
        pending=max([each.pending for each in found]),
        rankings=sum([each.rankings for each in found]),
        entries=sum([each.entries for each in found]),
        disagreements=tuple(disagreements[:MOST_LISTED]),
        faults=tuple(
            [
                f"part {name}: {fault}"
                for name, one in zip(names, found, strict=True)
                for fault in one.faults
            ]
        ),
        set_aside=max([each.set_aside for each in found]),
    )


@contextmanager
def _noting(where: str, faults: list[str]) -> Iterator[None]:
    """Turns damage that ends a read into a fault."""
    try:
        yield
    except Corrupt as error:
        faults.append(f"{where}: {error}")


def _ranking(
    boards: Mapping[str, BoardRules],
    id: RankingId,
    expected: Audit,
    actual: Audit,
    compared: Progress,
) -> Iterator[Disagreement]:
    describe = _Describe(boards, id)
    yield from _order(describe, expected.order(id), actual.order(id))
    for chunk in _chunks(expected.members(id)):
        found = actual.entries(id, [row.member for row in chunk])
        for row, there in zip(chunk, found, strict=True):
            if there is None:
                yield describe.members("missing", row.member, row.value, None)
            elif (there.key, there.value) != (row.key, row.value):
                yield describe.members("different", row.member, row.value, there.value)
        compared(len(chunk))
    for chunk in _chunks(actual.members(id)):
        wanted = expected.entries(id, [row.member for row in chunk])
        for row, there in zip(chunk, wanted, strict=True):
            if there is None:
                yield describe.members("extra", row.member, None, row.value)


def _order(
    describe: "_Describe",
    expected: Iterator[tuple[bytes, bytes]],
    actual: Iterator[tuple[bytes, bytes]],
) -> Iterator[Disagreement]:
    """Merge both orders, which ascend. A member at another place is missing at one place and extra
    at the other."""
    left, right = next(expected, None), next(actual, None)
    while left is not None or right is not None:
        if left == right:
            left, right = next(expected, None), next(actual, None)
        elif right is None or (left is not None and left < right):
            yield describe.order("missing", left)
            left = next(expected, None)
        else:
            yield describe.order("extra", right)
            right = next(actual, None)


def _chunks(rows: Iterable[object]) -> Iterator[list]:  # type: ignore[type-arg]
    chunk: list[object] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == CHUNK:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


class _Describe:
    """Turns stored bytes of one ranking into what a person reads."""

    def __init__(self, boards: Mapping[str, BoardRules], id: RankingId) -> None:
        self._name = id.name
        self._rules = _rules_of(boards, id)

    def order(self, kind: Kind, item: tuple[bytes, bytes] | None) -> Disagreement:
        key, member = item if item is not None else (b"", b"")
        score = self._score(key)
        return self._made(
            "order",
            kind,
            member,
            score if kind == "missing" else None,
            score if kind == "extra" else None,
        )

    def members(
        self, kind: Kind, member: bytes, expected: bytes | None, found: bytes | None
    ) -> Disagreement:
        return self._made("members", kind, member, _decoded(expected), _decoded(found))

    def _made(
        self, index: Index, kind: Kind, member: bytes, expected: object, found: object
    ) -> Disagreement:
        return Disagreement(
            ranking=self._name,
            player=member.decode(errors="replace"),
            index=index,
            kind=kind,
            expected=expected,
            found=found,
        )

    def _score(self, key: bytes) -> object:
        return key.hex() if self._rules is None else self._rules.key_score(key)


def _rules_of(boards: Mapping[str, BoardRules], id: RankingId) -> BoardRules | None:
    """The rules that made the ranking's keys. None if it is not a ranking of these boards."""
    try:
        rules = boards.get(Ranking.parse(id.name).board)
    except NotFound:
        return None
    return rules if rules is not None and rules.key_bytes == id.key_bytes else None


def _decoded(value: bytes | None) -> object:
    """A stored entry as plain data, or its hex digits if it cannot be decoded."""
    if value is None:
        return None
    try:
        return msgspec.msgpack.decode(value)
    except msgspec.DecodeError:
        return value.hex()
