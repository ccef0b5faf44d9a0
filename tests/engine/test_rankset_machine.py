"""A set changed in every way, from two processes, against a sorted list."""

import random
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from rankbook.engine.environment import Environment
from tests.depth import scaled
from tests.engine.other import Other
from tests.engine.reading import Model, assert_same, digest, faults, full_reading, opened

NAMES = [b"one", b"2" * 481]
KEY_BYTES = 8

# Few keys with many common prefixes, so that groups meet, break and join at page edges.
keys = st.builds(
    lambda group, rest: bytes([group // 5, group % 5, 0, 7]) + rest.to_bytes(4, "big"),
    st.integers(0, 24),
    st.sampled_from([0, 1, 255, 256, 2**32 - 1]),
)
tied = st.just(b"\x01\x02\x00\x07\x00\x00\x00\x00")
members = st.one_of(
    st.integers(0, 300).map(lambda n: b"m%03d" % n),
    st.integers(0, 300).map(lambda n: b"m%03d" % n + b"x" * (n % 13)),
    st.sampled_from([b"", b"\x00", b"\xff" * 30]),
    st.integers(0, 5).map(lambda n: b"m%d" % n + b"long" * [119, 121, 255, 256, 400, 9000][n]),
)
values = st.integers(0, 40).map(lambda n: b"v" * (n if n < 40 else 500))
capacities = st.fixed_dictionaries(
    {
        "page_bytes": st.sampled_from([80, 100, 150, 256, 400, 600]),
        "compact_bytes": st.sampled_from([0, 60, 200, 400]),
        "cache_pages": st.sampled_from([1, 2, 5, 30, 1000]),
    }
)
writers = st.sampled_from(["here", "there"])
names = st.sampled_from(NAMES)
seeds = st.integers(0, 9)


def changes_of(entry):
    return st.lists(entry, min_size=1, max_size=60, unique_by=lambda change: change[0])


class SetMachine(RuleBasedStateMachine):
    """Two sets in one directory that this process and another one have open."""

    other: Other

    @initialize(here=capacities, there=capacities, group_bytes=st.sampled_from([0, 1, 2, 4, 8]))
    def begin(self, here, there, group_bytes):
        self.path = Path(tempfile.mkdtemp(prefix="rankbook-machine-"))
        self.models = {name: Model(KEY_BYTES, group_bytes) for name in NAMES}
        self.group_bytes = group_bytes
        self.version = 0
        self.environment = Environment(self.path, **here)
        for _doubling in range(5):  # while a snapshot is held, the map cannot grow
            self.environment.make_room(1e6)
        self.other.ask("open", str(self.path), there)
        self.held = None

    def change(self, who, name, changes):
        self.version += 1
        if who == "here":

            def work(transaction):
                rankset = transaction.rankset(name, KEY_BYTES, self.group_bytes)
                rankset.apply(changes, self.version)

            self.environment.update(work)
        else:
            spec = (name, KEY_BYTES, self.group_bytes)
            self.other.ask("apply", *spec, changes, self.version)
        self.models[name].apply(changes)

    def known(self, name):
        return sorted(self.models[name].entries)

    @rule(who=writers, name=names, changes=changes_of(st.tuples(members, keys, values)))
    def put_a_batch(self, who, name, changes):
        self.change(who, name, changes)

    @rule(who=writers, name=names, changes=changes_of(st.tuples(members, tied, values)))
    def put_a_tie(self, who, name, changes):
        self.change(who, name, changes)

    @rule(who=writers, name=names, seed=seeds, count=st.sampled_from([1, 90, 250]))
    def put_many(self, who, name, seed, count):
        chance = random.Random(seed)
        self.change(
            who,
            name,
            [
                (b"m%03d" % n, bytes([0, seed % 5, 0, 7, 0, 0, 0, chance.randrange(3)]), b"")
                for n in chance.sample(range(300), count)
            ],
        )

    @rule(who=writers, name=names, data=st.data())
    def move_some(self, who, name, data):
        if self.models[name].entries:
            chosen = st.sampled_from(self.known(name))
            changes = changes_of(st.tuples(chosen, st.one_of(tied, keys, st.none()), values))
            self.change(who, name, data.draw(changes))

    @rule(
        who=writers, name=names, share=st.sampled_from([0.2, 0.5, 0.95, 1]), seed=st.integers(0, 9)
    )
    def remove_some(self, who, name, share, seed):
        known = self.known(name)
        gone = random.Random(seed).sample(known, int(len(known) * share))
        self.change(who, name, [(member, None, b"") for member in gone])

    @rule(who=writers, name=names, low=st.floats(0, 1), size=st.sampled_from([1, 5, 50]))
    def remove_a_run(self, who, name, low, size):
        order = [member for member, _key, _value in self.models[name].scan()]
        start = int(low * len(order))
        self.change(who, name, [(member, None, b"") for member in order[start : start + size]])

    @rule(name=names, changes=changes_of(st.tuples(members, keys, values)))
    def abandon_a_batch(self, name, changes):
        def work(transaction):
            transaction.rankset(name, KEY_BYTES, self.group_bytes).apply(changes, 0)
            raise KeyError

        with pytest.raises(KeyError):
            self.environment.update(work)

    @rule(changes=changes_of(st.tuples(members, keys, values)))
    def put_in_both_sets_at_once(self, changes):
        self.version += 1

        def work(transaction):
            for name in NAMES:
                rankset = transaction.rankset(name, KEY_BYTES, self.group_bytes)
                rankset.apply(changes, self.version)

        self.environment.update(work)
        for name in NAMES:
            self.models[name].apply(changes)

    @rule()
    def update_nothing(self):
        self.environment.update(self.look)

    @precondition(lambda self: self.held is None)
    @rule()
    def take_a_snapshot(self):
        held = self.environment.view()
        transaction = held.__enter__()
        self.held = held, transaction, {name: model.scan() for name, model in self.models.items()}

    @precondition(lambda self: self.held is not None)
    @rule()
    def read_and_leave_the_snapshot(self):
        held, transaction, orders = self.held
        self.held = None
        try:
            for name, order in orders.items():
                rankset = transaction.rankset(name, KEY_BYTES, self.group_bytes)
                assert rankset.scan(0, 1000) == order
                for place in range(0, len(order), 7):
                    assert rankset.rank(order[place][0]) == place
        finally:
            held.__exit__(None, None, None)

    @precondition(lambda self: self.held is None)
    @rule(here=capacities)
    def reopen(self, here):
        self.environment.close()
        self.environment = Environment(self.path, **here)

    @rule(name=names, bounds=st.lists(st.one_of(keys, tied, st.binary(max_size=9)), max_size=5))
    def compare_every_reading(self, name, bounds):
        bounds = [bound[:size] for bound in bounds for size in (1, 2, 5, 8, 9)]
        bounds += [key + member[:900] for member, key, _ in self.models[name].scan(0, 200)[::9]]
        with self.environment.view() as transaction:
            rankset = transaction.rankset(name, KEY_BYTES, self.group_bytes)
            windows = [(start, 4) for start in range(0, len(rankset), 11)]
            assert_same(rankset, self.models[name], bounds, windows)

    @rule(name=names)
    def compare_what_the_other_process_reads(self, name):
        reading = self.other.ask("read", name, KEY_BYTES, self.group_bytes)
        assert reading[3] == self.models[name].scan()
        assert reading[4] == list(range(len(reading[3])))

    @rule()
    def find_no_fault(self):
        assert faults(self.environment) == []

    def look(self, transaction):
        for name, model in self.models.items():
            rankset = transaction.rankset(name, KEY_BYTES, self.group_bytes)
            assert len(rankset) == len(model.entries)
            assert rankset.groups == model.groups
            assert rankset.scan(len(rankset) // 2, 2) == model.scan(len(rankset) // 2, 2)
            assert bool(rankset.version) == bool(model.entries)

    @invariant()
    def its_sizes_and_middles_agree(self):
        with self.environment.view() as transaction:
            self.look(transaction)

    def teardown(self):
        if not hasattr(self, "held"):
            return
        if self.held is not None:
            self.held[0].__exit__(None, None, None)
        try:
            with self.environment.view() as transaction:
                for name, model in self.models.items():
                    rankset = transaction.rankset(name, KEY_BYTES, self.group_bytes)
                    assert_same(rankset, model, [b"\x00\x03", b"\x01\x02\x00\x07"])
            assert faults(self.environment) == []
        finally:
            self.environment.close()
            self.other.ask("shut")
            shutil.rmtree(self.path)


@pytest.mark.deep
def test_a_set_is_a_sorted_list_whatever_happens_to_it():
    with Other() as other:

        class Machine(SetMachine):
            pass

        Machine.other = other
        run_state_machine_as_test(
            Machine,
            settings=settings(
                max_examples=scaled(200),
                stateful_step_count=30,
                phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
            ),
        )


def scripted_batches(seed):
    """A fixed script: growth, ties, moves, removals, a fall to nearly nothing, growth again."""
    chance = random.Random(seed)
    for phase, count in ((0, 60), (1, 120), (2, 80), (3, 200), (4, 5), (5, 90), (6, 150)):
        for _batch in range(6):
            changes = {}
            for _change in range(chance.choice([1, 3, count])):
                member = b"m%03d" % chance.randrange(count * 2)
                if chance.random() < 0.02:
                    member += b"l" * chance.choice([600, 2000])
                key = bytes([0, phase % 3, 0, chance.randrange(1 + count // 9)]) + bytes(4)
                gone = chance.random() < (0.9 if phase == 4 else 0.3)
                changes[member] = (member, None if gone else key, b"v" * chance.randrange(30))
            yield list(changes.values())


@pytest.mark.parametrize("seed", range(3))
def test_the_same_script_gives_the_same_readings_under_every_page_size(tmp_path, seed):
    bounds = [bytes([0, phase, 0, n]) for phase in range(3) for n in range(25)]
    sizes = [(80, 0), (97, 60), (200, 400), (600, 0), (600, 400), (4064, 16384), (65_000, 1000)]
    digests = set()
    model = Model(8, 4)
    for changes in scripted_batches(seed):
        model.apply(changes)
    for page_bytes, compact_bytes in sizes:
        path = tmp_path / f"{page_bytes} {compact_bytes}"
        readings = []
        with opened(path, page_bytes=page_bytes, compact_bytes=compact_bytes) as environment:
            for version, changes in enumerate(scripted_batches(seed)):

                def work(transaction, changes=changes, version=version):
                    rankset = transaction.rankset(b"board", 8, 4)
                    rankset.apply(changes, version + 1)
                    return full_reading(rankset, bounds)

                readings.append(environment.update(work))
            with environment.view() as transaction:
                rankset = transaction.rankset(b"board", 8, 4)
                assert_same(rankset, model, bounds)
                assert full_reading(rankset, bounds) == readings[-1]
        digests.add(digest(readings))
    assert len(digests) == 1
