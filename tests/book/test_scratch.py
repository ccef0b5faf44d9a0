"""Verify leaves nothing in the temporary folder, also when it is killed."""

import subprocess
import sys

import pytest

from rankbook import Rankbook
from tests.book.home import result
from tests.book.toml import write_book

KILLED = (
    "import os, sys; from rankbook import Rankbook\n"
    "Rankbook.open(sys.argv[1]).verify(progress=lambda n: os.kill(os.getpid(), 9))\n"
)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    return folder


def test_what_a_killed_verify_left_is_removed_by_the_next(tmp_path, temporary):
    write_book(tmp_path / "book")
    with Rankbook.open(tmp_path / "book") as book:
        book.submit(result("asha", 1))
        words = [sys.executable, "-c", KILLED, str(tmp_path / "book")]
        assert subprocess.run(words, check=False).returncode == -9
        assert [*temporary.iterdir()]
        assert book.verify().agrees
    assert not [*temporary.iterdir()]


def test_a_verify_leaves_the_scratch_of_another_that_runs(tmp_path, temporary):
    write_book(tmp_path / "book")
    with Rankbook.open(tmp_path / "book") as book:
        book.submit(result("asha", 1))
        counts = []

        def verify_too(_number):
            if not counts:
                counts.append(0)
                assert book.verify().agrees
                counts.append(len([*temporary.iterdir()]))

        assert book.verify(progress=verify_too).agrees
        assert counts[1] == 1
