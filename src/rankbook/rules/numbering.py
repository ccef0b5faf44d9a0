"""The numbers that players show: ordinal 1234, competition 1224, dense 1223."""

from collections.abc import Sequence
from typing import Literal

Numbering = Literal["ordinal", "competition", "dense"]
NUMBERINGS: tuple[Numbering, ...] = ("ordinal", "competition", "dense")


def ranks(
    numbering: Numbering,
    start: int,
    before: int,
    groups_before: int,
    prefixes: Sequence[bytes],
) -> list[int]:
    """The 1-based numbers of neighbouring rows, from their group prefixes. O(rows).

    `start` is the first row's 0-based position; `before` entries and `groups_before` groups stand
    before the first row's group.
    """
    if numbering == "ordinal":
        return list(range(start + 1, start + 1 + len(prefixes)))
    numbers: list[int] = []
    number = (before if numbering == "competition" else groups_before) + 1
    for offset, prefix in enumerate(prefixes):
        if offset and prefix != prefixes[offset - 1]:
            number = start + offset + 1 if numbering == "competition" else number + 1
        numbers.append(number)
    return numbers
