"""Every store against the store in memory: the same steps, and the same readings after each."""

import shutil
import tempfile
from itertools import count
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from rankbook.errors import PositionMoved
from rankbook.store import open_store
from rankbook.store.base import AroundMember, ByPosition, Change, CountBefore, FromBound, RankingId
from rankbook.store.memory import MemoryStore
from tests.depth import scaled

TINY = {"page_bytes": 128, "compact_bytes": 200}
SMALL = {"page_bytes": 512, "compact_bytes": 1500, "demote_bytes": 1400, "cache_pages": 4}
FACTORIES = {
    "embedded": lambda directory: open_store("embedded:", directory),
    "embedded-small": lambda directory: open_store("embedded:", directory, **SMALL),
    "embedded-tiny": lambda directory: open_store("embedded:", directory, **TINY),
}
RANKINGS = [RankingId("a", 2, 1), RankingId("a/b", 3, 3), RankingId("b", 9, 2)]

# Few members and few key bytes, so that steps meet each other; now and then any bytes at all.
POOL = [b"%c%d" % (97 + number % 3, number) for number in range(50)]
REMOVES = st.booleans()
MEMBERS = st.sampled_from(POOL) | st.binary(min_size=1, max_size=256)
VALUES = st.binary(max_size=12) | st.binary(min_size=200, max_size=400)
KEY_BYTES = st.sampled_from([0, 1, 2, 255])


@st.composite
def changes(draw, members=MEMBERS, max_size=12, remove=REMOVES):
    """Changes of one ranking, at most one a member."""
    ranking = draw(st.sampled_from(RANKINGS))
    found = []
    for member in draw(st.lists(members, unique=True, max_size=max_size)):
        if draw(remove):
            found.append(Change(ranking, member, None))
        else:
            size = ranking.key_bytes
            key = bytes(draw(st.lists(KEY_BYTES, min_size=size, max_size=size)))
            found.append(Change(ranking, member, key, draw(VALUES)))
    return found


def queries(ranking, items):
    """Every way to read a ranking whose key + member are `items`, at its edges and inside."""
    size, some = ranking.key_bytes, items[:: max(1, len(items) // 12)]
    yield ByPosition(ranking, 0, len(items) + 1)
    for start in (1, len(items) // 2, len(items) - 1, len(items), len(items) + 5):
        yield ByPosition(ranking, max(0, start), 3)
    yield AroundMember(ranking, b"nobody", 3)
    for item in some:
        for limit in (1, 4, 5, len(items) + 2):
            yield AroundMember(ranking, item[size:], limit)
    bounds = [b"", b"\x00", b"\xff", b"\xff" * 300]
    for item in some:
        bounds += [item, item + b"\x00", item[:-1], item[:1], item[:size], item[:size] + b"\xff"]
    for bound in bounds:
        yield FromBound(ranking, bound, 4)
        yield FromBound(ranking, bound, 4, reverse=True)
    yield CountBefore(ranking, tuple(bounds))


class StoresAgree(RuleBasedStateMachine):
    """Drives memory and another store with the same steps. `open_other` is set by the test."""

    open_other = staticmethod(FACTORIES["embedded"])

    def __init__(self):
        super().__init__()
        self.directory = Path(tempfile.mkdtemp())
        self.memory = MemoryStore()
        self.other = self.open_other(self.directory)
        self.receipts = count()

    def both(self, changes, then):
        receipts = [(next(self.receipts), b"receipt")] if len(changes) % 2 else []
        expect = self.memory.position()
        for store in (self.memory, self.other):
            store.publish(changes, receipts, expect=expect, then=expect + then)

    @initialize(parts=st.lists(changes(members=st.sampled_from(POOL), max_size=50), max_size=3))
    def start_with_some(self, parts):
        for part in parts:
            self.both(part, 1)

    @rule(part=changes(), then=st.integers(1, 3))
    def publish(self, part, then):
        self.both(part, then)

    @rule(
        ranking=st.sampled_from(RANKINGS),
        seed=st.integers(0, 2**32),
        size=st.sampled_from([20, 80, 250]),
        tied=st.booleans(),
        removed=st.sampled_from([0, 0.3, 0.9]),
    )
    def publish_many(self, ranking, seed, size, tied, removed):
        random = Random(seed)
        part = []
        for number in random.sample(range(400), size):
            member = b"p%03d" % number + b"x" * (number % 7) ** 2
            key = random.choice(b"\x00\x01\xff") if tied else random.randrange(256)
            key = bytes([key]).rjust(ranking.key_bytes, b"\x00")[: ranking.key_bytes]
            gone = random.random() < removed
            part.append(Change(ranking, member, None if gone else key, b"v" * (number % 5)))
        self.both(part, 1)

    @rule(parts=st.tuples(changes(), changes(), changes()))
    def publish_in_several_rankings(self, parts):
        by_entry = {(change.ranking, change.member): change for part in parts for change in part}
        self.both(list(by_entry.values()), 1)

    @rule(ranking=st.sampled_from(RANKINGS), keep=st.integers(0, 3))
    def remove_most(self, ranking, keep):
        with self.memory.audit() as audit:
            members = [row.member for row in audit.members(ranking)]
        self.both([Change(ranking, member, None) for member in members[keep:]], 1)

    @rule(part=changes(), off=st.sampled_from([-1, 1]))
    def publish_at_another_position(self, part, off):
        expect = self.memory.position() + off
        for store in (self.memory, self.other):
            with pytest.raises(PositionMoved):
                store.publish(part, [(0, b"never")], expect=expect, then=expect + 1)

    @rule()
    def open_again(self):
        self.other.close()
        self.other = self.open_other(self.directory)

    @invariant()
    def both_read_the_same(self):
        with self.memory.audit() as audit:
            content = {id: list(audit.members(id)) for id in RANKINGS}
            order = {id: [key + member for key, member in audit.order(id)] for id in RANKINGS}
        asked = [query for id in RANKINGS for query in queries(id, order[id])]
        mine, others = self.memory.read(asked), self.other.read(asked)
        assert others.position == mine.position == self.other.position()
        for query, answer, other in zip(asked, mine.answers, others.answers, strict=True):
            assert other == answer, query
        wanted = [(id, member) for id in RANKINGS for member in [*POOL, b"nobody"]]
        wanted += [(id, row.member) for id in RANKINGS for row in content[id]]
        assert self.other.entries(wanted) == self.memory.entries(wanted)
        assert self.other.receipts(range(60)) == self.memory.receipts(range(60))

    def teardown(self):
        try:
            self.audits_agree()
        finally:
            self.other.close()
            shutil.rmtree(self.directory)

    def audits_agree(self):
        with self.memory.audit() as mine, self.other.audit() as other:
            assert list(other.faults()) == list(mine.faults()) == []
            assert other.position == mine.position
            assert list(other.rankings()) == list(mine.rankings())
            for id in RANKINGS:
                assert list(other.order(id)) == list(mine.order(id))
                assert sorted(other.members(id)) == sorted(mine.members(id))
                wanted = [row.member for row in mine.members(id)]
                assert other.entries(id, wanted) == mine.entries(id, wanted)


@pytest.mark.deep
@pytest.mark.parametrize("factory", FACTORIES)
def test_a_store_reads_like_the_store_in_memory_after_every_step(factory):
    class Machine(StoresAgree):
        open_other = staticmethod(FACTORIES[factory])

    run_state_machine_as_test(
        Machine, settings=settings(max_examples=scaled(20), stateful_step_count=12)
    )
