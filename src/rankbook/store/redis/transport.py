"""The seam between the store and whatever brings scripts to a server: text there, text back.

A reply is nested lists of text, numbers and None. All scripts can be sent again: those that write
recognise what they have done. So a transport tries a few times before it raises `StoreError`.
"""

from collections.abc import Sequence
from typing import Any, Protocol

Word = str | int


class Transport(Protocol):
    """Runs scripts on one server, from any number of threads."""

    where: str
    """What it is connected to, as people may see it: without a password or token."""

    def run(self, name: str, keys: Sequence[str], words: Sequence[Word]) -> list[Any]:
        """The reply of the script of that name. Raises `StoreError`."""
        ...

    def close(self) -> None:
        """Release every connection. Later calls raise `StoreError`."""
        ...
