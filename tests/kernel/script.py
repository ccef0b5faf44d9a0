"""A few hundred operations on an engine; prints which kernels ran and a hash of all readings."""

import random
import sys
import tempfile
from hashlib import blake2b
from pathlib import Path

from rankbook.engine import page_cy, tree_cy
from rankbook.engine.check import check
from rankbook.engine.environment import Environment


def changes_of(chance, size):
    changes = {}
    for _change in range(size):
        member = b"m%03d" % chance.randrange(400)
        if chance.random() < 0.03:
            member = member * chance.choice([200, 300, 2000])
        key = bytes([0, chance.randrange(4), 0, chance.randrange(30)]) + bytes(4)
        gone = chance.random() < 0.35
        changes[member] = (member, None if gone else key, b"v" * chance.randrange(40))
    return list(changes.values())


def readings(rankset):
    order = [tuple(entry) for entry in rankset.scan(0, len(rankset))]
    yield len(rankset), rankset.groups, rankset.version, order
    for member, key, _value in order[::3]:
        yield rankset.rank(member), rankset.get(member)
        yield rankset.count_before(key), rankset.count_before(key + member[:900])
    for start in range(0, len(order), 17):
        yield [tuple(entry) for entry in rankset.scan(start, 5)]
    yield sorted(rankset.get_many([member for member, _key, _value in order[::5]]).items())
    yield list(rankset.order())
    yield [tuple(entry) for entry in rankset.members()]


def run(path, page_bytes, compact_bytes):
    chance = random.Random(page_bytes)
    with_sizes = {"page_bytes": page_bytes, "compact_bytes": compact_bytes, "cache_pages": 40}
    environment = Environment(path, **with_sizes)
    for version in range(1, 101):
        name = chance.choice([b"one", b"two"])
        changes = changes_of(chance, chance.choice([1, 1, 4, 60, 200]))

        def work(transaction, name=name, changes=changes, version=version):
            transaction.rankset(name, 8, 4).apply(changes, version)

        environment.update(work)
        with environment.view() as transaction:
            if version % 4 == 0:
                yield from readings(transaction.rankset(name, 8, 4))
            if version % 25 == 0:
                yield list(check(transaction))
                pages = transaction.handle.cursor(environment.resources.pages_db)
                yield [bytes(value) for _key, value in pages]
    environment.close()


def main():
    digest = blake2b(digest_size=16)
    with tempfile.TemporaryDirectory() as directory:
        for page_bytes, compact_bytes in ((90, 0), (300, 500), (4064, 16384)):
            path = Path(directory) / str(page_bytes)
            for reading in run(path, page_bytes, compact_bytes):
                digest.update(repr(reading).encode())
    compiled = page_cy.COMPILED and tree_cy.COMPILED
    sys.stdout.write(f"{'compiled' if compiled else 'plain'} {digest.hexdigest()}\n")


if __name__ == "__main__":
    main()
