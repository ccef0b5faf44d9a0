"""A backup is whole or not there, agrees with itself, and folds itself forward."""

import subprocess
import sys
from contextlib import closing
from shutil import copytree, rmtree
from threading import Event as Flag
from threading import Thread

import pytest

from rankbook import BookError, Rankbook
from rankbook.book.upkeep.backup import restore
from rankbook.log.sqlite.log import SqliteLog
from rankbook.store.embedded.store import EmbeddedStore
from tests.book.home import assert_agrees, players, result
from tests.book.toml import TOML, write_book
from tests.cases.saying import forget


def opened(directory, text=TOML):
    return Rankbook.open(write_book(directory, text))


def scores(book):
    return [(each.player, each.score) for each in book.ranking("speed").top(1000).entries]


@pytest.fixture
def book(place):
    with opened(place / "book") as book:
        yield book


def test_a_restored_backup_is_the_book(book, place):
    book.submit_many([result(f"p{i}", i, id=f"e{i}") for i in range(50)])
    seen = []
    made = book.backup(place / "backup", seen.append)
    assert (made.position, made.log, made.rankings) == (50, True, True)
    assert sum(seen) > 0
    assert (place / "backup/rankbook.toml").read_text() == TOML
    restore(place / "backup", place / "new")
    with Rankbook.open(place / "new", catch_up=False) as new:
        assert new.store.position() == 50
        assert scores(new) == scores(book)
        assert_agrees(new)
        assert new.submit(result("late", 99)).status == "ranked"
    assert len(scores(book)) == 50


def test_a_backup_that_is_taken_while_results_come_in_agrees_with_itself(book, place):
    started, stop = Flag(), Flag()
    answered = []

    def submit():
        while not stop.is_set():
            number = len(answered)
            book.submit_many([result(f"p{number}-{i}", i) for i in range(20)])
            answered.append(number)
            started.set()

    writer = Thread(target=submit)
    writer.start()
    try:
        started.wait()
        for number in range(5):
            before = len(answered) * 20
            made = book.backup(place / f"backup-{number}")
            assert made.position >= before
    finally:
        stop.set()
        writer.join()
    for number in range(5):
        restore(place / f"backup-{number}", place / f"new-{number}")
        with Rankbook.open(place / f"new-{number}") as new:
            assert_agrees(new)


def test_the_log_of_a_backup_is_at_or_ahead_of_its_rankings(book, place, monkeypatch):
    book.submit(result("asha", 1))
    copy = EmbeddedStore.copy

    def slow(store, directory):
        copy(store, directory)
        book.submit(result("bram", 2))

    monkeypatch.setattr(EmbeddedStore, "copy", slow)
    assert book.backup(place / "backup").position == 2
    restore(place / "backup", place / "new")
    with Rankbook.open(place / "new", catch_up=False) as new:
        assert (new.store.position(), new.log.head()) == (1, 2)
        new.catch_up()
        assert_agrees(new)
        assert players(new.ranking("speed").top()) == ["bram", "asha"]


def test_older_rankings_beside_a_newer_log_fold_themselves_forward(book, place):
    book.submit_many([result(f"p{i}", i) for i in range(10)])
    book.backup(place / "backup")
    book.submit_many([result(f"p{i}", 50 + i) for i in range(5, 15)])
    expected = scores(book)
    book.close()
    rmtree(place / "book/rankings")
    copytree(place / "backup/rankings", place / "book/rankings")
    with Rankbook.open(place / "book") as again:
        assert again.store.position() == 20
        assert scores(again) == expected
        assert_agrees(again)


def test_a_player_who_is_forgotten_meanwhile_is_not_in_the_backup(book, place, monkeypatch):
    book.submit_many([result("asha", 1), result("bram", 2)])
    copy = EmbeddedStore.copy
    copies = []

    def copied(store, directory):
        copy(store, directory)
        copies.append(directory)
        if len(copies) == 1:
            book.submit(forget("bram"))

    monkeypatch.setattr(EmbeddedStore, "copy", copied)
    book.backup(place / "backup")
    assert len(copies) == 2
    restore(place / "backup", place / "new")
    with Rankbook.open(place / "new") as new:
        assert players(new.ranking("speed").top()) == ["asha"]
        assert_agrees(new)


def test_rankings_that_another_process_has_made_larger_are_copied(book, place):
    book.submit(result("asha", 1))
    code = (
        "import sys; from rankbook import Rankbook, Event\n"
        "with Rankbook.open(sys.argv[1]) as book:\n"
        "    book.submit_many([Event(player=f'p{i}' * 20, values={'score': i})"
        " for i in range(5000)])\n"
    )
    subprocess.run([sys.executable, "-c", code, str(place / "book")], check=True)
    assert book.backup(place / "backup").position == 5001
    restore(place / "backup", place / "new")
    with Rankbook.open(place / "new") as new:
        assert_agrees(new)


