"""Writes until no more fits, and looks at what is left; then goes on once there is room."""

import os
import resource
import sys
from pathlib import Path

from rankbook.engine.check import check
from rankbook.engine.environment import Environment
from rankbook.errors import StoreError

MB = 1 << 20
SPEC = (b"board", 8, 8)


def entries(batch, count=100):
    return [
        (b"m%d.%03d" % (batch, n), (n * 7 + batch).to_bytes(8, "big"), b"v" * 2000)
        for n in range(count)
    ]


def write(environment, batch):
    def work(transaction):
        transaction.rankset(*SPEC).apply(entries(batch), batch)
        transaction.put(b"position", b"%d" % batch)

    environment.update(work)


def holds(environment, batches):
    """Whether exactly these batches are there, and all is sound."""
    with environment.view() as transaction:
        faults = list(check(transaction))
        rankset = transaction.rankset(*SPEC)
        found = [tuple(entry) for entry in rankset.scan(0, 1 << 30)]
        wanted = [entry for batch in range(1, batches + 1) for entry in entries(batch)]
        ranks = [rankset.rank(member) for member, _key, _value in found[::10]]
        assert faults == [], faults
        assert found == sorted(wanted, key=lambda entry: (entry[1], entry[0]))
        assert ranks == list(range(0, len(found), 10))
        assert transaction.get(b"position") == b"%d" % batches


def refusal(action):
    """What the StoreError says; None where the action went well."""
    try:
        action()
    except StoreError as error:
        return str(error)
    return None


def fill(environment):
    """How many batches went in before the error; each attempt after it fails alike."""
    batch = 0
    while True:
        batch += 1
        assert batch < 200, "it never became full"
        said = refusal(lambda number=batch: write(environment, number))
        if said is not None:
            break
    for _again in range(3):
        assert any(word in said for word in ("space", "large", "full")), said
        holds(environment, batch - 1)
        said = refusal(lambda: write(environment, batch))
    return batch - 1


def limit(path):
    """The largest file may have 4 MB, and then any size."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (4 * MB, resource.RLIM_INFINITY))
    environment = Environment(path)
    batches = fill(environment)
    assert batches > 2
    environment.close()
    environment = Environment(path)
    holds(environment, batches)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    go_on(environment, path, batches)


def disk(path):
    """A disk of a few MB, part of which something else takes up until it goes."""
    other = path / "other"
    with other.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, 2 * MB)
    book = path / "book"
    environment = Environment(book)
    batches = fill(environment)
    assert batches > 2
    environment.close()
    environment = Environment(book)
    holds(environment, batches)
    other.unlink()
    go_on(environment, book, batches)


def go_on(environment, path, batches):
    write(environment, batches + 1)
    holds(environment, batches + 1)
    environment.close()
    environment = Environment(path)
    holds(environment, batches + 1)
    environment.close()


def begin(path):
    """Not even an empty book fits; later it does."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (MB // 2, resource.RLIM_INFINITY))
    for _again in range(2):
        assert str(path) in refusal(lambda: Environment(path))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    environment = Environment(path)
    write(environment, 1)
    holds(environment, 1)
    environment.close()


if __name__ == "__main__":
    {"limit": limit, "disk": disk, "begin": begin}[sys.argv[2]](Path(sys.argv[1]))
    sys.stdout.write("sound\n")
