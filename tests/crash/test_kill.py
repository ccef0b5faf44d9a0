"""A process that writes as fast as it can is killed at random, again and again."""

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from rankbook.engine.check import check
from rankbook.engine.environment import Environment
from tests.crash.writer import CAPACITIES, NAMES, changes_of
from tests.engine.other import surroundings
from tests.engine.reading import Model

ROUNDS = 200
WRITER = Path(__file__).with_name("writer.py")


@pytest.fixture
def writer():
    """The program that forks writers."""
    program = subprocess.Popen(
        [sys.executable, WRITER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=surroundings()
    )
    yield program
    program.stdin.close()
    program.wait()
    program.stdout.close()


def write_until_killed(writer, path, batches, pause):
    """Kill a writer `pause` steps after it acknowledged `batches`; the last acknowledged."""
    writer.stdin.write(f"{path}\n".encode())
    writer.stdin.flush()
    pid = int(writer.stdout.readline())
    acknowledged = 0
    for _batch in range(batches):
        acknowledged = int(writer.stdout.readline())
    for _step in range(pause):
        pass
    os.kill(pid, signal.SIGKILL)
    while (line := writer.stdout.readline()) != b"ended\n":
        acknowledged = int(line)
    return acknowledged


def test_a_killed_writer_loses_nothing_and_leaves_every_set_sound(tmp_path, writer):
    chance = random.Random(7)
    models = {name: Model(8, 8) for name in NAMES}
    position = 0
    forms = set()
    for _round in range(ROUNDS):
        acknowledged = write_until_killed(
            writer, tmp_path, chance.choice([0, 1, 2, 5, 20]), chance.randrange(20_000)
        )
        environment = Environment(tmp_path, **CAPACITIES)
        assert not environment.unclean
        with environment.view() as transaction:
            assert list(check(transaction)) == []
            before, position = position, int(transaction.get(b"position") or b"0")
            assert position >= acknowledged
            for number in range(before + 1, position + 1):
                for name, model in models.items():
                    model.apply(changes_of(number, name))
            for name, model in models.items():
                rankset = transaction.rankset(name, 8, 8)
                assert rankset.scan(0, 1000) == model.scan()
                assert rankset.version == position
                if position:
                    assert rankset.get(b"last") == (position.to_bytes(8, "big"), b"%d " % position)
                    forms.add(rankset.form)
        environment.close()
    assert position > ROUNDS
    assert forms == {"compact", "tree"}
