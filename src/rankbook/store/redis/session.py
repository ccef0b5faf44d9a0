"""Which generation of rankings is served, and calls of scripts on it.

Another process may serve another generation at any time. A script that gets an old one says so and
does nothing. The call is then sent again, to the generation that is served now.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rankbook.errors import Corrupt, RebuildNeeded, StoreError
from rankbook.store.base import MANIFEST
from rankbook.store.redis.alphabet import read_text
from rankbook.store.redis.keys import Keys
from rankbook.store.redis.transport import Transport, Word

ATTEMPTS = 100
# The fields of the book's head that name a generation by its role.
SERVED = "generation"
STAGING = "beside"

Build = Callable[[Keys], tuple[Sequence[str], Sequence[Word]]]


class Generation(NamedTuple):
    """A generation as it was last seen: its keys, the id of its first publish (empty: none yet),
    and its manifest, where that is known."""

    keys: Keys
    made: str
    manifest: bytes | None


class Session:
    """Calls on the generation in one role: the served one, or the staged one.

    `seen` is that generation as the last call found it.
    """

    def __init__(self, transport: Transport, tag: str, role: str, number: int) -> None:
        self.transport = transport
        self.tag = tag
        self.role = role
        self.seen = Generation(Keys(tag, number), "", None)

    @property
    def keys(self) -> Keys:
        """The keys of the generation as it was last seen."""
        return self.seen.keys

    def remember_manifest(self, manifest: bytes) -> None:
        """Remember the manifest of the generation that was last seen."""
        self.seen = self.seen._replace(manifest=manifest)

    def serve(self, number: int) -> None:
        """This process has promoted the generation of that number."""
        self.seen = Generation(Keys(self.tag, number), "", None)

    def run(self, name: str, build: Build, settled: frozenset[str] | set[str] = frozenset()) -> Any:
        """The reply of a script, whose keys and words `build` makes for a generation.

        `settled` are the refusals that the caller handles. Raises `StoreError` for the others, and
        `RebuildNeeded` where others have made the rankings anew under another manifest.
        """
        for _attempt in range(ATTEMPTS):
            seen = self.seen
            keys, words = build(seen.keys)
            words = [self.role, seen.keys.generation, *words]
            try:
                reply = self.transport.run(name, keys, words)
            except Corrupt:
                self._name_mistyped(seen.keys, keys)
                raise
            status = reply[0]
            if status == "generation":
                self._follow(reply[1])
            elif status == "made":
                self._notice(seen.keys, reply[1])
            elif status != "ok" and status not in settled:
                raise refusal(self.transport.where, reply)
            else:
                if status == "ok" and reply[1] != seen.made:
                    self._notice(seen.keys, reply[1], ours=name == "publish")
                return reply
        raise StoreError("the rankings are made anew faster than they can be read")

    def _name_mistyped(self, known: Keys, keys: Sequence[str]) -> None:
        """Raises `Corrupt`, which names the key that has the wrong type."""
        types = self.transport.run("types", keys, [])[1]
        for key, kind in zip(keys, types, strict=True):
            if kind not in ("none", known.kind(key)):
                raise refusal(self.transport.where, ["type", key, kind])

    def _follow(self, number: str) -> None:
        """Use the generation that now has the role."""
        if self.role == STAGING or not number:
            raise StoreError("the staged rankings have been promoted or discarded")
        self._notice(Keys(self.tag, int(number)), "")

    def _notice(self, keys: Keys, made: str, *, ours: bool = False) -> None:
        """Other rankings are served than this store last saw, or the same ones were begun anew.

        Raises `RebuildNeeded` where they were made under another manifest than those before.
        """
        if ours:
            self.seen = self.seen._replace(made=made)
            return
        head: list[Word] = [self.role, keys.generation, 1, MANIFEST]
        reply = self.transport.run("receipts", [*keys.common[:2], keys.bucket(0)], head)
        if reply[0] == "generation":
            return
        if reply[0] != "ok":
            raise refusal(self.transport.where, reply)
        [found] = reply[3]
        manifest = None if found is None else read_text(found)
        known = self.seen.manifest
        if self.role == SERVED and None not in (known, manifest) and known != manifest:
            # Whoever asks for the manifest next is told so, too.
            self.seen = self.seen._replace(made="")
            raise RebuildNeeded(
                "the rankings were made anew under other rules: open the book again"
            )
        self.seen = Generation(keys, reply[1], manifest if manifest is not None else known)


def refusal(where: str, reply: Sequence[Any]) -> StoreError:
    """The error for a refusal by a script, which has written nothing."""
    what, *rest = reply
    if what == "type":
        return Corrupt(f"{where}: the key {rest[0]!r} is a {rest[1]}; nothing was written")
    if what == "shape":
        key_bytes, group_bytes, _version = (rest[1] + " 0 0 0").split()[:3]
        return StoreError(f"{rest[0]!r} is kept with keys of {key_bytes}, {group_bytes} bytes")
    if what == "lost":
        return Corrupt(f"{where}: an entry of {rest[0]!r} is not in {rest[1]!r}")
    if what == "unstaged":
        return StoreError(f"{where}: a part of a large publish was lost on the way")
    return StoreError(f"{where}: {' '.join(str(each) for each in reply)}")
