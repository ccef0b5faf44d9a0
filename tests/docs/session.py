"""Running a document: its blocks, from top to bottom, in one directory and one shell.

- ```toml whose first line is `# path/name.toml`: the file is written.
- ```console: each `$ ` line (with the `> ` lines after it) is a command; what stands below it must
  be what it prints, on both streams. A line `...` stands for any lines.
- ```python: runs; a ```text block right after it must be what it prints.

Where a document speaks of port 8000, a free one is in its place.
"""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.docs.markdown import Block, blocks

MARK = "@@ step {} @@"
TIMEOUT_SECONDS = 600  # a document of 80 commands beside other work takes minutes
PORT = "8000"  # what `rankbook serve` listens on
PASSED = ("PYTHONPATH", "RANKBOOK_PLAIN", "RANKBOOK_REQUIRE_COMPILED")


class Step(NamedTuple):
    """A command for the shell, where it stands, and what it prints (None: anything)."""

    line: int
    command: str
    expected: list[str] | None


def steps(document: str, folder: Path) -> list[Step]:
    found: list[Step] = []
    there = blocks(document)
    for block, after in pairwise([*there, Block("", 0, "")]):
        if block.language == "toml" and (name := _file_name(block.text)):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            found += _console(block)
        elif block.language == "python":
            script = folder / f".block-{block.line}.py"
            script.write_text(block.text, encoding="utf-8")
            expected = after.text.splitlines() if after.language == "text" else None
            found.append(Step(block.line, f"python {script.name}", expected))
    return found


def _file_name(text: str) -> str:
    match = re.match(r"# (\S+\.toml)\n", text)
    return match[1] if match else ""


def _console(block: Block) -> list[Step]:
    found: list[Step] = []
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if line.startswith("$ "):
            found.append(Step(number, line[2:], []))
        elif line.startswith("> ") and not found[-1].expected:
            found[-1] = found[-1]._replace(command=f"{found[-1].command}\n{line[2:]}")
        else:
            found[-1].expected.append(line)
    return found


def run(made: list[Step], folder: Path) -> list[str]:
    """What each step printed, from one shell that keeps its directory and exit status."""
    script = "".join(
        f"{step.command}\n__status=$?; printf '\\n{MARK.format(index)}\\n'; (exit $__status)\n"
        for index, step in enumerate(made)
    )
    port = _free_port() if f":{PORT}" in script else PORT
    shell = subprocess.Popen(
        ["bash"],
        stdin=subprocess.PIPE,
        cwd=folder,
        env={
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "PYTHONUNBUFFERED": "1",
            "PYTHONUTF8": "1",
            "LANG": "C.UTF-8",
            "RANKBOOK_PORT": port,
            **{name: each for name, each in os.environ.items() if name in PASSED},
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        said, _none = shell.communicate(script.replace(f":{PORT}", f":{port}"), TIMEOUT_SECONDS)
    finally:
        # What a document has left running goes with its shell.
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)
    printed = []
    rest = said.replace(f":{port}", f":{PORT}")
    for index in range(len(made)):
        before, mark, rest = rest.partition(f"\n{MARK.format(index)}\n")
        assert mark, f"the shell ended at: {made[index].command}\n{before}"
        printed.append(before)
    return printed


def _free_port() -> str:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return str(probe.getsockname()[1])


def matches(expected: list[str], printed: str) -> bool:
    """Whether the lines are those that were printed. Space at the end of a line and empty lines at
    either end do not count, nor how long the rule below a table's heading is."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in _plain(expected)
    )
    there = "".join(f"{line}\n" for line in _plain(printed.split("\n")))
    return re.fullmatch(pattern, there) is not None


def _plain(lines: list[str]) -> list[str]:
    text = "\n".join(line.rstrip() for line in lines).strip("\n")
    return re.sub("─+", "─", text).split("\n") if text else []
