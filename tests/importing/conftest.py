"""A typing book to import into, and a way to import a text."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rankbook import Rankbook
from rankbook.importing import Importer, Summary
from rankbook.rules import load

SPEC = load("""
[book]
name = "typing"

[values]
wpm = { type = "number", min = 0, max = 1000 }
accuracy = { type = "number", min = 0, max = 100 }
mode = { type = "text", one_of = ["time", "words"] }

[[board]]
name = "speed"
measures = { score = "round(wpm * (accuracy / 100))" }
order_by = ["score desc"]
splits = [[], ["mode"]]
windows = ["all-time", "daily"]
zone = "+05:30"
details = ["wpm", "accuracy", "mode"]
""")

Import = Callable[..., Summary]


@pytest.fixture
def book(tmp_path: Path) -> Iterator[Rankbook]:
    """An empty typing book, which agrees with its log when the test is over."""
    with Rankbook.open(tmp_path, spec=SPEC) as opened:
        yield opened
        found = opened.verify()
        assert found.agrees, found


@pytest.fixture
def imported(book: Rankbook, tmp_path: Path) -> Import:
    """Import a text (or bytes) as a file of the given format, called `results`."""

    def run(content: str | bytes, format: str, player: str | None = None) -> Summary:
        path = tmp_path / "results"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        importer = Importer(book)
        importer.file(str(path), format, player)
        return importer.finish()

    return run
