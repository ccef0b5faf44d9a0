"""The store on Redis, Valkey, a cluster or Upstash: every call is one script, in one round trip.

A ranking is a sorted set of key and member with scores 0, which Redis keeps in the order of their
bytes, and a hash of the entries. A second sorted set has the groups of ties that exist. One script
writes a publish. It compares the position first, so it can be sent again, and any number of
processes may fold. Neither this file nor the scripts know rules.
"""

import secrets
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

from rankbook.errors import PositionMoved, StoreError
from rankbook.store.base import MANIFEST, Audit, Change, Query, RankingId, Reading, Stored
from rankbook.store.redis import generations
from rankbook.store.redis.alphabet import read_text, text
from rankbook.store.redis.audit import audit
from rankbook.store.redis.keys import BUCKET, DEFAULT_TAG, Keys, checked_tag
from rankbook.store.redis.publishing import Publication
from rankbook.store.redis.queries import Asking, Known, stored_all
from rankbook.store.redis.session import ATTEMPTS, SERVED, STAGING, Session
from rankbook.store.redis.transport import Transport, Word

STAGE_SECONDS = 600
MOST_WORDS = 50_000
MOST_CHARACTERS = 4_000_000


class RedisStore:
    """Rankings of one book, under the hash tag `tag`, behind a transport. Safe for many threads.

    A publish of more than `most_words` words or `most_characters` characters is sent in parts.
    """

    remote = True

    def __init__(
        self,
        transport: Transport,
        *,
        tag: str = DEFAULT_TAG,
        most_words: int = MOST_WORDS,
        most_characters: int = MOST_CHARACTERS,
        role: str = SERVED,
        generation: int = 0,
    ) -> None:
        self.transport = transport
        self.tag = tag
        self.session = Session(transport, tag, role, generation)
        self._most = (most_words, most_characters)
        self._known: Known = {}

    # --- the protocol Store ----------------------------------------------------------------------

    def position(self) -> int:
        """How far into the log these rankings have been folded."""
        reply = self.session.run("position", lambda keys: (keys.common[:2], ()))
        return int(reply[2])

    def entries(self, wanted: Sequence[tuple[RankingId, bytes]]) -> tuple[int, list[Stored | None]]:
        """The position, and each entry wanted, from one state.

        If they do not fit into one call, several calls read them, and the state must stay the same
        meanwhile.
        """
        words, characters = self._most
        longest = max([len(member) for _ranking, member in wanted], default=0)
        most = min(words, max(1, characters // (longest + 8)))
        if len(wanted) <= most:
            return self._entries(wanted)
        for _attempt in range(ATTEMPTS):
            parts = [
                self._entries(wanted[start : start + most]) for start in range(0, len(wanted), most)
            ]
            if len({position for position, _found in parts}) == 1:
                return parts[0][0], [each for _position, found in parts for each in found]
        raise StoreError("others publish faster than the entries can be read")

    def _entries(
        self, wanted: Sequence[tuple[RankingId, bytes]]
    ) -> tuple[int, list[Stored | None]]:
        asked: dict[str, tuple[RankingId, list[str]]] = {}
        runs = 0
        members: list[str] = []
        last: RankingId | None = None
        for ranking, member in wanted:
            if ranking is not last:
                _ranking, members = asked.setdefault(ranking.name, (ranking, []))
                runs, last = runs + 1, ranking
            members.append(member.decode("latin-1"))
        words: list[Word] = []
        for name, (_ranking, members) in asked.items():
            words += (name, len(members))
        for _ranking, members in asked.values():
            words += members
        reply = self.session.run(
            "entries", lambda keys: ([*keys.common, *map(keys.members, asked)], words)
        )
        found = {
            ranking.name: stored_all(ranking, record, entries)
            for (ranking, _members), record, entries in zip(
                asked.values(), reply[3], reply[4], strict=True
            )
        }
        if runs == len(asked):
            return int(reply[2]), [each for entries in found.values() for each in entries]
        following = {name: iter(entries) for name, entries in found.items()}
        return int(reply[2]), [next(following[ranking.name]) for ranking, _member in wanted]

    def publish(
        self,
        changes: Sequence[Change],
        receipts: Sequence[tuple[int, bytes]],
        *,
        expect: int,
        then: int,
        drops: Sequence[RankingId] = (),
    ) -> None:
        """Write everything in one step, or raise `PositionMoved` and write nothing."""
        publication = Publication(changes, receipts, drops)
        id = secrets.token_hex(8)
        *staged, last = publication.parts(*self._most)
        parts = [self.session.keys.stage(id, number) for number in range(len(staged))]
        for part, words in zip(parts, staged, strict=True):
            self.transport.run("stage", [part], [STAGE_SECONDS, *words])
        sizes = (publication.written, publication.dropped, publication.buckets, parts)
        counts = [len(each) for each in sizes]
        reply = self.session.run(
            "publish",
            lambda keys: (
                publication.keys(keys, parts),
                (self.session.seen.made, expect, then, id, *counts, *last),
            ),
            settled={"moved"},
        )
        if reply[0] == "moved":
            raise PositionMoved(f"the rankings stand at {reply[1]}, not at {expect}")
        manifest = next((each for seq, each in receipts if seq == MANIFEST), None)
        if manifest is not None:
            self.session.remember_manifest(manifest)

    def read(self, queries: Sequence[Query]) -> Reading:
        """Answer all queries from one state, in one round trip."""
        asking = Asking(queries, self._known)

        def build(keys: Keys) -> tuple[Sequence[str], Sequence[Word]]:
            names = [*keys.common]
            for ranking in asking.rankings:
                names += keys.of_ranking(ranking.name)
            return names, [*asking.head(), *asking.words]

        reply = self.session.run("read", build)
        return Reading(int(reply[2]), asking.answers(reply[3], reply[4:]))

    def receipts(self, seqs: Sequence[int]) -> list[bytes | None]:
        """The receipts published for these log positions.

        The manifest is remembered while the rankings are those that it was read from. Every other
        call notices where they are not, and reads it again. So it costs no round trip of its own.
        """
        seen = self.session.seen
        if list(seqs) == [MANIFEST] and seen.made and seen.manifest is not None:
            return [seen.manifest]
        buckets: dict[int, list[int]] = {}
        for seq in dict.fromkeys(seqs):
            buckets.setdefault(seq // BUCKET, []).append(seq)
        words: list[Word] = []
        for each in buckets.values():
            words += (len(each), *each)
        reply = self.session.run(
            "receipts", lambda keys: ([*keys.common[:2], *map(keys.bucket, buckets)], words)
        )
        order = [seq for each in buckets.values() for seq in each]
        found = dict(zip(order, reply[3], strict=True))
        if MANIFEST in found and found[MANIFEST] is not None:
            self.session.remember_manifest(read_text(found[MANIFEST]))
        return [None if found[seq] is None else read_text(found[seq]) for seq in seqs]

    def close(self) -> None:
        """Release every connection; closing twice is harmless."""
        self.transport.close()

    # --- the protocols Auditable, Rebuildable, Partitionable and Describable --------------------

    def audit(self) -> AbstractContextManager[Audit]:
        """One state of everything, even if others publish meanwhile. Each book has one audit at a
        time."""
        return audit(self.session)

    def staging(self) -> "RedisStore":
        """The staged rankings. If there are none, they are begun."""
        number = generations.begin(self.transport, self.session.keys)
        words, characters = self._most
        return RedisStore(
            self.transport,
            tag=self.tag,
            most_words=words,
            most_characters=characters,
            role=STAGING,
            generation=number,
        )

    def promote(
        self, wanted: Callable[[str], bool] | None, manifest: bytes, *, behind: bool = False
    ) -> bool:
        """Serve the staged rankings, in one step. False while they are behind the served ones."""
        self.position()
        promoted = generations.promote(
            self.transport, self.session.keys, wanted, text(manifest), behind=behind
        )
        if promoted and wanted is None:
            self.session.serve(promoted)
        if promoted:
            generations.remove(self.transport, self.session.keys)
        return bool(promoted)

    def discard(self) -> None:
        """Discard the staged rankings, and remove them in steps."""
        generations.discard(self.transport, self.session.keys)
        generations.remove(self.transport, self.session.keys)

    def part(self, name: str) -> "RedisStore":
        """The rankings under another hash tag, over the same connections."""
        words, characters = self._most
        tag = f"{self.tag}:{checked_tag(name)}"
        return RedisStore(self.transport, tag=tag, most_words=words, most_characters=characters)

    def describe(self) -> dict[str, Any]:
        """What the store holds, in numbers."""
        return generations.describe(self.session)
