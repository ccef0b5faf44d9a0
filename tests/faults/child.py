"""A program that forks a child for each task, so that a child to be killed costs no start.

`Nursery` is the asking side. A task is a line of JSON; its child answers with lines of JSON, each
in one write, and a last line says how it ended.
"""

import json
import os
import resource
import signal
import subprocess
import sys
from functools import wraps
from importlib import import_module
from itertools import count
from pathlib import Path

from rankbook.book.book import Rankbook
from rankbook.engine.environment import Environment
from rankbook.errors import LogError
from rankbook.log.sqlite import log as sqlite_log
from rankbook.log.sqlite.log import SqliteLog
from rankbook.store.embedded.store import EmbeddedStore
from rankbook.store.redis import client
from rankbook.store.redis.store import RedisStore
from tests.book.home import result
from tests.engine.other import surroundings
from tests.faults.site import batches_of, open_book

# What a book imports when its log or store is one: here before the forks, which then need not.
LAZY = ("rankbook.log.postgres.log", "rankbook.log.postgres.pool", "rankbook.store.redis.addresses")
UNLIMITED = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)


class Nursery:
    """A running program, and the process id of the child of its latest task."""

    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=surroundings(),
        )
        self.pid = 0

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def begin(self, verb, directory, log, **arguments):
        task = [verb, str(directory), log, arguments]
        self.process.stdin.write(json.dumps(task).encode() + b"\n")
        self.process.stdin.flush()
        self.pid = self.hear()["pid"]

    def hear(self):
        return json.loads(self.process.stdout.readline())

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)

    def rest(self):
        """What the child says until it has ended, and its exit code."""
        heard = []
        while "ended" not in (answer := self.hear()):
            heard.append(answer)
        return heard, answer["ended"]

    def run(self, *task, **arguments):
        self.begin(*task, **arguments)
        return self.rest()


def say(**what):
    os.write(1, json.dumps(what).encode() + b"\n")


# --- fail-points ----------------------------------------------------------------------------------


class Points:
    """Numbers every step that is passed while armed, and kills this process at one of them."""

    def __init__(self, fatal):
        self.fatal = fatal
        self.passed = []
        self.armed = False

    def reach(self, name):
        if not self.armed:
            return
        self.passed.append(name)
        if len(self.passed) == self.fatal:
            say(killed=name)
            os.kill(os.getpid(), signal.SIGKILL)

    def around(self, owner, name, shown):
        """Have a point before and one after a function."""
        inner = getattr(owner, name)

        @wraps(inner)
        def outer(*arguments, **keywords):
            self.reach(f"before {shown}")
            answer = inner(*arguments, **keywords)
            self.reach(f"after {shown}")
            return answer

        setattr(owner, name, outer)


class Handle:
    """LMDB's write transaction, with a point before and one after its commit."""

    def __init__(self, inner, points):
        self._inner = inner
        self._points = points

    def __getattr__(self, name):
        return getattr(self._inner, name)

    def commit(self):
        self._points.reach("before LMDB's commit")
        self._inner.commit()
        self._points.reach("after LMDB's commit")


def place_points(points, log):
    if log.startswith("sqlite:"):
        kind = SqliteLog
        points.around(sqlite_log, "_write", "the log's inserts")
    else:
        from rankbook.log.postgres.batch import Batch
        from rankbook.log.postgres.log import PostgresLog

        kind = PostgresLog
        points.around(Batch, "write", "the log's statement")
    for name in ("record", "read", "find", "erase"):
        points.around(kind, name, f"log.{name}")
    for kind in (EmbeddedStore, RedisStore):
        for name in ("position", "entries", "read", "publish", "receipts"):
            points.around(kind, name, f"store.{name}")
    points.around(client, "_evaluate", "a script")
    points.around(Rankbook, "_folded", "what follows a step")
    begin = Environment._begin

    def begin_marked(self, write):
        handle = begin(self, write)
        return Handle(handle, points) if write else handle

    Environment._begin = begin_marked


# --- tasks ----------------------------------------------------------------------------------------


