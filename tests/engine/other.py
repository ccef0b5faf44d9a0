"""Another process with the same directory open: it does what it is asked, and answers.

Run as a program it reads (verb, arguments) from its input and writes an answer for each. `Other`
is the asking side. Inside "view" and "update" every further verb works on that transaction, until
"leave".
"""

import ast
import os
import pickle
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from rankbook.engine.environment import Environment

PROJECT = Path(__file__).resolve().parents[2]


def surroundings(**changes):
    """The environment variables of a child that imports the tests."""
    here = os.environ.get("PYTHONPATH")
    paths = str(PROJECT) if here is None else f"{PROJECT}{os.pathsep}{here}"
    return {**os.environ, "PYTHONPATH": paths, **changes}


class Other:
    """A child process over the directory `path`, or over those it is then told to open."""

    def __init__(self, path="", **capacities):
        self.process = subprocess.Popen(
            [sys.executable, __file__, os.fspath(path), repr(capacities)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=surroundings(),
        )
        self.unclean = self.receive()

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        self.close()

    def send(self, verb, *arguments):
        pickle.dump((verb, arguments), self.process.stdin)
        self.process.stdin.flush()

    def receive(self):
        answer = pickle.load(self.process.stdout)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def ask(self, verb, *arguments):
        self.send(verb, *arguments)
        return self.receive()

    def close(self):
        """Let it close its environment and end."""
        with suppress(BrokenPipeError):
            self.send("leave")
        self.end()

    def kill(self):
        self.process.kill()
        self.end()

    def end(self):
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Server:
    """The answering side."""

    def __init__(self):
        self.environment = None
        self.transaction = None

    def reply(self, answer):
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.flush()

    def serve(self):
        while True:
            verb, arguments = pickle.load(sys.stdin.buffer)
            if verb == "leave":
                return
            try:
                answer = getattr(self, verb)(*arguments)
            except Exception as error:
                answer = error
            self.reply(answer)

    def open(self, path, capacities):
        self.environment = Environment(Path(path), **capacities)

    def shut(self):
        self.environment.close()
        self.environment = None

    def view(self):
        with self.environment.view() as self.transaction:
            self.reply("inside")
            self.serve()
        self.transaction = None
        return "outside"

    def update(self, *first_changes):
        """Apply the changes in a write transaction, and stay in it."""

        def work(transaction):
            self.transaction = transaction
            if first_changes:
                self.apply(*first_changes)
            self.reply("inside")
            self.serve()

        self.environment.update(work)
        self.transaction = None
        return "committed"

    def apply(self, name, key_bytes, group_bytes, changes, version=1):
        def work(transaction):
            transaction.rankset(name, key_bytes, group_bytes).apply(changes, version)

        if self.transaction is None:
            self.environment.update(work)
        else:
            work(self.transaction)

    def read(self, name, key_bytes, group_bytes):
        from tests.engine.reading import full_reading

        def reading(transaction):
            return full_reading(transaction.rankset(name, key_bytes, group_bytes), [])

        if self.transaction is not None:
            return reading(self.transaction)
        with self.environment.view() as transaction:
            return reading(transaction)

    def make_room(self, share):
        self.environment.make_room(share)

    def sync(self):
        self.environment.sync()


def main():
    path, capacities = sys.argv[1:]
    server = Server()
    if path:
        server.open(path, ast.literal_eval(capacities))
    server.reply(path != "" and server.environment.unclean)
    server.serve()
    if server.environment is not None:
        server.environment.close()


if __name__ == "__main__":
    main()
