"""A program with its own `Rankbook` on a directory: `python worker.py VERB DIRECTORY ARGUMENTS`.

It says "ready" once the book is open, begins when it reads a line, and ends with a line of JSON.
"""

import json
import os
import subprocess
import sys

from rankbook import Rankbook
from tests.book.home import PROJECT, result


class Worker:
    """A running worker."""

    def __init__(self, verb, directory, *arguments):
        path = os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, __file__, verb, str(directory), *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": path},
        )
        assert self._process.stdout.readline() == "ready\n"

    def begin(self):
        self._process.stdin.write("begin\n")
        self._process.stdin.flush()

    def answer(self):
        """What the worker found, once it has ended."""
        out, _ = self._process.communicate(timeout=60)
        assert self._process.returncode == 0
        return json.loads(out)


def in_turn(workers):
    """Let all begin, and gather their answers."""
    for worker in workers:
        worker.begin()
    return [worker.answer() for worker in workers]


def race(book, rounds, score, name):
    """One result of each round's player; the statuses of the receipts."""
    statuses = set()
    for number in range(int(rounds)):
        event = result(f"p{number:04}", int(score), id=f"{name}-{number}", note=name)
        statuses.add(book.submit(event).status)
    return sorted(statuses)


def fold(book, step_events):
    """Fold what is pending in small steps; how many events this process applied."""
    applied = []
    book._parts.fold(step_events=int(step_events), progress=applied.append)
    return sum(applied)


def submit(book, player, score):
    """Submit one result; its rank."""
    return book.submit(result(player, int(score))).rankings[0].rank


VERBS = {"race": race, "fold": fold, "submit": submit}


def main(verb, directory, *arguments):
    with Rankbook.open(directory, catch_up=False) as book:
        print("ready", flush=True)
        sys.stdin.readline()
        print(json.dumps(VERBS[verb](book, *arguments)))


if __name__ == "__main__":
    main(*sys.argv[1:])
