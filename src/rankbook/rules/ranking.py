"""Names of rankings: ``speed/daily/2026-11-30/mode=time``.

Every part is percent-encoded, and tags are sorted by name, so a ranking has one name and a name
can be read back exactly, whatever text the tags hold.
"""

from collections.abc import Mapping
from urllib.parse import quote, unquote

import msgspec

from rankbook.errors import NotFound, Refused
from rankbook.rules.specs import UNPRINTABLE

MAX_TAG = 64

Tags = tuple[tuple[str, str], ...]


class Ranking(msgspec.Struct, frozen=True):
    """One ranking: board x window x period x tags. `tags` are sorted (name, value) pairs."""

    board: str
    window: str
    period: str
    tags: Tags = ()
    name: str = ""

    def __post_init__(self) -> None:
        """Gives it its name."""
        tags = tuple(sorted(self.tags))
        parts = [quote(part, safe="") for part in (self.board, self.window, self.period)]
        parts += [f"{quote(key, safe='')}={quote(value, safe='')}" for key, value in tags]
        msgspec.structs.force_setattr(self, "tags", tags)
        msgspec.structs.force_setattr(self, "name", "/".join(parts))

    @classmethod
    def parse(cls, name: str) -> "Ranking":
        """The ranking of a name. Raises `NotFound` for text that is no ranking's name."""
        parts = name.split("/")
        pairs = [part.partition("=") for part in parts[3:]]
        tags = tuple([(unquote(key), unquote(value)) for key, _, value in pairs])
        if len(parts) >= 3:
            board, window, period = map(unquote, parts[:3])
            found = cls(board, window, period, tags)
            if found.name == name:
                return found
        raise NotFound(f"{name!r} is not the name of a ranking")


def tag_text(name: str, value: object) -> str:
    """A value as a tag: text as it is, integers and booleans in text.

    Raises `Refused` at `name` when it is missing, empty, longer than 64 characters, has a control
    character, or is anything else.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if value is None:
        raise Refused(name, "is missing, and a board is split by it")
    if not isinstance(value, str):
        raise Refused(name, f"is a {type(value).__name__}; a board is split by text or integers")
    if not 1 <= len(value) <= MAX_TAG:
        raise Refused(name, f"has {len(value)} characters; a tag has 1 to {MAX_TAG}")
    if UNPRINTABLE.search(value):
        raise Refused(name, "has a control character in it")
    return value


def tags_of(tags: Mapping[str, object]) -> Tags:
    """Tags as sorted pairs of text. Raises `Refused` as `tag_text` does."""
    return tuple(sorted([(name, tag_text(name, value)) for name, value in tags.items()]))
