"""A web application that opens a book where it is imported, as a server's workers run it."""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from rankbook import Event, Rankbook

book = Rankbook.open(Path(os.environ["RANKBOOK_BOOK"]))


def application(environ: dict[str, Any], start: Callable[..., object]) -> Iterable[bytes]:
    """POST /ID submits a result of that id; GET / answers the number of entries."""
    if environ["REQUEST_METHOD"] == "POST":
        name = environ["PATH_INFO"].strip("/")
        receipt = book.submit(Event(id=name, player=name, values={"wpm": 50, "mode": "time"}))
        said: object = receipt.status
    else:
        said = book.ranking("speed").count()
    start("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(said).encode()]