def steps(directory, log, *, turn, fatal, calls, store):
    """Submit what a turn has, or its first calls, until the fatal step."""
    points = Points(fatal)
    place_points(points, log)
    book = open_book(directory, log, day=turn, catch_up=False, store=store)
    points.armed = True
    for batch in batches_of(turn)[:calls]:
        receipts = book.submit_many(batch)
        points.armed = False
        say(ids=[each.event_id for each in receipts], status=[each.status for each in receipts])
        points.armed = True
    points.armed = False
    book.close()
    say(passed=points.passed)


def load(directory, log, *, turn, store):
    """Submit without end; every third time several at once."""
    book = open_book(directory, log, store=store)
    for number in count():
        several = range(3 if number % 3 == 0 else 1)
        events = [result(f"p{(number + n) % 5}", 1, id=f"{turn}-{number}-{n}") for n in several]
        book.submit_many(events)
        say(ids=[each.id for each in events])


def fold(directory, log, *, step_events, store):
    """Say "ready"; fold in small steps once a file called "go" is there."""
    book = open_book(directory, log, catch_up=False, store=store)
    say(ready=True)
    while not (Path(directory) / "go").exists():
        pass
    applied = []
    book._parts.fold(step_events=step_events, progress=applied.append)
    say(applied=sum(applied))
    book.close()


def heavy(number):
    """An event that takes room in the log, and none to speak of in the rankings."""
    return result(f"p{number % 3}", 1, id=f"h{number}", **{f"x{n}": "x" * 900 for n in range(4)})


def log_full(directory, log, *, then):
    """Submit until the log's file may not grow; then have room again, or be killed."""
    book = open_book(directory, log)
    book.submit(heavy(0))
    say(ids=["h0"])
    largest = max(each.stat().st_size for each in Path(directory).glob("log.sqlite*"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest + 200_000, resource.RLIM_INFINITY))
    for number in range(1, 1000):
        try:
            book.submit(heavy(number))
        except LogError as error:
            say(full=str(error), number=number)
            break
        say(ids=[f"h{number}"])
    for _again in range(3):
        try:
            book.submit(heavy(number))
        except LogError:
            say(refused=True, readable=book.ranking("speed").count())
    if then == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_FSIZE, UNLIMITED)
    for later in (number, number + 1):
        say(ids=[f"h{later}"], status=book.submit(heavy(later)).status)
    book.close()


def wide(number):
    """An event that takes room in many rankings."""
    return result(f"p{number}", 1, id=f"w{number}", note="x" * 900)


def rankings_full(directory, log, *, then):
    """Submit until the rankings' file may not grow; then have room again, or be killed."""
    book = open_book(directory, log, boards=20, details=("note",))
    book.submit(wide(0))
    say(ids=["w0"])
    largest = max(each.stat().st_size for each in Path(directory).rglob("data.mdb"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest, resource.RLIM_INFINITY))
    pending = 0
    for number in range(1, 1000):
        status = book.submit(wide(number)).status
        say(ids=[f"w{number}"], status=status)
        pending += status == "pending"
        if pending == 4:
            break
    say(pending=book.pending(), ranked=book.ranking("speed").count(), number=number)
    if then == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_FSIZE, UNLIMITED)
    say(ids=[f"w{number + 1}"], status=book.submit(wide(number + 1)).status)
    say(pending=book.pending(), ranked=book.ranking("speed").count(), number=number + 1)
    book.close()


TASKS = {
    "steps": steps,
    "load": load,
    "fold": fold,
    "log_full": log_full,
    "rankings_full": rankings_full,
}


def main():
    for each in LAZY:
        import_module(each)
    for line in sys.stdin:
        verb, directory, log, arguments = json.loads(line)
        pid = os.fork()
        if pid == 0:
            say(pid=os.getpid())
            try:
                TASKS[verb](directory, log, **arguments)
            except BaseException as error:
                say(error=repr(error))
                os._exit(1)
            os._exit(0)
        _pid, status = os.waitpid(pid, 0)
        say(ended=os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
