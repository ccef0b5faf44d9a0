"""A user's own table, and a program's own events: adopted in batches, once."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import psycopg
import pytest

from rankbook import BookError, ConfigError, Event, LogError
from rankbook.importing import Importer, adopt, sql
from tests.importing.files import counts, places

CREATE = "CREATE TABLE tests (id TEXT, who TEXT, at TEXT, wpm REAL, acc INTEGER, mode TEXT)"
QUERY = "SELECT who AS player, at, wpm, acc AS accuracy, mode FROM tests ORDER BY at, who"
WITH_ID = QUERY.replace("SELECT", "SELECT id,")


def row(number, **changes):
    """A row of the table."""
    cells = {
        "id": f"t{number}",
        "who": f"p{number % 7}",
        "at": f"2026-11-30T10:{number // 60:02}:{number % 60:02}Z",
        "wpm": 60.5 + number,
        "acc": 98,
        "mode": "time",
    }
    return tuple((cells | changes).values())


class Table:
    """The user's table, in SQLite or PostgreSQL."""

    def __init__(self, dsn):
        self.dsn = dsn
        self.postgres = dsn.startswith("postgresql:")
        self.run(CREATE)

    def run(self, statement, rows=((),)):
        connect = psycopg.connect if self.postgres else sqlite3.connect
        with closing(connect(self.dsn)) as connection:
            cursor = connection.cursor()
            for each in rows:
                cursor.execute(statement, each) if each else cursor.execute(statement)
            connection.commit()

    def add(self, *rows):
        mark = "%s" if self.postgres else "?"
        self.run(f"INSERT INTO tests VALUES ({', '.join([mark] * 6)})", rows)


@pytest.fixture(params=["sqlite", "postgresql"])
def table(request, tmp_path):
    if request.param == "sqlite":
        return Table(str(tmp_path / "own.sqlite"))
    return Table(request.getfixturevalue("postgres_uri"))


def take(book, table, query=QUERY, player=None, batch=None):
    importer = Importer(book, batch=batch)
    sql.import_query(importer, table.dsn, query, player)
    return importer.finish()


def test_the_rows_of_a_table_are_recorded_and_ranked_once(book, table):
    table.add(*[row(i) for i in range(30)])
    assert counts(take(book, table)) == (30, 0, 0)
    assert counts(take(book, table)) == (0, 30, 0)
    table.add(row(30))
    assert counts(take(book, table)) == (1, 30, 0)
    top = book.ranking("speed").top().entries[0]
    assert (top.player, top.score) == ("p2", 89)
    assert top.details == {"wpm": 90.5, "accuracy": 98, "mode": "time"}


def test_two_equal_rows_are_two_results_and_known_again(book, table):
    table.add(row(1), row(1), row(1))
    assert counts(take(book, table)) == (3, 0, 0)
    assert counts(take(book, table)) == (0, 3, 0)


def test_a_column_id_names_the_events(book, table):
    table.add(row(1), row(2))
    assert counts(take(book, table, WITH_ID)) == (2, 0, 0)
    assert book.outcome("t1").status == "ranked"
    table.run("UPDATE tests SET wpm = 70 WHERE id = 't2'")
    summary = take(book, table, WITH_ID)
    assert counts(summary) == (0, 1, 1)
    assert places(summary) == [(2, "id", "'t2' is already recorded with other content")]


def test_faults_are_named_by_row_and_the_rest_is_recorded(book, table):
    table.add(
        row(0),
        row(1, acc=140),
        row(2, mode="zen"),
        row(3, who=None),
        row(4, wpm=None),
        row(5, at="2026-11-30T10:00:05"),
        row(6),
    )
    summary = take(book, table, f"{WITH_ID.partition(' ORDER')[0]} ORDER BY id")
    assert counts(summary) == (2, 0, 5)
    assert [(line, column) for line, column, _ in places(summary)] == [
        (2, "accuracy"),
        (3, "mode"),
        (4, "player"),
        (5, "wpm"),
        (6, "at"),
    ]
    assert str(summary.faults[0]) == "row:2: accuracy: is 140, more than 100"
    assert str(summary.faults[2]) == "row:4: player: is NULL"


