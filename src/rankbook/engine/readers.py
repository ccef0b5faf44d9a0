"""Which processes hold a snapshot of an environment, and how old it is.

LMDB reuses the pages of an old state only when nobody reads it any more. A process that was killed
while it read keeps its slot in the table of readers until LMDB is asked to look for dead processes.
"""

import os
from pathlib import Path

import msgspec

PROCESSES = Path("/proc")


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot that a process holds.

    `behind` is how many transactions have been committed since. `command` is the command of the
    process. `running_seconds` is how long the process has run, so its snapshot is at most that old.
    Both are None if the system does not say.
    """

    pid: int
    behind: int
    command: str | None
    running_seconds: float | None


def parse(table: str, newest: int) -> list[Reader]:
    """The snapshots in LMDB's table of readers, the oldest first. `newest` is the last committed
    transaction. Slots without a snapshot are left out."""
    found: list[tuple[int, int]] = []
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) == 3 and fields[2].isdecimal():
            found.append((max(0, newest - int(fields[2])), int(fields[0])))
    return [
        Reader(pid=pid, behind=behind, command=_command(pid), running_seconds=_running_seconds(pid))
        for behind, pid in sorted(found, reverse=True)
    ]


def _command(pid: int) -> str | None:
    try:
        words = (PROCESSES / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return None
    return " ".join(word.decode(errors="replace") for word in words if word)[:200] or None


def _running_seconds(pid: int) -> float | None:
    try:
        started = (PROCESSES / str(pid) / "stat").read_text().rpartition(")")[2].split()[19]
        uptime = float((PROCESSES / "uptime").read_text().split()[0])
    except (OSError, IndexError, ValueError):
        return None
    return max(0.0, round(uptime - int(started) / os.sysconf("SC_CLK_TCK"), 1))
