"""Who holds a snapshot of an environment, and what that keeps from being used again.

LMDB reuses the pages of old states only when nobody reads them any more. A process that was killed
while it read keeps its slot in the table of readers until somebody looks for dead processes.
"""

import os
from pathlib import Path

import msgspec

PROCESSES = Path("/proc")


class Reader(msgspec.Struct, frozen=True, kw_only=True):
    """A snapshot that a process holds.

    `behind` is how many transactions have been committed since its state. `command` is the command
    of the process, and `running_seconds` how long it has run, so the snapshot is at most as old;
    both are None where the system does not say.
    """

    pid: int
    behind: int
    command: str | None
    running_seconds: float | None


def parse(table: str, newest: int) -> list[Reader]:
    """The snapshots in LMDB's table of readers, the oldest first; `newest` is the last transaction
    that was committed. Slots without a snapshot are left out."""
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
