"""The command: called in this process, or as the program it is."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from rankbook import Rankbook
from rankbook.cli.main import app

ENVIRONMENT = {"RANKBOOK_BOOK": None, "COLUMNS": "120", "TERM": "dumb", "FORCE_COLOR": None}


class Answer:
    """Exit code and texts of one run of the command."""

    def __init__(self, code: int, stdout: str, stderr: str) -> None:
        self.code = code
        self.stdout = stdout
        self.stderr = stderr

    @property
    def json(self):
        assert self.code in (0, 1, 2), self.stderr
        return json.loads(self.stdout)

    @property
    def line(self) -> str:
        """The one line on stderr."""
        [line] = self.stderr.splitlines()
        return line

    def __repr__(self) -> str:
        return f"exit {self.code}\n{self.stdout}\n{self.stderr}"


Run = Callable[..., Answer]


@pytest.fixture
def rankbook() -> Run:
    """Run the command here: `rankbook("top", "speed", input="", columns=80)`."""

    def run(*arguments: object, input: str | bytes = "", **environment: str) -> Answer:
        words = [str(argument) for argument in arguments]
        result = CliRunner().invoke(app, words, input=input, env={**ENVIRONMENT, **environment})
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


def program(*arguments: object) -> list[str]:
    """The command line of the program itself."""
    return [sys.executable, "-m", "rankbook", *[str(argument) for argument in arguments]]


@pytest.fixture
def shell(tmp_path: Path) -> Run:
    """Run the program in an empty directory."""

    def run(*arguments: object, **more: object) -> Answer:
        done = subprocess.run(  # type: ignore[call-overload]
            program(*arguments),
            cwd=more.pop("cwd", tmp_path),
            env={**clean_environment(), **more.pop("env", {})},  # type: ignore[dict-item]
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
            **more,
        )
        return Answer(done.returncode, done.stdout, done.stderr)

    return run


def clean_environment() -> dict[str, str]:
    """This process's environment without what changes output."""
    hidden = ("RANKBOOK_BOOK", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "PYTHONIOENCODING")
    return {name: text for name, text in os.environ.items() if name not in hidden}


@pytest.fixture
def typing_book(tmp_path: Path, rankbook: Run):
    """The directory of an empty typing book, which agrees with its log when the test is over."""
    directory = tmp_path / "book"
    assert rankbook("init", "--example", "typing", directory).code == 0
    yield directory
    with Rankbook.open(directory) as book:
        found = book.verify()
        assert found.agrees, found


AT = "2024-11-26T23:36:16Z"


@pytest.fixture
def small_book(typing_book: Path, rankbook: Run) -> Path:
    """A typing book with results of four players, two of them equal."""
    rows = [
        f"asha,{AT},a1,Asha Rao,100,98,time",
        "bram,2024-11-26T23:40:00Z,b1,,90,100,words",
        "chidi,2024-11-26T23:41:00Z,c1,,91.25,98.63,time",
        "dora,2024-11-26T23:42:00Z,d1,,60.5,95,words",
    ]
    path = typing_book.parent / "small.csv"
    header = "player,at,id,profile.name,wpm,accuracy,mode"
    path.write_text("\n".join([header, *rows]) + "\n")
    assert rankbook("import", path, "--format", "csv", "--book", typing_book).code == 0
    return typing_book