def test_whose_the_rows_are_may_be_said_for_all(book, table):
    table.add(row(1), row(2))
    query = "SELECT at, wpm, acc AS accuracy, mode FROM tests"
    with pytest.raises(ConfigError, match="sql: gives no column 'player'"):
        take(book, table, query)
    assert counts(take(book, table, query, "asha")) == (2, 0, 0)
    assert [each.player for each in book.ranking("speed").top().entries] == ["asha"]


def test_what_is_no_query_is_refused_and_nothing_can_be_written(book, table):
    table.add(row(1))
    for query in (
        "SELEC",
        "DELETE FROM tests",
        "SELECT * FROM nowhere",
        "SELECT at, at FROM tests",
    ):
        with pytest.raises(ConfigError, match=r"^sql: "):
            take(book, table, query)
    assert counts(take(book, table)) == (1, 0, 0)


@pytest.mark.parametrize("dsn", ["nowhere.sqlite", "postgresql://127.0.0.1:1/nowhere"])
def test_a_database_that_is_not_there_is_an_error_and_is_not_made(book, tmp_path, dsn):
    path = dsn if ":" in dsn else str(tmp_path / dsn)
    with pytest.raises(BookError):
        sql.import_query(Importer(book), path, QUERY)
    assert not (tmp_path / "nowhere.sqlite").exists()


def test_types_of_postgresql_become_values(book, postgres_uri):
    query = """
        SELECT 7 AS player, timestamptz '2026-11-30 10:00+05:30' AS at, 90.50::numeric AS wpm,
            98::numeric AS accuracy, 'time' AS mode, 3 AS sequence, 'Asha' AS "profile.name",
            '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::uuid AS id
        UNION ALL SELECT 8, now(), 1, 1, 'time', 1, NULL, NULL
    """
    importer = Importer(book)
    sql.import_query(importer, postgres_uri, query)
    assert counts(importer.finish()) == (2, 0, 0)
    entry = book.ranking("speed").top().entries[0]
    assert (entry.player, entry.score, entry.profile) == ("7", 89, {"name": "Asha"})
    assert entry.reached_at == datetime(2026, 11, 30, 4, 30, tzinfo=UTC)
    assert entry.event_id == "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


def test_a_type_that_is_no_value_is_a_fault(book, table):
    table.add(row(1))
    blob = "decode('00', 'hex')" if table.postgres else "x'00'"
    summary = take(book, table, QUERY.replace("wpm,", f"wpm, {blob} AS raw,"))
    assert places(summary) == [(1, "raw", "is of the type bytes; a value is a number or text")]


def test_an_import_that_was_stopped_goes_on_where_it_was(book, table, monkeypatch):
    table.add(*[row(i) for i in range(30)])
    record = book.record
    calls = []

    def failing(events):
        calls.append(len(events))
        if len(calls) == 3:
            raise LogError("down")
        return record(events)

    with monkeypatch.context() as patch:
        patch.setattr(book, "record", failing)
        with pytest.raises(LogError):
            take(book, table, batch=8)
    assert calls == [8, 8, 8]
    assert counts(take(book, table, batch=8)) == (14, 16, 0)


def event(number, **changes):
    fields = {
        "player": f"p{number}",
        "at": datetime(2026, 11, 30, 10, 0, number, tzinfo=UTC),
        "values": {"wpm": 60 + number, "accuracy": 98, "mode": "time"},
    }
    return Event(**(fields | changes))


def test_events_of_a_program_are_adopted_as_they_come(book):
    told = []
    summary = adopt(
        book,
        (event(i) for i in range(25)),
        batch=10,
        progress=lambda what, done, total: told.append((what, done, total)),
    )
    assert counts(summary) == (25, 0, 0)
    assert told == [("reading", 10, None), ("reading", 20, None), ("ranking", 25, 25)]
    assert counts(adopt(book, [event(i) for i in range(30)])) == (5, 25, 0)


def test_a_batch_is_recorded_before_the_next_event_is_asked_for(book):
    def events():
        for number in range(20):
            assert book.pending() == number // 5 * 5
            yield event(number)

    assert counts(adopt(book, events(), batch=5)) == (20, 0, 0)


def test_events_that_the_book_refuses_are_faults_by_number(book):
    bad = event(2, values={"wpm": 60, "accuracy": 140, "mode": "time"})
    summary = adopt(book, [event(1), bad, event(3, at=None), event(4)])
    assert counts(summary) == (2, 0, 2)
    assert [str(each) for each in summary.faults] == [
        "event:2: accuracy: is 140, more than 100",
        "event:3: at: is missing",
    ]
