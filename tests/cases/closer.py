"""A process that opens a book after downtime: `python closer.py DIRECTORY NOW`.

It says "ready", waits for a line, catches up, and ends with the closings it told of as JSON.
"""

import json
import sys

from rankbook import Rankbook
from tests.book.home import Clock


def main(directory, now):
    with Rankbook.open(directory, clock=Clock(now), catch_up=False) as book:
        heard = []
        book.on_close(lambda closing: heard.append([closing.period.id, closing.at.isoformat()]))
        print("ready", flush=True)
        sys.stdin.readline()
        book.catch_up()
        book.close_due()
        print(json.dumps(heard))


if __name__ == "__main__":
    main(*sys.argv[1:])
