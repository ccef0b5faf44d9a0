"""Score and details belong together, whoever writes at the same time."""

from threading import Barrier, Thread

import pytest

from rankbook import Rankbook
from tests.book.home import assert_agrees, board, result, row
from tests.book.toml import write_book
from tests.book.worker import Worker, in_turn
from tests.depth import scaled

pytestmark = pytest.mark.deep

ROUNDS = min(scaled(1000), 1000)  # one read shows no more


def in_threads(*works):
    """Run them at once; what one raises fails the test."""
    start, errors = Barrier(len(works)), []

    def run(work):
        try:
            start.wait()
            work()
        except BaseException as error:
            errors.append(error)

    threads = [Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_two_threads_with_a_book_each_leave_the_better_score_with_its_own_details(home):
    home.open(board(details=("note",), windows=("all-time", "daily")))
    books = [home.open(), home.open()]

    def writer(book, score, name):
        def work():
            for number in range(ROUNDS):
                receipt = book.submit(
                    result(f"p{number:04}", score, id=f"{name}-{number}", note=name)
                )
                assert receipt.status == "ranked"

        return work

    in_threads(writer(books[0], 95, "m95"), writer(books[1], 97, "m97"))
    assert_every_round_is_97(books[0])


def test_two_threads_of_one_book_do_too(home):
    book = home.open(board(details=("note",)))

    def writer(score, name):
        def work():
            for number in range(ROUNDS // 4):
                book.submit(result("asha", score, id=f"{name}-{number}", note=name))
                book.submit(result(f"p{number}", score, id=f"{name}+{number}", note=name))

        return work

    in_threads(writer(95, "m95"), writer(97, "m97"))
    entries = book.ranking("speed").top(1000).entries
    assert {(entry.score, entry.details["note"]) for entry in entries} == {(97, "m97")}
    assert len(entries) == ROUNDS // 4 + 1


def test_two_processes_on_one_directory_do_too(place):
    write_book(place)
    workers = [
        Worker("race", place, ROUNDS, 95, "m95"),
        Worker("race", place, ROUNDS, 97, "m97"),
    ]
    assert in_turn(workers) == [["ranked"], ["ranked"]]
    with Rankbook.open(place) as book:
        assert book.log.head() == 2 * ROUNDS
        assert_every_round_is_97(book)
        assert_agrees(book)


def assert_every_round_is_97(book):
    assert book.pending() == 0
    top = book.ranking("speed").top(1000)
    assert top.count == ROUNDS
    for entry in top.entries:
        number = int(entry.player[1:])
        assert row(entry) == (97, {"note": "m97"}, {}, f"m97-{number}")
    assert {entry.player for entry in top.entries} == {f"p{n:04}" for n in range(ROUNDS)}
