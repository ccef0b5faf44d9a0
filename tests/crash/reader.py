"""Reads everything of one damaged directory after another, and says how the reads came out.

A line of input is a directory; a line of output is "right" and "refused" counts, or a wrong answer.
"""

import sys
from pathlib import Path

from rankbook.engine.check import check
from rankbook.engine.environment import Environment
from rankbook.errors import RankbookError

CAPACITIES = {"page_bytes": 2500, "compact_bytes": 400}
NAMES = (b"distinct", b"tied", b"small")


def entries(name):
    """The sets' entries, in order."""
    if name == b"distinct":
        return [(b"d%04d" % n, n.to_bytes(8, "big"), b"v%d" % n) for n in range(1500)]
    if name == b"tied":
        return [(b"t%04d" % n, (n // 600).to_bytes(8, "big"), b"v%d" % n) for n in range(1500)]
    return [(b"s%d" % n, n.to_bytes(8, "big"), b"v%d" % n) for n in range(9)]


class Reading:
    def __init__(self, environment):
        self.environment = environment
        self.right = self.refused = 0
        self.wrong = []

    def hold(self, what, read, expected):
        try:
            with self.environment.view() as transaction:
                answer = read(transaction)
        except RankbookError:
            self.refused += 1
            return
        if answer == expected:
            self.right += 1
        else:
            self.wrong.append((what, str(answer)[:200], str(expected)[:200]))


def read_all(path):
    environment = Environment(path, **CAPACITIES)
    reading = Reading(environment)
    for name in NAMES:
        order = entries(name)
        for at in range(0, len(order), 29):
            member, key, value = order[at]
            read_one(reading, name, at, member, key, value)
            page = order[at : at + 29]
            reading.hold((name, "scan", at), lambda t, n=name, a=at: scan(t, n, a, 29), page)
        reading.hold((name, "all"), lambda t, n=name: scan(t, n, 0, 10_000), order)
    reading.hold("check", lambda t: bool(list(check(t))), True)
    environment.close()
    return reading


def scan(transaction, name, start, limit):
    return [tuple(entry) for entry in transaction.rankset(name, 8, 8).scan(start, limit)]


def read_one(reading, name, at, member, key, value):
    def get(transaction):
        return transaction.rankset(name, 8, 8).get(member)

    def rank(transaction):
        return transaction.rankset(name, 8, 8).rank(member)

    def count_before(transaction):
        return transaction.rankset(name, 8, 8).count_before(key)

    below = [k for _m, k, _v in entries(name) if k < key]
    reading.hold((name, "get", at), get, (key, value))
    reading.hold((name, "rank", at), rank, at)
    reading.hold((name, "count", at), count_before, (len(below), len(set(below))))


def main():
    for line in sys.stdin:
        reading = read_all(Path(line.strip()))
        for wrong in reading.wrong[:5]:
            sys.stdout.write(f"{wrong} ")
        sys.stdout.write(f"right {reading.right} refused {reading.refused}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