def test_a_directory_that_is_not_empty_is_refused_and_stays(book, place):
    (place / "full").mkdir()
    (place / "full/mine").write_text("mine")
    with pytest.raises(BookError, match="not empty"):
        book.backup(place / "full")
    (place / "file").write_text("mine")
    with pytest.raises(BookError, match="not empty"):
        book.backup(place / "file")
    assert sorted(each.name for each in place.iterdir()) == ["book", "file", "full"]
    assert [each.name for each in (place / "full").iterdir()] == ["mine"]


def test_an_empty_directory_becomes_the_backup(book, place):
    (place / "empty").mkdir()
    book.backup(place / "empty")
    names = sorted(each.name for each in (place / "empty").iterdir())
    assert names == ["log.sqlite", "rankbook.toml", "rankings"]


def test_a_backup_that_fails_leaves_nothing(book, place, monkeypatch):
    def fail(*_arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(SqliteLog, "copy", fail)
    with pytest.raises(OSError, match="No space"):
        book.backup(place / "backup")
    assert [each.name for each in place.iterdir()] == ["book"]


def test_a_backup_that_is_killed_is_not_there_and_the_next_one_is_made(book, place):
    book.submit(result("asha", 1))
    code = (
        "import os, sys; from rankbook import Rankbook\n"
        "from rankbook.log.sqlite.log import SqliteLog\n"
        "SqliteLog.copy = lambda *_arguments: os.kill(os.getpid(), 9)\n"
        "Rankbook.open(sys.argv[1]).backup(sys.argv[2])\n"
    )
    words = [sys.executable, "-c", code, str(place / "book"), str(place / "backup")]
    assert subprocess.run(words, check=False).returncode == -9
    assert not (place / "backup").exists()
    assert book.backup(place / "backup").position == 1


def test_a_book_is_never_restored_over_another(book, place):
    book.submit(result("asha", 1))
    book.backup(place / "backup")
    with pytest.raises(BookError, match="there already"):
        restore(place / "backup", place / "book")
    with pytest.raises(BookError, match=r"no backup: it has no rankbook\.toml"):
        restore(place, place / "new")
    assert not (place / "new").exists()
    assert_agrees(book)


def test_log_and_rankings_in_other_places_of_the_book_come_back_there(place):
    line = (
        'name = "book"\nlog = "sqlite:data/events.db"\nstore = "embedded:deep/er?durability=full"'
    )
    text = TOML.replace('name = "book"', line, 1)
    with opened(place / "book", text) as book:
        book.submit(result("asha", 1))
        book.backup(place / "backup")
    restore(place / "backup", place / "new")
    assert (place / "new/data/events.db").is_file()
    with Rankbook.open(place / "new", catch_up=False) as new:
        assert new.store.position() == 1
        assert_agrees(new)


def test_a_log_outside_of_the_book_is_never_written_by_a_restore(place):
    outside = place / "app.sqlite"
    text = TOML.replace('name = "book"', f'name = "book"\nlog = "sqlite:{outside}"', 1)
    with opened(place / "book", text) as book:
        book.submit(result("asha", 1))
        book.backup(place / "backup")
    with pytest.raises(BookError, match="outside of the book's directory"):
        restore(place / "backup", place / "new")
    assert not (place / "new").exists()
    toml = place / "backup/rankbook.toml"
    toml.write_text(toml.read_text().replace(f"sqlite:{outside}", "sqlite:app.sqlite"))
    restore(place / "backup", place / "new")
    with Rankbook.open(place / "new") as new:
        assert_agrees(new)


def test_rankings_in_memory_are_left_to_the_log(place):
    text = TOML.replace('name = "book"', 'name = "book"\nstore = "memory:"', 1)
    with opened(place / "book", text) as book:
        book.submit(result("asha", 1))
        made = book.backup(place / "backup")
    assert (made.log, made.rankings) == (True, False)
    restore(place / "backup", place / "new")
    with Rankbook.open(place / "new") as new:
        assert players(new.ranking("speed").top()) == ["asha"]


def test_a_log_in_postgresql_is_left_to_its_server(place, postgres_uri):
    text = TOML.replace('name = "book"', f'name = "book"\nlog = "{postgres_uri}"', 1)
    with opened(place / "book", text) as book:
        book.submit(result("asha", 1))
        made = book.backup(place / "backup")
        assert (made.position, made.log, made.rankings) == (1, False, True)
        book.submit(result("bram", 2))
    restore(place / "backup", place / "new")
    with closing(Rankbook.open(place / "new")) as new:
        assert new.store.position() == 2
        assert_agrees(new)
