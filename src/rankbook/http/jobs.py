"""Jobs: long work on the book, with progress, that every process of the service can see.

Each job is a file in the book's directory, written by the process that runs it. One job runs at a
time, in all processes together. Meanwhile its process locks the file `running`. The system releases
that lock when the process ends in any way. The job is then `lost`.
"""

import asyncio
import fcntl
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from rankbook.errors import BookError, NotFound, RankbookError
from rankbook.forks import on_fork
from rankbook.http.auth.keys import replace

KEPT = 50
MOST_ID = 64
TOLD_EVERY_SECONDS = 0.5
STOP_SECONDS = 10.0
ATTEMPTS = 50
PAUSE_SECONDS = 0.01

JobKind = Literal["verify", "repair", "rebuild"]
JobStatus = Literal["running", "done", "failed", "cancelled", "lost"]
_ENCODER = msgspec.json.Encoder(decimal_format="number")

Told = Callable[[int], None]
Work = Callable[[Told], Any]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of long work. `done` counts what it has finished, and `of` estimates the total, if
    known.

    `result` is the verification of a verify or a repair, or the log position of a rebuild. A job is
    `lost` if its process ended first.
    """

    id: str
    kind: JobKind
    status: JobStatus
    started_at: datetime
    ended_at: datetime | None = None
    done: int = 0
    of: int | None = None
    result: Any = None
    error: str = ""


class Busy(RankbookError):
    """Another job is running; `job` is its id."""

    def __init__(self, job: str) -> None:
        super().__init__(f"the job {job} runs; one runs at a time")
        self.job = job


class _Cancelled(Exception):
    """Ends the work between two of its steps."""


class Jobs:
    """The jobs of a book, kept in a directory. Without one, they last as long as the process."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._lock = threading.Lock()
        on_fork(self)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def after_fork(self) -> None:
        """In a child: take a new lock, because a thread of the parent may hold the old one."""
        self._lock = threading.Lock()
        self._thread = None

    def start(self, kind: JobKind, work: Work, of: int | None = None) -> Job:
        """Start work in its own thread. `work` gets a function to report its progress.

        Raises `Busy` while another job runs.
        """
        with self._lock:
            held = self._hold()
            job = Job(
                id=secrets.token_hex(6), kind=kind, status="running", started_at=_now(), of=of
            )
            try:
                os.pwrite(held, job.id.encode(), 0)
                self._write(job)
            except BaseException:
                os.close(held)
                raise
            self._thread = threading.Thread(
                target=self._run, args=(job, work, held), name=f"rankbook-{kind}", daemon=True
            )
            self._thread.start()
        return job

    def get(self, id: str) -> Job:
        """The job with this id. Raises `NotFound`."""
        job = self._read(id) if id.isalnum() and len(id) <= MOST_ID else None
        if job is None:
            there = ", ".join(each.id for each in self.list()) or "none"
            raise NotFound(f"no job {id[:MOST_ID]!r}; there are: {there}")
        return job

    def list(self) -> list[Job]:
        """The newest jobs, the newest first."""
        found = [self._read(path.stem) for path in self._home().glob("*.json")]
        jobs = [job for job in found if job is not None]
        return sorted(jobs, key=lambda job: (job.started_at, job.id), reverse=True)

    def entries(self) -> int | None:
        """How many entries the last verification compared. None if there was none."""
        kinds = ("verify", "repair")
        done = (each for each in self.list() if each.status == "done" and each.kind in kinds)
        last = next(done, None)
        return None if last is None else int(last.result["entries"])

    def cancel(self, id: str) -> Job:
        """Ask a job to stop, in whichever process it runs. It stops between two of its steps."""
        job = self.get(id)
        if job.status == "running":
            self._asked(id).touch()
        return job

    async def close(self) -> None:
        """Stop this process's job, if there is one."""
        self._stopping.set()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join, STOP_SECONDS)
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = self._directory = None

    def _run(self, job: Job, work: Work, held: int) -> None:
        progress = _Progress(job, self._write, self._is_stopped)
        try:
            result = msgspec.json.decode(_ENCODER.encode(work(progress.told)))
            ended = {"status": "done", "result": result}
        except _Cancelled:
            ended = {"status": "cancelled"}
        except RankbookError as error:
            ended = {"status": "failed", "error": str(error)}
        except Exception as error:
            ended = {"status": "failed", "error": f"it failed unexpectedly: {type(error).__name__}"}
        try:
            done = msgspec.structs.replace(progress.job, ended_at=_now(), **ended)
            self._write(done)
            self._forget_old()
        finally:
            self._asked(job.id).unlink(missing_ok=True)
            os.ftruncate(held, 0)
            os.close(held)

    def _is_stopped(self, job: Job) -> bool:
        return self._stopping.is_set() or self._asked(job.id).exists()

    def _hold(self) -> int:
        """The lock of the one running job, as a file descriptor. Raises `Busy`."""
        held = os.open(self._home() / "running", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        for _attempt in range(ATTEMPTS):
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return held
            except OSError:
                running = os.pread(held, 64, 0).decode()
                if running and self._running() == running:
                    break
            time.sleep(PAUSE_SECONDS)  # Somebody only asks who holds it, or has not said yet.
        os.close(held)
        raise Busy(running)

    def _running(self) -> str:
        """The id of the job that runs in any process. Empty if none does."""
        try:
            held = os.open(self._home() / "running", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return ""
        try:
            fcntl.flock(held, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return os.pread(held, 64, 0).decode()
        finally:
            os.close(held)
        return ""

    def _read(self, id: str) -> Job | None:
        path = self._home() / f"{id}.json"
        for _attempt in range(2):
            # Whether it runs is asked first, so that one that ends meanwhile is not called lost.
            running = self._running()
            try:
                job = msgspec.json.decode(path.read_bytes(), type=Job)
            except FileNotFoundError:
                return None
            except (OSError, msgspec.DecodeError) as error:
                raise BookError(f"the job {path} cannot be read: {error}") from error
            if job.status != "running" or running == id:
                return job
        return msgspec.structs.replace(job, status="lost")

    def _write(self, job: Job) -> None:
        replace(self._home() / f"{job.id}.json", msgspec.json.encode(job))

    def _asked(self, id: str) -> Path:
        """The file whose presence asks a job to stop."""
        return self._home() / f"{id}.cancel"

    def _forget_old(self) -> None:
        for job in self.list()[KEPT:]:
            (self._home() / f"{job.id}.json").unlink(missing_ok=True)

    def _home(self) -> Path:
        if self._directory is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="rankbook-jobs-")
            self._directory = Path(self._temporary.name)
        with suppress(FileExistsError):
            self._directory.mkdir(mode=0o700)
        return self._directory


class _Progress:
    """Counts what a job has done, and saves it twice a second."""

    def __init__(
        self, job: Job, write: Callable[[Job], None], stopped: Callable[[Job], bool]
    ) -> None:
        self.job = job
        self._write = write
        self._stopped = stopped
        self._at = time.monotonic()

    def told(self, count: int) -> None:
        """Count more work as done. Raises `_Cancelled` if the job should stop."""
        if self._stopped(self.job):
            raise _Cancelled
        self.job = msgspec.structs.replace(self.job, done=self.job.done + count)
        if time.monotonic() - self._at >= TOLD_EVERY_SECONDS:
            self._at = time.monotonic()
            self._write(self.job)


def _now() -> datetime:
    return datetime.now(UTC).replace(microsecond=0)
