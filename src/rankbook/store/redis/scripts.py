"""The scripts, loaded by name from the folder beside this file; nothing else reads that folder.

Each is sent with common.lua in front. It begins with a comment that names its KEYS, ARGV and
RETURNS. EVALSHA calls it by its digest.
"""

from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import NamedTuple

NAMES = (
    "discard",
    "promote",
    "promote_some",
    "audit_begin",
    "audit_end",
    "audit_entries",
    "audit_faults",
    "audit_kept",
    "audit_members",
    "audit_order",
    "begin",
    "describe",
    "entries",
    "position",
    "publish",
    "read",
    "receipts",
    "remove",
    "removed",
    "sizes",
    "stage",
    "staging",
    "types",
)


class Script(NamedTuple):
    """A script as it is sent."""

    name: str
    text: str
    digest: str


@cache
def script(name: str) -> Script:
    """The script of a name."""
    folder = files("rankbook.store.redis").joinpath("scripts")
    parts = [folder.joinpath(f"{each}.lua").read_text("ascii") for each in ("common", name)]
    text = "\n".join(parts)
    return Script(name, text, sha1(text.encode(), usedforsecurity=False).hexdigest())
