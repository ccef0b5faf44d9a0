"""Generations of rankings, one served and perhaps one staged, and their description in numbers.

One field of the book's head names the generation that is served. So another takes its place in one
small step, however large both are. Discarded ones are removed afterwards, some keys at a time. If a
process is killed there, the next one that makes or drops a generation continues.
"""

from collections.abc import Callable
from typing import Any

from rankbook.errors import StoreError
from rankbook.store.redis.keys import VERSION, Keys
from rankbook.store.redis.session import SERVED, STAGING, Session
from rankbook.store.redis.transport import Transport, Word

RUN = 100
BUCKETS_RUN = 500
COUNTED = 1000


def begin(transport: Transport, keys: Keys) -> int:
    """The number of the staged generation. If there is none, it is begun."""
    remove(transport, keys)
    return int(_reply(transport, "begin", [keys.head], [])[1])


def promote(
    transport: Transport,
    served: Keys,
    wanted: Callable[[str], bool] | None,
    manifest: str,
    *,
    behind: bool,
) -> int:
    """Serve the staged generation, or its wanted rankings. Returns its number, or 0 while that
    cannot be done."""
    number = _staging(transport, served)
    if number == 0:
        return 0
    made = Keys(served.tag, number)
    if wanted is None:
        names = [served.head, made.state, served.state, made.bucket(0), served.removed]
        words: list[Word] = [STAGING, number, served.generation, manifest, int(behind)]
        reply = transport.run("promote", [*names, served.audit[0]], words)
        return number if _done(reply) else 0
    return number if _promote_some(transport, made, served, wanted) else 0


def _promote_some(
    transport: Transport, made: Keys, served: Keys, wanted: Callable[[str], bool]
) -> bool:
    """Serve the wanted staged rankings instead of the old ones, in one step."""
    position, ours = _names(transport, STAGING, made, wanted)
    _position, theirs = _names(transport, SERVED, served, wanted)
    names = [served.head, made.state, served.state, served.removed, served.audit[0]]
    names += [made.rankings, served.rankings]
    for name in theirs:
        names += served.of_ranking(name)
    for name in ours:
        names += [*made.of_ranking(name), *served.of_ranking(name)]
    words: list[Word] = [STAGING, made.generation, served.generation, position]
    words += [len(theirs), len(ours), *theirs, *ours]
    return _done(transport.run("promote_some", names, words))


def _names(
    transport: Transport, role: str, keys: Keys, wanted: Callable[[str], bool]
) -> tuple[int, list[str]]:
    reply = _reply(transport, "describe", keys.common, [role, keys.generation])
    return int(reply[2]), [name for name in reply[3][::2] if wanted(name)]


def _done(reply: list[Any]) -> bool:
    """Whether it was done. No, if the script answers `behind` or names another generation."""
    if reply[0] in ("behind", "served", "generation"):
        return False
    return bool(_checked(reply))


def _staging(transport: Transport, keys: Keys) -> int:
    """The number of the staged generation; 0 for none."""
    return int(_reply(transport, "staging", [keys.head], [])[1])


def discard(transport: Transport, keys: Keys) -> None:
    """Discard the staged generation."""
    _reply(transport, "discard", [keys.head, keys.removed], [])


def remove(transport: Transport, keys: Keys) -> None:
    """Remove discarded generations, in small steps."""
    for number in _reply(transport, "removed", [keys.removed], [])[1]:
        gone = Keys(keys.tag, int(number))
        unlinked: list[str] = []
        names: list[str] = []
        left: Word = ""
        while True:
            reply = _reply(
                transport,
                "remove",
                [keys.removed, gone.state, gone.rankings, *gone.audit, *unlinked],
                [number, RUN, left, *names],
            )
            names, buckets = reply[1], int(reply[2])
            if not names and not buckets:
                break
            left = max(0, buckets - BUCKETS_RUN)
            unlinked = [key for name in names for key in gone.of_ranking(name)]
            unlinked += [gone.bucket(bucket) for bucket in range(left, buckets)]


def describe(session: Session) -> dict[str, Any]:
    """A generation in numbers."""
    entries = 0
    reply, keys = described(session)
    names = reply[3][::2]
    for start in range(0, len(names), COUNTED):
        members = [keys.members(name) for name in names[start : start + COUNTED]]
        entries += sum(_reply(session.transport, "sizes", members, [])[1])
    return {
        "kind": session.transport.where,
        "tag": session.tag,
        "form": VERSION,
        "generation": keys.generation,
        "position": int(reply[2]),
        "rankings": len(names),
        "entries": entries,
    }


def described(session: Session) -> tuple[list[Any], Keys]:
    """The names and records of the served rankings, and the keys of their generation."""
    seen: list[Keys] = []

    def build(keys: Keys) -> tuple[list[str], list[Word]]:
        seen.append(keys)
        return keys.common, []

    return session.run("describe", build), seen[-1]


def _reply(transport: Transport, name: str, keys: list[str], words: list[Word]) -> list[Any]:
    return _checked(transport.run(name, keys, words))


def _checked(reply: list[Any]) -> list[Any]:
    if reply[0] == "generation":
        raise StoreError("another generation of rankings is served now")
    if reply[0] != "ok":
        raise StoreError(" ".join(str(each) for each in reply))
    return reply
