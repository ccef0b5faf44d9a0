"""The seam between the store and the clients that run scripts on a server: text there, text back.

A reply is nested lists of text, numbers and None. Every script can be sent again, because a script
that writes recognises what it has done. So a transport tries a few times before it raises
`StoreError`.
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
