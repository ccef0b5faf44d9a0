"""One state of a store, for checking, read in pages while others go on publishing.

During an audit, each publish saves the entry that a member had when the audit began, once, in two
keys of the audit's own. A page is what the store holds now, without the members whose entries were
saved, and with the saved entries that belong into it. So the cost grows with what is published
meanwhile, and memory here holds one page. One audit runs at a time. If its process is killed, it
ends by itself.
"""

import secrets
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from heapq import merge
from typing import Any

from rankbook.errors import Corrupt, StoreError
from rankbook.store.base import Audit, Progress, RankingId, Row, Stored
from rankbook.store.redis.alphabet import read_key, read_text, shape_of, text
from rankbook.store.redis.keys import Keys
from rankbook.store.redis.queries import stored, version
from rankbook.store.redis.session import Session
from rankbook.store.redis.transport import Word

LEASE_SECONDS = 60
PAGE = 1000
ENDED = "the rankings were replaced or partly dropped while they were audited: audit again"


@contextmanager
def audit(session: Session) -> Iterator[Audit]:
    """Open an audit of the served rankings. Raises `StoreError` while another one is open."""
    id = secrets.token_hex(8)
    seen: list[Keys] = []

    def build(keys: Keys) -> tuple[Sequence[str], Sequence[Word]]:
        seen.append(keys)
        return [*keys.common, *keys.audit], [id, LEASE_SECONDS, 0]

    reply = session.run("audit_begin", build, settled={"audited"})
    if reply[0] == "audited":
        raise StoreError("another audit of these rankings is under way, or was cut off just now")
    opened = RedisAudit(session, seen[-1], id, int(reply[2]), reply[3])
    done = threading.Event()
    holder = threading.Thread(target=opened.hold, args=[done], daemon=True)
    holder.start()
    try:
        yield opened
    finally:
        done.set()
        holder.join()
        with suppress(StoreError):  # it ends by itself
            opened.end()


class RedisAudit:
    """The `Audit` protocol over the served rankings."""

    def __init__(
        self, session: Session, keys: Keys, id: str, position: int, records: Sequence[str]
    ) -> None:
        self.position = position
        self._session = session
        self._keys = keys
        self._id = id
        self._records = dict(zip(records[::2], records[1::2], strict=True))

    def hold(self, done: threading.Event) -> None:
        """Keep the audit open until `done`. If that fails, the next page raises it."""
        while not done.wait(LEASE_SECONDS / 4):
            with suppress(StoreError):
                self.prolong()

    def prolong(self) -> None:
        """Renew the lease. Raises `StoreError` if the audit has ended."""
        self._run("audit_begin", [*self._keys.common, *self._keys.audit], [LEASE_SECONDS, 1])

    def end(self) -> None:
        """Save nothing more for this audit."""
        self._run("audit_end", [*self._keys.common, *self._keys.audit], [])

    def _run(self, name: str, keys: Sequence[str], words: Sequence[Word]) -> Any:
        head: list[Word] = [self._session.role, self._keys.generation, self._id]
        reply = self._session.transport.run(name, keys, [*head, *words])
        if reply[0] == "type":
            raise Corrupt(f"the key {reply[1]!r} is a {reply[2]}")
        if reply[0] != "ok":
            raise StoreError(ENDED)
        return reply

    def _pages(self, name: str, key: str, words: Sequence[Word], cursor: str) -> Iterator[Any]:
        """The replies of a script that gives a cursor as its second item, until that is empty."""
        while True:
            keys = [*self._keys.common, *self._keys.audit, key]
            reply = self._run(name, keys, [cursor, PAGE, *words])
            yield reply
            cursor = reply[1]
            if not cursor:
                return

    def rankings(self) -> Iterator[RankingId]:
        """Every ranking that had an entry when the audit began, by name."""
        for name, record in sorted(self._records.items()):
            try:
                key_bytes, group_bytes, _version = [int(part) for part in record.split()]
            except ValueError:
                raise Corrupt(f"the record of {name!r} cannot be read") from None
            yield RankingId(name, key_bytes, group_bytes)

    def order(self, ranking: RankingId) -> Iterator[tuple[bytes, bytes]]:
        """(key, member) of the order, in rank order."""
        of = shape_of(ranking)
        key = self._keys.of_ranking(ranking.name)[0]
        for reply in self._pages("audit_order", key, [ranking.name, of.key_digits], ""):
            for item in merge(reply[2], reply[3]):
                yield read_key(item[: of.key_digits], of), read_text(item[of.key_digits :])

    def members(self, ranking: RankingId) -> Iterator[Row]:
        """The entries of the members. An entry that is published meanwhile may come twice."""
        key = self._keys.members(ranking.name)
        words: list[Word] = [ranking.name, shape_of(ranking).key_digits]
        for script, cursor in (("audit_members", "0"), ("audit_kept", "")):
            for reply in self._pages(script, key, words, cursor):
                yield from _rows(ranking, reply[2])

    def entries(self, ranking: RankingId, members: Sequence[bytes]) -> list[Stored | None]:
        """The entries that these members had."""
        keys = [*self._keys.common, *self._keys.audit, self._keys.members(ranking.name)]
        asked = [text(member) for member in members]
        reply = self._run("audit_entries", keys, [ranking.name, *asked])
        of, read = shape_of(ranking), dict[str, bytes]()
        return [stored(entry, of, read) if entry else None for entry in reply[1]]

    def faults(self, progress: Progress | None = None) -> Iterator[str]:
        """Broken invariants of the stored form. Each page shows one moment."""
        for name, record in sorted(self._records.items()):
            try:
                [ranking] = [each for each in self.rankings() if each.name == name]
                if version(ranking, record) > self.position:
                    yield f"{name}: its version is ahead of the position"
                yield from self._faults(ranking, progress)
            except Corrupt as error:
                yield f"{name}: {error}"

    def _faults(self, ranking: RankingId, progress: Progress | None) -> Iterator[str]:
        of = shape_of(ranking)
        keys = [*self._keys.common, *self._keys.audit, *self._keys.of_ranking(ranking.name)]
        for walk, begin in (("order", ""), ("members", "0"), ("groups", "")):
            cursor = begin
            while True:
                words: list[Word] = [walk, cursor, PAGE, of.key_digits, of.group_digits]
                _ok, cursor, seen, faults = self._run("audit_faults", keys, words)
                for what, where in zip(faults[::2], faults[1::2], strict=True):
                    yield f"{ranking.name}: {what}: {where!r}"
                if progress is not None and walk == "order":
                    progress(seen)
                if not cursor:
                    break


def _rows(ranking: RankingId, found: Sequence[str]) -> Iterator[Row]:
    of, read = shape_of(ranking), dict[str, bytes]()
    for member, entry in zip(found[::2], found[1::2], strict=True):
        yield Row(read_text(member), *stored(entry, of, read))
