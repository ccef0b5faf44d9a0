"""Ctrl-C: one line and exit code 130; once more, or at the very end, and the program is gone."""

import signal
import subprocess
import sys

import pytest

from tests.cli.conftest import clean_environment

SECONDS = 60
IMPORT = """\
import os, signal, sys, threading
from rankbook import Rankbook
from rankbook.cli.main import main
from rankbook.importing import Importer

def interrupt(*_arguments, **_options):
    os.kill(os.getpid(), signal.SIGINT)

{where}
main()
"""
IN_THE_IMPORT = "Importer.finish = interrupt"
WHILE_IT_CLOSES = "Importer.finish = Rankbook.close = interrupt"
AT_THE_END = """\
def late():
    threading.main_thread().join()
    interrupt()
    threading.Event().wait(30)

threading.Thread(target=late).start()
"""


@pytest.fixture
def interrupted(typing_book, tmp_path):
    """An import that gets SIGINT where a piece of code says; (exit code, stdout, stderr)."""
    path = tmp_path / "one.csv"
    path.write_text("player,at,wpm,accuracy,mode\nasha,2026-11-30T10:00:00Z,90,98,time\n")

    def run(where):
        words = ("import", str(path), "--format", "csv", "--book", str(typing_book))
        done = subprocess.run(
            [sys.executable, "-c", IMPORT.format(where=where), *words],
            env=clean_environment(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr

    return run


def test_an_interrupted_import_says_so_in_a_line(interrupted, rankbook, typing_book):
    assert interrupted(IN_THE_IMPORT) == (130, "", "rankbook: interrupted\n")
    assert rankbook("top", "speed", "--json", "--book", typing_book).json["count"] == 1


def test_a_second_interrupt_ends_the_program_without_a_word(interrupted, rankbook, typing_book):
    assert interrupted(WHILE_IT_CLOSES) == (-signal.SIGINT, "", "")
    assert rankbook("top", "speed", "--json", "--book", typing_book).json["count"] == 1


def test_an_interrupt_while_the_program_exits_adds_nothing(interrupted):
    assert interrupted(AT_THE_END) == (-signal.SIGINT, "1 recorded\n", "")


def test_who_ignores_interrupts_is_not_made_to_hear_them(interrupted):
    ignore = "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    assert interrupted(ignore + AT_THE_END.replace("30", "0")) == (0, "1 recorded\n", "")
