"""Two writers, two processes, and rankings made anew: always whole, once and the same."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from threading import Barrier

import pytest

from rankbook import BookSpec, Rankbook
from tests.book.home import PROJECT, Clock, assert_agrees, board, result
from tests.book.test_together import in_threads
from tests.cases.saying import ban, content, correct, forget, unban, void

TOML = """
[book]
name = "book"

[[board]]
name = "speed"
measures = { score = "score" }
order_by = ["score desc"]
windows = ["all-time", "daily"]
splits = [[], ["mode"]]
zone = "+05:30"
seal = true
grace_seconds = 5
"""


def test_of_two_writers_the_better_score_always_has_its_own_details(home):
    shape = board(windows=("all-time", "daily"), details=("memo",))
    books = [home.open(shape), home.open()]
    rounds, together = (200 if home.on_server else 1000), Barrier(2)

    def write(book, score):
        def run():
            for start in range(0, rounds, 100):
                together.wait()
                for number in range(start, start + 100):
                    event = result(f"p{number:04}", score, id=f"{score}-{number}", memo=f"m{score}")
                    book.submit_many([event], ranks=False)

        return run

    in_threads(write(books[0], 95), write(books[1], 97))
    for window in ("all-time", "daily"):
        entries = books[0].ranking("speed", window=window).top(rounds).entries
        assert {(e.score, e.details["memo"]) for e in entries} == {(97, "m97")}
        assert len(entries) == rounds
    assert books[0].log.head() == 2 * rounds


def test_two_processes_that_start_after_the_boundary_close_each_day_once(place):
    (place / "rankbook.toml").write_text(TOML, encoding="utf-8")
    clock = Clock("2026-10-04T12:00:00Z")
    with Rankbook.open(place, clock=clock) as book:
        for day in range(2, 5):
            at = f"2026-10-0{day}T12:00:00Z"
            clock.set(at)
            book.record([result("asha", day, at=at, mode="x")])
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    program = [sys.executable, str(Path(__file__).with_name("closer.py"))]
    closers = [
        subprocess.Popen(
            [*program, str(place), "2026-10-09T00:00:00Z"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for _ in range(2)
    ]
    for each in closers:
        assert each.stdout.readline() == "ready\n"
    for each in closers:
        each.stdin.write("go\n")
        each.stdin.flush()
    heard = sorted(
        closing for each in closers for closing in json.loads(each.communicate(timeout=60)[0])
    )
    assert heard == [[f"2026-10-0{day}", f"2026-10-0{day}T18:30:05+00:00"] for day in range(2, 5)]
    clock.set("2026-10-09T00:00:00Z")
    with Rankbook.open(place, clock=clock) as book:
        assert [e.kind for e in book.log.read(0, 100)].count("seal") == 3
        assert_agrees(book)


SPEC = BookSpec(
    name="book",
    boards=(
        board(
            windows=("all-time", "daily"),
            splits=((), ("mode",)),
            seal=True,
            keep_periods=3,
            cooldown_seconds=60,
            profiles="player",
        ),
        board("total", keep="total", best_of=3, numbering="dense", tie_break="last"),
    ),
)


@pytest.mark.parametrize("forgotten", [False, True])
def test_rankings_made_anew_have_the_same_ranks_and_the_same_order_among_ties(place, forgotten):
    clock = Clock("2026-11-01T00:00:00Z")
    with Rankbook.open(place, spec=SPEC, clock=clock) as book:
        for hour in range(150):
            clock.us += 3_600_000_000
            player = f"p{hour * 7 % 11}"
            book.submit(result(player, hour % 4, id=f"e{hour}", mode="xy"[hour % 2]))
            if hour % 13 == 5:
                book.submit(void(f"e{hour - 3}"))
            if hour % 17 == 3:
                book.submit(correct(f"e{hour - 1}", 5, mode="x"))
            if hour % 29 == 7:
                book.submit(ban(player))
            if hour % 29 == 20:
                book.submit(unban("p5"))
        if forgotten:
            book.submit(forget("p3"))
        before = content(book.store)
        shown = book.ranking("speed").top(100).entries
        assert len(shown) > 5
    shutil.rmtree(place / "rankings")
    with Rankbook.open(place, spec=SPEC, clock=clock) as book:
        assert content(book.store) == before
        assert book.ranking("speed").top(100).entries == shown
        book.rebuild()
    with Rankbook.open(place, spec=SPEC, clock=clock) as book:
        assert content(book.store) == before
        assert book.ranking("speed").top(100).entries == shown
        assert_agrees(book)
