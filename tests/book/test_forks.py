"""A book that is open when its process forks serves both processes."""

import os
import threading

import pytest

from tests.book.home import result

ROUNDS = 60


def in_child(work):
    """Run `work` in a forked child; what it returned, or the error as text."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            said = repr(work())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    return said


@pytest.fixture
def book(home):
    return home.open()


def submitted(book, who):
    for number in range(ROUNDS):
        book.submit(result(f"{who}-{number}", number, id=f"{who}-{number}"))
        book.ranking("speed").top()
    return book.ranking("speed").count()


def test_parent_and_children_submit_and_read_after_a_fork(place_book):
    book = place_book
    submitted(book, "before")
    for number in range(3):
        assert in_child(lambda n=number: submitted(book, f"child-{n}")) == str(
            ROUNDS * (number + 2) + ROUNDS * number
        )
        submitted(book, f"parent-{number}")
    assert book.ranking("speed").count() == ROUNDS * 7
    assert book.verify().agrees


def test_a_child_that_never_uses_the_book_leaves_the_parent_in_peace(place_book):
    book = place_book
    submitted(book, "before")
    for _number in range(5):
        assert in_child(lambda: "unused") == "'unused'"
    submitted(book, "after")
    assert book.ranking("speed").count() == 2 * ROUNDS


def test_a_child_may_close_the_book_and_the_parent_goes_on(place_book):
    book = place_book
    assert in_child(book.close) == "None"
    assert submitted(book, "parent") == ROUNDS


def test_a_lock_that_a_thread_held_at_the_fork_is_free_in_the_child(place_book):
    book = place_book
    folder = book._parts.parts[0].folder
    held, done = threading.Event(), threading.Event()

    def hold():
        with folder._lock:
            held.set()
            done.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)
    try:
        assert in_child(lambda: submitted(book, "child")) == str(ROUNDS)
    finally:
        done.set()
        thread.join()


@pytest.fixture
def place_book(tmp_path):
    from rankbook import Rankbook
    from tests.book.toml import write_book

    write_book(tmp_path)
    with Rankbook.open(tmp_path) as book:
        yield book
