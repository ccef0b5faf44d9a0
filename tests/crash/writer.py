"""For each path that it reads, a child that writes batches as fast as it can until it is killed.

The child says its process id, and each number when the batch is in. It is forked, so that killing
it often costs no start.

Every batch changes three sets and the position in one transaction; the values say which batch
wrote them. The sets grow and shrink, so that they change their form now and then.
"""

import os
import random
import sys
from pathlib import Path

from rankbook.engine.environment import Environment

NAMES = (b"one", b"two", b"three")
MEMBERS = [b"m%03d" % n for n in range(300)]
CAPACITIES = {"page_bytes": 400, "compact_bytes": 1500, "cache_pages": 50}


def changes_of(number, name):
    """What batch `number` does to a set; the same whenever it is asked."""
    chance = random.Random(f"{number} {name!r}")
    changes = {}
    if number % 40 == 0:
        changes = {member: (member, None, b"") for member in MEMBERS}
    for _change in range(chance.choice([1, 2, 30])):
        member = chance.choice(MEMBERS)
        key = chance.randrange(40).to_bytes(8, "big")
        gone = chance.random() < (0.2)
        value = b"%d " % number + b"v" * chance.randrange(60)
        changes[member] = (member, None if gone else key, value)
    # One member changes in every batch, so that each set tells which batch was the last.
    changes[b"last"] = (b"last", number.to_bytes(8, "big"), b"%d " % number)
    return list(changes.values())


def write(environment, number):
    def work(transaction):
        assert transaction.get(b"position") == (b"%d" % (number - 1) if number > 1 else None)
        for name in NAMES:
            transaction.rankset(name, 8, 8).apply(changes_of(number, name), number)
        transaction.put(b"position", b"%d" % number)

    environment.update(work)


def say(text):
    os.write(1, f"{text}\n".encode())


def write_on(path):
    say(os.getpid())
    environment = Environment(Path(path), **CAPACITIES)
    with environment.view() as transaction:
        number = int(transaction.get(b"position") or b"0")
    while True:
        number += 1
        write(environment, number)
        say(number)


def main():
    for line in sys.stdin:
        pid = os.fork()
        if pid == 0:
            write_on(line.rstrip("\n"))
        os.waitpid(pid, 0)
        say("ended")


if __name__ == "__main__":
    main()
