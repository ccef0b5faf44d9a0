"""Forks: what a process has open must not be used by its children.

SQLite, LMDB and connections to PostgreSQL break when a parent and its child share them, and a lock
that another thread held at the fork is never released in the child. So whoever holds such a thing
calls `on_fork` once. In a child that Python forks, its `after_fork` then drops what was inherited,
and opens its own at the next use.
"""

import os
from typing import Protocol
from weakref import WeakSet


class Holder(Protocol):
    """Whoever holds something that a forked child must not share."""

    def after_fork(self) -> None:
        """Drop what was inherited. Called in the child, before anything else runs there."""
        ...


_holders: "WeakSet[Holder]" = WeakSet()
# Kept alive, for closing one could disturb the parent.
_inherited: list[object] = []


def on_fork(holder: Holder) -> None:
    """Have `holder.after_fork` called in every child that is forked while the holder lives."""
    _holders.add(holder)


def keep(inherited: object) -> None:
    """Neither use nor close what was inherited."""
    _inherited.append(inherited)


def _in_child() -> None:
    for holder in list(_holders):
        holder.after_fork()


os.register_at_fork(after_in_child=_in_child)
