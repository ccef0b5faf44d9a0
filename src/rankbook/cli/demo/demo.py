"""`rankbook demo`: a tour of a typing site's rankings, over a generated month of results."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from rankbook.book import Rankbook
from rankbook.cli.books import make, template
from rankbook.cli.call import Call
from rankbook.cli.demo.sample import DAYS, PLAYERS, RESULTS, results
from rankbook.cli.options import BookOption
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import show, stdout
from rankbook.cli.screen.progress import counting
from rankbook.cli.screen.standings import bundle, standings
from rankbook.cli.screen.verification import comparison
from rankbook.model import Event, Value

BATCH = 1000
BOARD = "speed"

SecondsOption = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        envvar="RANKBOOK_DEMO_SECONDS",
        metavar="N",
        min=0,
        help="How long to serve; 0 is not at all.  [default: until Ctrl-C]",
        show_default=False,
    ),
]


def demo(
    ctx: typer.Context,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Another sample.")] = 1,
    seconds: SecondsOption = None,
    book: BookOption = None,
) -> None:
    """Show what Rankbook does: make a sample book, import a month of results, read and serve it.

    On a terminal it then serves the pages until Ctrl-C, while new results arrive. If stdout is not
    a terminal, it ends after the tour unless --seconds says otherwise. With --book the book is
    kept; else it is deleted at the end.
    """
    with _directory(Call(ctx=ctx, book=book).given_directory) as directory:
        make(directory, template("typing"))
        with Rankbook.open(directory) as open_book:
            _tour(open_book, seed)
        if seconds or (seconds is None and stdout().is_terminal):
            from rankbook.cli.demo import pages

            pages.serve(directory, seed, seconds)


@contextmanager
def _directory(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        yield kept
        return
    with TemporaryDirectory(prefix="rankbook-demo-") as name:
        yield Path(name) / "book"


def _tour(book: Rankbook, seed: int) -> None:
    show(f"A month of a typing site: {PLAYERS} players, {RESULTS:,} results, {DAYS} days.")
    began = time.perf_counter()
    _import(book, seed)
    took = time.perf_counter() - began
    show(f"Recorded durably, and ranked by day and by mode, in {took:.1f} s.")
    _home(book)
    player = _typical(book)
    _player(book, player)
    _submission(book, player)
    show("", "Is it all true? Verify folds the log anew and compares it with every ranking.")
    with counting("verifying") as verified:
        found = book.verify(progress=verified)
    show(*comparison(found))


def _import(book: Rankbook, seed: int) -> None:
    events = list(results(seed, datetime.now(UTC)))
    with counting("recording", len(events)) as recorded:
        for start in range(0, len(events), BATCH):
            book.record(events[start : start + BATCH])
            recorded(BATCH)
    with counting("ranking", len(events)) as ranked:
        book.fold(progress=ranked)


def _home(book: Rankbook) -> None:
    show("", "The bundle home: six rankings, read from one snapshot.", "")
    show(bundle(book.bundle("home"), stdout().width))


def _typical(book: Rankbook) -> str:
    """The player who is tenth today; their best of all time is likely from another day."""
    entries = book.ranking(BOARD, window="daily").top(10).entries
    return entries[-1].player


def _player(book: Rankbook, player: str) -> None:
    show("", "One player's view: entry and rank in every current ranking.", "")
    show(tables.places(player, book.player(player)))
    show("", "Whom they have to beat: the entries around theirs in the all-time ranking.", "")
    view = book.ranking(BOARD, window="all-time")
    show(standings(view.around(player), stdout().width))


def _submission(book: Rankbook, player: str) -> None:
    today = book.ranking(BOARD, window="daily").entry(player)
    assert today is not None
    values: dict[str, Value] = {"wpm": int(today.score) + 1, "accuracy": 100, "mode": "time"}
    event = Event(player=player, values=values, profile=today.profile)
    show(
        "",
        "The same player types one word a minute better. The rankings that this touches:",
        "",
    )
    show(tables.receipt(book.submit(event)))
