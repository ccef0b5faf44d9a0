"""`rankbook backup`, `restore` and `migrate`."""

import sqlite3
from contextlib import closing

import pytest

from rankbook import Rankbook
from rankbook.log import migrate, open_log, statements
from rankbook.log.base import Migrated
from rankbook.log.postgres.schema import newest as newest_postgres
from rankbook.log.sqlite.schema import newest


def test_a_backup_is_restored_elsewhere_and_says_where_it_is(small_book, rankbook, tmp_path):
    answer = rankbook("backup", tmp_path / "backup", "--book", small_book)
    said = f"{tmp_path / 'backup'} is a backup of the book at log position 4.\n"
    assert (answer.code, answer.stdout, answer.stderr) == (0, said, "")
    answer = rankbook("restore", tmp_path / "backup", "--book", tmp_path / "new")
    said = f"{tmp_path / 'new'} is restored; log and rankings are at log position 4.\n"
    assert (answer.code, answer.stdout) == (0, said)
    assert rankbook("verify", "--book", tmp_path / "new").code == 0


def test_both_are_documents(small_book, rankbook, tmp_path):
    backup = tmp_path / "backup"
    assert rankbook("backup", backup, "--json", "--book", small_book).json == {
        "directory": str(backup),
        "position": 4,
        "log": True,
        "rankings": True,
    }
    answer = rankbook("restore", backup, "--json", "--book", tmp_path / "new")
    assert answer.json == {"position": 4}


def test_what_is_there_already_is_refused_in_a_line(small_book, rankbook, tmp_path):
    answer = rankbook("backup", small_book, "--book", small_book)
    assert answer.code == 5
    assert answer.line.endswith("is there already and is not empty; nothing was changed")
    assert rankbook("backup", tmp_path / "backup", "--book", small_book).code == 0
    answer = rankbook("restore", tmp_path / "backup", "--book", small_book)
    assert answer.code == 5
    assert answer.line.endswith("is there already and is not empty; nothing was changed")
    answer = rankbook("restore", tmp_path, "--book", tmp_path / "new")
    assert answer.code == 5
    assert answer.line.endswith("is no backup: it has no rankbook.toml")


@pytest.fixture
def postgres_book(typing_book, postgres_uri):
    """A typing book whose log is in PostgreSQL."""
    toml = typing_book / "rankbook.toml"
    other = typing_book.parent / "other"
    other.mkdir()
    lines = toml.read_text().splitlines()
    lines = [f'log = "{postgres_uri}"' if line.startswith("log = ") else line for line in lines]
    (other / "rankbook.toml").write_text("\n".join(lines))
    return other


def test_a_log_in_postgresql_is_said_to_be_backed_up_there(postgres_book, rankbook, tmp_path):
    answer = rankbook("backup", tmp_path / "backup", "--book", postgres_book)
    assert answer.code == 0
    assert answer.line == (
        "The log is in PostgreSQL and not in this backup: back it up there, with pg_dump."
    )
    assert not (tmp_path / "backup/log.sqlite").exists()


def test_a_log_that_is_behind_the_restored_rankings_is_refused(
    postgres_book, rankbook, tmp_path, postgres
):
    words = ("asha", "wpm=100", "accuracy=98", "mode=time", "--book", postgres_book)
    assert rankbook("submit", *words).code == 0
    assert rankbook("backup", tmp_path / "backup", "--book", postgres_book).code == 0
    toml = tmp_path / "backup/rankbook.toml"
    with postgres.database() as empty:
        lines = toml.read_text().splitlines()
        lines = [f'log = "{empty}"' if line.startswith("log = ") else line for line in lines]
        toml.write_text("\n".join(lines))
        answer = rankbook("restore", tmp_path / "backup", "--book", tmp_path / "new")
        assert answer.code == 5
        assert "the log ends at 0 and the rankings are made up to 1" in answer.line


def test_migrate_says_that_nothing_is_to_be_done(small_book, rankbook):
    answer = rankbook("migrate", "--book", small_book)
    said = f"The log has schema {newest()}, this program's; nothing was changed.\n"
    assert (answer.code, answer.stdout) == (0, said)
    answer = rankbook("migrate", "--json", "--book", small_book)
    assert answer.json == {"from": newest(), "to": newest()}


def test_migrate_brings_an_older_log_up_and_says_from_where(tmp_path, rankbook, typing_book):
    path = typing_book / "log.sqlite"
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statements.migrations("sqlite")[0].sql)
        connection.execute("INSERT INTO rankbook_schema (number) VALUES (1)")
        connection.commit()
    answer = rankbook("migrate", "--book", typing_book)
    said = f"The log is migrated from schema 1 to {newest()}.\n"
    assert (answer.code, answer.stdout, answer.stderr) == (0, said, "")
    with Rankbook.open(typing_book) as book:
        assert book.log.head() == 0


def test_migrate_knows_a_log_in_postgresql(postgres_uri, tmp_path):
    open_log(postgres_uri, tmp_path).close()
    assert migrate(postgres_uri, tmp_path) == Migrated(newest_postgres(), newest_postgres())


def test_migrate_makes_no_log_and_refuses_a_newer_one(typing_book, rankbook, tmp_path):
    assert rankbook("migrate", "--book", tmp_path).code == 5
    path = typing_book / "log.sqlite"
    moved = path.rename(tmp_path / "moved")
    answer = rankbook("migrate", "--book", typing_book)
    assert answer.code == 5
    assert "there is no log" in answer.line
    moved.rename(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE rankbook_schema SET number = 99")
        connection.commit()
    answer = rankbook("migrate", "--book", typing_book)
    assert answer.code == 5
    assert "newer than" in answer.line
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE rankbook_schema SET number = ?", (newest(),))
        connection.commit()
