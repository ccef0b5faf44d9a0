"""The HTTP service beside a bare Starlette application that returns the same bytes, in one run.

python -m bench http [--seconds S] [--rounds R] [--events N] [--cold] [--json]

Both are one uvicorn process with uvloop and httptools, asked by wrk with 32 connections for S
seconds in turn, R times. Ours is `rankbook serve` over the book of `rankbook init --example
typing` with N results of N / 4 players. A ratio is that of the requests a second of a round; the
middle one is shown. A short round comes before them to warm up, but not with --cold.

The changing board has one client more, which submits one durable result after the other without a
pause, each of them the new best, so that every submission changes the page. Submissions are one
result a request, each durable when it is answered.

Without wrk nothing is measured: apt-get install wrk.
"""

import argparse
import http.client
import json
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from urllib.request import urlopen

from bench.common import Goal, Report, Step, progress
from bench.submit_ours import BATCH, Players
from rankbook import Event, Rankbook
from rankbook.cli.books import make, template
from rankbook.http.auth.keys import FILE, KeyRing

GOALS = {
    "bundle_vs_bare": Goal("at least", 0.6),
    "top10_vs_bare": Goal("at least", 0.6),
    "top10_changing_vs_bare": Goal("at least", 0.3),
    "submit_32_vs_1": Goal("at least", 3.0),
}
CONNECTIONS = 32
BUNDLE = "/v1/bundles/home"
TOP10 = "/v1/boards/speed/ranking"
SCRIPT = Path(__file__).with_name("http_wrk.lua")
SERVE = "import sys; from rankbook.cli.main import main; sys.argv[0] = 'rankbook'; main()"
START_SECONDS = 60
WARM_SECONDS = 1
TIMEOUT_SECONDS = 30  # a busy machine is slow, not wrong
STEPS = 4


@dataclass(frozen=True)
class Wrk:
    """What one run of wrk found."""

    requests: int
    seconds: float
    p99_ms: float
    p50_ms: float
    bad: int

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds


@dataclass
class Run:
    """One run: where both sides are, and what it found."""

    ours: str
    bare: str
    key: str
    seconds: int
    rounds: int
    warm_seconds: int
    report: Report
    step: Step
    submissions: int = 0

    def each_round(self) -> list[int]:
        """The seconds of every round, after that of the one that warms up, which may be 0."""
        return [self.warm_seconds, *[self.seconds] * self.rounds]


def wrk(url: str, connections: int, seconds: int, *arguments: str) -> Wrk:
    """Ask for so long with so many connections."""
    times = [f"-d{seconds}s", f"--timeout={TIMEOUT_SECONDS}s"]
    command = ["wrk", "-t1", f"-c{connections}", *times, "-s", str(SCRIPT), url, "--"]
    said = subprocess.run([*command, *arguments], check=True, capture_output=True, text=True)
    found = Wrk(**json.loads(said.stdout.splitlines()[-1]))
    if found.bad or not found.requests:
        raise SystemExit(f"{url}: {found.bad} answers of {found.requests} were bad")
    return found


# --- both sides ------------------------------------------------------------------------------


@contextmanager
def started(command: list[str], **options: object) -> Iterator[subprocess.Popen[str]]:
    """A process that is asked to stop at the end, and must."""
    with subprocess.Popen(command, text=True, **options) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(START_SECONDS)


