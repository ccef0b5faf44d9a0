"""What the engine's tests share: opening with a check, and a set counted the slow way."""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path

from rankbook.engine.check import check
from rankbook.engine.environment import Environment

TINY = {"page_bytes": 120, "compact_bytes": 200}


def faults(environment):
    with environment.view() as transaction:
        return list(check(transaction))


@contextmanager
def opened(path: Path, **capacities) -> Iterator[Environment]:
    """An open environment that must pass its check before it is closed."""
    environment = Environment(path, **capacities)
    try:
        yield environment
        assert faults(environment) == []
    finally:
        environment.close()


class Model:
    """The same set as a dictionary; every answer is counted anew."""

    def __init__(self, key_bytes, group_bytes):
        self.key_bytes = key_bytes
        self.group_bytes = group_bytes
        self.entries = {}

    def apply(self, changes):
        for member, key, value in changes:
            if key is None:
                self.entries.pop(member, None)
            else:
                self.entries[member] = (key, value)

    def scan(self, start=0, limit=1 << 30):
        order = sorted((key, member, value) for member, (key, value) in self.entries.items())
        return [(member, key, value) for key, member, value in order[start : start + limit]]

    def rank(self, member):
        order = [entry[0] for entry in self.scan()]
        return order.index(member) if member in self.entries else None

    def count_before(self, bound):
        below = [key for member, (key, _) in self.entries.items() if key + member < bound]
        return len(below), len({key[: self.group_bytes] for key in below})

    @property
    def groups(self):
        return len({key[: self.group_bytes] for key, _value in self.entries.values()})


def assert_same(rankset, model, bounds=(), windows=((0, 3),)):
    """Every reading of the set is what the model says."""
    order = model.scan()
    names = [member for member, _key, _value in order]
    assert len(rankset) == len(order)
    assert rankset.groups == model.groups
    assert rankset.scan(0, len(order) + 1) == order
    for start, limit in windows:
        assert rankset.scan(start, limit) == order[start : start + limit]
    assert [rankset.rank(member) for member in names] == list(range(len(order)))
    assert [rankset.position(key, member) for member, key, _ in order] == list(range(len(order)))
    assert rankset.get_many([*names, b"\x00nobody"]) == model.entries
    assert {member: rankset.get(member) for member in names} == model.entries
    assert sorted(rankset.members()) == sorted(order)
    assert [key for key, _tail in rankset.order()] == [key for _member, key, _value in order]
    for bound in bounds:
        assert rankset.count_before(bound) == model.count_before(bound)


def full_reading(rankset, bounds):
    """Everything that can be read from a set, as one comparable value."""
    order = rankset.scan(0, len(rankset))
    return (
        len(rankset),
        rankset.groups,
        rankset.version,
        order,
        [rankset.rank(member) for member, _key, _value in order],
        [rankset.scan(start, 3) for start in range(0, len(order) + 2, 5)],
        [rankset.get(member) for member, _key, _value in order],
        list(rankset.order()),
        sorted(rankset.members()),
        [rankset.count_before(bound) for bound in bounds],
    )


def digest(reading):
    return blake2b(repr(reading).encode(), digest_size=16).hexdigest()
