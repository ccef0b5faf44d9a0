"""Bytes of the tree's pages are changed on the disk: answers are right, or refused."""

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rankbook.engine.environment import Environment
from tests.crash.reader import CAPACITIES, NAMES, entries
from tests.depth import scaled
from tests.engine.other import surroundings

PLACES = scaled(100)
READER = Path(__file__).with_name("reader.py")


def write_sets(path):
    """A directory with two trees and a compact set; its tree pages."""
    environment = Environment(path, **CAPACITIES)
    for name in NAMES:
        environment.update(lambda t, name=name: t.rankset(name, 8, 8).apply(entries(name), 1))
    with environment.view() as transaction:
        stored = transaction.handle.cursor(environment.resources.pages_db)
        pages = [bytes(page) for _id, page in stored]
    environment.close()
    return pages


def offsets_of(data, page):
    """Where the page stands in the file; LMDB may have left older copies."""
    found = []
    at = data.find(page)
    while at >= 0:
        found.append(at)
        at = data.find(page, at + 1)
    return found


@pytest.mark.deep
def test_bytes_changed_on_the_disk_never_give_a_wrong_answer(tmp_path):
    pages = write_sets(tmp_path / "sound")
    data = (tmp_path / "sound" / "data.mdb").read_bytes()
    assert len(pages) > 20
    chance = random.Random(11)
    reader = subprocess.Popen(
        [sys.executable, READER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=surroundings(),
        text=True,
    )
    damaged = tmp_path / "damaged"
    refused = []
    for number in range(PLACES):
        page = pages[number % len(pages)]
        offsets = offsets_of(data, page)
        assert offsets
        wrong = bytearray(data)
        where = chance.randrange(len(page))
        for offset in offsets:
            wrong[offset + where] ^= 1 << chance.randrange(8)
        shutil.rmtree(damaged, ignore_errors=True)
        damaged.mkdir()
        (damaged / "data.mdb").write_bytes(wrong)
        reader.stdin.write(f"{damaged}\n")
        reader.stdin.flush()
        answer = reader.stdout.readline()
        assert answer.startswith("right "), answer or f"the reader ended: {reader.wait()}"
        _right, right, _refused, count = answer.split()
        assert int(right) > 0
        refused.append(int(count))
    reader.stdin.close()
    assert reader.wait() == 0
    reader.stdout.close()
    assert min(refused) > 0
