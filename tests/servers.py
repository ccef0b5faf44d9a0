"""Real servers, started on a free loopback port over a temporary folder, and stopped at the end."""

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import psycopg
import pytest

MEMORY = Path("/dev/shm")
MEMORY_BYTES = 1 << 30
ATTEMPTS = 5
START_SECONDS = 60
UNPRIVILEGED = ("postgres", "nobody")
DEBIAN_PROGRAMS = "/usr/lib/postgresql/*/bin"
INITDB = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "max_wal_size": "64MB",
    "timezone": "UTC",
    "lc_messages": "C",
}


class Missing(Exception):
    """A server's program is not installed; says how to get it."""


def skip_or_fail(missing: Missing) -> None:
    """Skip what needs the server; with CI=true fail instead."""
    if os.environ.get("CI") == "true":
        pytest.fail(str(missing))
    pytest.skip(str(missing))


class Postgres:
    """A PostgreSQL cluster of our own. Its superuser is `postgres`, without a password."""

    def __init__(self, programs: Path, folder: Path, *, fsync: bool) -> None:
        self._programs = programs
        self._settings = SETTINGS | {"fsync": "on" if fsync else "off"}
        self._folder = folder
        self._names = count(1)
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    def uri(self, database: str) -> str:
        """The URI of a database of this cluster."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/{database}"

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URI of an empty database, which is dropped afterwards, whoever is connected."""
        name = f"test_{next(self._names)}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE template0")
        try:
            yield self.uri(name)
        finally:
            self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    def make(self) -> None:
        """Make the cluster's files."""
        initdb = [*_as_user(), str(self._programs / "initdb"), *INITDB, str(self._folder)]
        made = subprocess.run(
            initdb,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=START_SECONDS,
            check=False,
        )
        if made.returncode:
            raise RuntimeError(f"initdb does not succeed: {made.stdout.decode()}")

    def start(self) -> None:
        """Start the server and wait until it answers: at first on a free port, then on the same."""
        for _attempt in range(ATTEMPTS):
            port = self.port or free_port()
            if self._start(port):
                self.port = port
                return
        raise RuntimeError(f"postgres does not start: {self._log().read_text()[-2000:]}")

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT cuts every connection and shuts down, SIGQUIT leaves a crash."""
        if self._process is None:
            return
        self._process.send_signal(how)
        try:
            self._process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def _start(self, port: int) -> bool:
        settings = self._settings | {"port": str(port)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with self._log().open("ab") as log:
            self._process = subprocess.Popen(
                [*_as_user(), str(self._programs / "postgres"), "-D", str(self._folder), *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        if self._answers(port):
            return True
        self.stop()
        return False

    def _answers(self, port: int) -> bool:
        """Whether it is our server that accepts connections: the postmaster says so in its file."""
        ready = f"{port}\n"
        pid_file = self._folder / "postmaster.pid"
        assert self._process is not None
        for _wait in range(START_SECONDS * 100):
            lines = pid_file.read_text().splitlines(keepends=True) if pid_file.exists() else []
            if len(lines) == 8 and lines[3] == ready and lines[7].startswith("ready"):
                return True
            try:
                self._process.wait(0.01)
            except subprocess.TimeoutExpired:
                continue
            return False
        return False

    def _log(self) -> Path:
        return self._folder.with_name("server.log")

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self.uri("postgres"), autocommit=True) as connection:
            connection.execute(statement)


@contextmanager
def small_disk(megabytes: int) -> Iterator[Path]:
    """A file system of that size. Raises `Missing` where none may be mounted."""
    with tempfile.TemporaryDirectory(prefix="rankbook-disk-") as name:
        command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0755", "tmpfs", name]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            raise Missing("needs the right to mount a small file system: run as root") from None
        try:
            yield Path(name)
        finally:
            subprocess.run(["umount", "--lazy", name], check=True)


@contextmanager
def postgres_server(*, fsync: bool = True, within: Path | None = None) -> Iterator[Postgres]:
    """A running PostgreSQL. Raises `Missing` where its programs are not installed.

    Without `fsync` it survives its own crash but not one of the machine, and is kept in memory.
    `within` is the folder to make it in.
    """
    programs = _postgres_programs()
    if within is None and not fsync:
        within = _memory()
    with tempfile.TemporaryDirectory(prefix="rankbook-postgres-", dir=within) as name:
        folder = Path(name) / "cluster"
        folder.mkdir(mode=0o700)
        if user := _user():
            for path in (folder, Path(name)):
                os.chown(path, user.pw_uid, user.pw_gid)
        server = Postgres(programs, folder, fsync=fsync)
        server.make()
        try:
            server.start()
            yield server
        finally:
            server.stop()


def _memory() -> Path | None:
    """A file system in memory with room for a small cluster: a database is made there in 30 ms."""
    room = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > MEMORY_BYTES
    return MEMORY if room else None


def _postgres_programs() -> Path:
    """The folder of initdb and postgres: on the path, or the newest of Debian's."""
    program = shutil.which("initdb")
    if program is not None:
        return Path(program).resolve().parent
    found = sorted(Path("/").glob(f"{DEBIAN_PROGRAMS.lstrip('/')}/initdb"), key=_version)
    if not found:
        raise Missing("needs a PostgreSQL server: sudo apt-get install postgresql")
    return found[-1].parent


def _version(program: Path) -> float:
    return float(program.parent.parent.name)


def _user() -> pwd.struct_passwd | None:
    """Whom a server runs as when we are root, as PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    known = {each.pw_name: each for each in pwd.getpwall()}
    return next(known[name] for name in UNPRIVILEGED if name in known)


def _as_user() -> list[str]:
    """A command in front that drops root, and ends the program when we are gone."""
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        return []
    command = [setpriv, "--pdeathsig", "INT"]
    if user := _user():
        command += ["--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--clear-groups"]
    return [*command, "--"]


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
