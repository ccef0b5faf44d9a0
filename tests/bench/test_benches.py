"""Every measurement runs, at its smallest size, and gives the numbers that it promises."""

import json
import os
import shutil
import subprocess
import sys
from importlib import import_module

import pytest

from bench.__main__ import BENCHES
from tests.conftest import PROJECT
from tests.faults.conftest import IN_MEMORY
from tests.servers import Missing, skip_or_fail

# What makes each measurement small, and the programs that it needs.
SMALLEST = {
    "engine": ("--entries 1000 --rounds 1", ["redis-server"]),
    "fold": ("--entries 1000 --rounds 1", ["redis-server"]),
    "http": ("--events 200 --seconds 1 --rounds 1 --cold", ["wrk"]),
    "motor_sport": ("", []),
    "stores": ("--events 400 --entries 1000 --rounds 1", ["redis-server"]),
    "submit": ("--events 400 --rounds 1", ["redis-server"]),
}
OTHERS = {"motor_sport": {"points_equal", "wins_equal", "events_per_second"}}
SECONDS = 600


def test_each_measurement_has_a_smallest_size():
    assert SMALLEST.keys() == BENCHES.keys()


@pytest.mark.server
@pytest.mark.parametrize("name", SMALLEST)
def test_a_measurement_gives_its_numbers(name, request, tmp_path):
    options, programs = SMALLEST[name]
    for program in programs:
        if shutil.which(program) is None:
            skip_or_fail(Missing(f"needs {program}: sudo apt-get install {program}"))
    if name == "motor_sport":
        request.getfixturevalue("shared_data")
    folder = str(IN_MEMORY if IN_MEMORY.is_dir() else tmp_path)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-m", "bench", name, *options.split(), "--json"],
        cwd=PROJECT,
        env={**os.environ, "TMPDIR": folder},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    numbers = json.loads(done.stdout)
    wanted = {*getattr(import_module(BENCHES[name]), "GOALS", ()), *OTHERS.get(name, ())}
    assert wanted
    assert wanted <= numbers.keys()
    unknown = [key for key, number in numbers.items() if number is None]
    if unknown:
        skip_or_fail(Missing(f"needs PostgreSQL for {', '.join(unknown)}"))
    assert all(numbers[key] > 0 for key in wanted)