@contextmanager
def ours(directory: Path) -> Iterator[str]:
    """The address of `rankbook serve`, with one worker and no limits on rates."""
    arguments = ["--book", str(directory), "serve", "--port", "0"]
    limits = ["--key-rate", "0", "--player-rate", "0"]
    command = [sys.executable, "-c", SERVE, *arguments, *limits]
    with started(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        found = re.search(r"http://\S+?(?=;)", process.stdout.readline())
        if found is None:
            raise SystemExit("the service does not start")
        yield answering(found[0])


@contextmanager
def bare(folder: Path) -> Iterator[str]:
    """The address of the bare application, whose answers are the files of the folder."""
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
        number = listening.fileno()
        command = [sys.executable, "-m", "bench.http_bare", str(number), str(folder)]
        with started(command, pass_fds=[number]):
            yield answering(f"http://127.0.0.1:{listening.getsockname()[1]}", "/bundle")


def answering(address: str, path: str = "/healthz") -> str:
    """The address, once it answers: its socket is open before that."""
    with urlopen(address + path, timeout=START_SECONDS) as answer:
        answer.read()
    return address


def filled(directory: Path, events: int) -> str:
    """A book with results of now, and a key that may submit."""
    make(directory, template("typing"))
    with Rankbook.open(directory) as book:
        for plays in Players(max(BATCH, events // 4)).history(events):
            book.record([event(play) for play in plays])
        book.fold()
    return KeyRing(directory / FILE).create("bench", ["submit"])[1]


def event(play) -> Event:
    values = {"wpm": play.wpm, "accuracy": play.accuracy, "mode": play.mode}
    profile = {"name": play.name, "avatar": play.avatar}
    return Event(player=play.player, id=play.id, values=values, profile=profile)


# --- reading ---------------------------------------------------------------------------------


def measure_cached(run: Run, key: str, what: str, path: str, name: str) -> None:
    """One path of which nothing changes, beside the same bytes."""
    run.step(what)
    add(run, key, what, *alternated(run, path, name))


def measure_changing(run: Run) -> None:
    """The page of a board that somebody submits to all the time."""
    run.step("top 10 of a changing board")
    with submitting(run) as submitted:
        before, began = submitted(), time.perf_counter()
        pairs = alternated(run, TOP10, "top10")
        rate = (submitted() - before) / (time.perf_counter() - began)
    add(run, "top10_changing_vs_bare", "top 10 of a changing board", *pairs)
    run.report.note("  submissions meanwhile", f"{rate:,.0f}/s", "")
    run.report.numbers["changes_per_second"] = round(rate, 1)


def alternated(run: Run, path: str, name: str) -> tuple[list[Wrk], list[Wrk]]:
    """Rounds of both sides in turn, after a short one that warms up."""
    urls = (run.ours + path, f"{run.bare}/{name}")
    rounds = [
        [wrk(url, CONNECTIONS, seconds) for url in urls] for seconds in run.each_round() if seconds
    ]
    mine, theirs = zip(*rounds[-run.rounds :], strict=True)
    return list(mine), list(theirs)


def add(run: Run, key: str, what: str, mine: list[Wrk], theirs: list[Wrk]) -> None:
    """A row of both sides, and the middle ratio of the rounds."""
    ratio = median([ours.rate / bare.rate for ours, bare in zip(mine, theirs, strict=True)])
    shown = [f"{median([each.rate for each in side]):,.0f}/s" for side in (mine, theirs)]
    run.report.add(key, what, *shown, ratio)
    slow = [median([each.p99_ms for each in side]) for side in (mine, theirs)]
    run.report.note("  p99", *[f"{each:.1f} ms" for each in slow])
    run.report.numbers[key.replace("_vs_bare", "_p99_ms")] = round(slow[0], 2)


@contextmanager
def submitting(run: Run) -> Iterator[Callable[[], int]]:
    """Somebody submits one new best after the other; gives how many there were so far."""
    stop = threading.Event()
    count = 0
    failures: list[str] = []

    def submit() -> None:
        nonlocal count
        host = run.ours.removeprefix("http://")
        connection = http.client.HTTPConnection(host, timeout=START_SECONDS)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {run.key}"}
        while not stop.is_set():
            values = {"wpm": round(300 + count * 0.01, 2), "accuracy": 100, "mode": "time"}
            body = json.dumps({"player": f"rising-{count % 20}", "values": values})
            connection.request("POST", "/v1/events", body, headers)
            answer = connection.getresponse()
            said = answer.read()
            if answer.status != 200:
                failures.append(f"{answer.status} {said!r}")
                return
            count += 1
        connection.close()

    thread = threading.Thread(target=submit)
    thread.start()
    try:
        yield lambda: count
    finally:
        stop.set()
        thread.join()
    if failures:
        raise SystemExit(f"a submission failed: {failures[0]}")


# --- submitting ------------------------------------------------------------------------------


def measure_submissions(run: Run) -> None:
    """Durable results from 32 connections, and from one."""
    run.step("submitting")
    found: dict[int, list[Wrk]] = {1: [], CONNECTIONS: []}
    for seconds in filter(None, run.each_round()):
        for connections, rounds in found.items():
            run.submissions += 1
            kind = ("submit", run.key, f"b{run.submissions}")
            rounds.append(wrk(run.ours + "/v1/events", connections, seconds, *kind))
    one, many = [found[connections][-run.rounds :] for connections in (1, CONNECTIONS)]
    ratio = median([more.rate / single.rate for more, single in zip(many, one, strict=True)])
    shown = [f"{median([each.rate for each in side]):,.0f}/s" for side in (many, one)]
    run.report.add("submit_32_vs_1", "one result, durable: 32 connections, and 1", *shown, ratio)
    p99 = [median([each.p99_ms for each in side]) for side in (many, one)]
    run.report.note("  p99", *[f"{each:.1f} ms" for each in p99])
    run.report.numbers["p99_ms"] = round(p99[0], 2)


def measure(run: Run) -> None:
    """Everything, in an order in which nothing is kept back by what was before."""
    measure_cached(run, "bundle_vs_bare", "bundle of six rankings", BUNDLE, "bundle")
    measure_cached(run, "top10_vs_bare", "top 10", TOP10, "top10")
    measure_changing(run)
    measure_submissions(run)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench http", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if shutil.which("wrk") is None:
        raise SystemExit("this measurement needs wrk: apt-get install wrk")
    report = Report("HTTP, one worker, beside a bare Starlette application", GOALS)
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rankbook-bench-")))
        step = stack.enter_context(progress(STEPS))
        key = filled(home / "book", given.events)
        mine = stack.enter_context(ours(home / "book"))
        (home / "bare").mkdir()
        for name, path in (("bundle", BUNDLE), ("top10", TOP10)):
            with urlopen(mine + path) as answer:
                (home / "bare" / name).write_bytes(answer.read())
        theirs = stack.enter_context(bare(home / "bare"))
        warm = 0 if given.cold else WARM_SECONDS
        measure(Run(mine, theirs, key, given.seconds, given.rounds, warm, report, step))
    report.print(only_json=given.json)


if __name__ == "__main__":
    main(sys.argv[1:])
