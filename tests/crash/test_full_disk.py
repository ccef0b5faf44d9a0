"""A disk that fills up, or a limit on the size of files: a clear error, and the old state."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.other import surroundings

FILLER = Path(__file__).with_name("filler.py")
MOUNTED = 'mount -t tmpfs -o size=6m rankbook "$1" && exec "$2" "$3" "$1" disk'
ALONE = ["unshare", "--user", "--map-root-user", "--mount"]


def run(*command):
    return subprocess.run(
        [str(part) for part in command],
        env=surroundings(),
        capture_output=True,
        text=True,
        check=False,
    )


def can_mount(path):
    try:
        return run(*ALONE, "mount", "-t", "tmpfs", "rankbook", path).returncode == 0
    except FileNotFoundError:
        return False


def test_a_limit_on_the_size_of_files_is_a_clear_error_and_leaves_the_old_state(tmp_path):
    done = run(sys.executable, FILLER, tmp_path, "limit")
    assert done.returncode == 0, done.stderr
    assert "sound" in done.stdout


def test_a_full_disk_is_a_clear_error_and_leaves_the_old_state(tmp_path):
    if not can_mount(tmp_path):
        pytest.skip("needs user namespaces (unshare --user --mount) for a small disk of its own")
    done = run(*ALONE, "sh", "-c", MOUNTED, "sh", tmp_path, sys.executable, FILLER)
    assert done.returncode == 0, done.stderr
    assert "sound" in done.stdout


def test_a_disk_too_small_to_begin_with_is_a_clear_error(tmp_path):
    done = run(sys.executable, FILLER, tmp_path, "begin")
    assert done.returncode == 0, done.stderr
    assert "sound" in done.stdout
