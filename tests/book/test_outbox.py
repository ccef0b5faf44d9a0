"""The outbox: the application's own row and the event commit together, or vanish together."""

import sqlite3
from contextlib import closing

import psycopg
import pytest

from rankbook import BookSpec, ConfigError, EventConflict, LogError, Rankbook, Refused
from tests.book.home import assert_agrees, board, result
from tests.cases.saying import void


@pytest.fixture
def app_book(place, clock):
    """A book whose log lives in the application's own database."""
    spec = BookSpec(name="app", boards=(board(),), log="sqlite:app.sqlite", store="memory:")
    with Rankbook.open(place, spec=spec, clock=clock) as book:
        with closing(sqlite3.connect(place / "app.sqlite", isolation_level=None)) as connection:
            connection.execute("CREATE TABLE tests (id TEXT PRIMARY KEY, wpm INTEGER)")
        yield book
        book.fold()
        assert_agrees(book)


@pytest.fixture
def connection(app_book, place):
    with closing(sqlite3.connect(place / "app.sqlite")) as connection:
        yield connection


def save(connection, id="t1"):
    connection.execute("INSERT INTO tests VALUES (?, 90)", (id,))


def saved(connection):
    return [id for (id,) in connection.execute("SELECT id FROM tests ORDER BY id")]


def test_the_row_and_the_event_commit_together_and_the_next_fold_ranks_it(app_book, connection):
    save(connection)
    recording = app_book.record(result("asha", 90, id="t1"), connection=connection)
    assert (recording.new, recording.events[0].id) == (1, "t1")
    assert app_book.outcome("t1").status == "unknown"
    connection.commit()
    assert app_book.outcome("t1").status == "recorded"
    app_book.fold()
    assert app_book.outcome("t1").status == "ranked"
    assert app_book.ranking("speed").entry("asha").score == 90
    assert saved(connection) == ["t1"]


def test_the_next_submission_ranks_it_too(app_book, connection):
    save(connection)
    app_book.record([result("asha", 90, id="t1")], connection=connection)
    connection.commit()
    assert app_book.submit(result("bram", 80)).rankings[0].rank == 2


def test_the_row_and_the_event_vanish_together(app_book, connection):
    save(connection)
    app_book.record(result("asha", 90, id="t1"), connection=connection)
    connection.rollback()
    assert saved(connection) == []
    assert app_book.outcome("t1").status == "unknown"
    assert app_book.submit(result("asha", 80, id="t1")).rankings[0].score == 80


def test_a_conflict_or_a_refusal_writes_no_event_and_leaves_the_transaction_to_the_caller(
    app_book, connection
):
    app_book.submit(result("asha", 90, id="t1"))
    save(connection)
    with pytest.raises(EventConflict):
        app_book.record(result("asha", 91, id="t1"), connection=connection)
    with pytest.raises(Refused, match="score"):
        app_book.record(result("asha", "fast", id="t2"), connection=connection)
    connection.commit()
    assert (saved(connection), app_book.log.head()) == (["t1"], 1)


def test_a_failing_ranking_step_never_fails_what_is_saved(app_book, connection):
    save(connection)
    app_book.record(result("asha", 90, id="t1"), connection=connection)
    app_book.store.fail_next_publish("before")
    connection.commit()
    app_book.catch_up()
    assert (saved(connection), app_book.outcome("t1").status) == (["t1"], "recorded")
    app_book.catch_up()
    assert app_book.outcome("t1").status == "ranked"


def test_a_due_seal_waits_for_the_next_fold_and_not_for_the_callers_lock(place, clock):
    spec = BookSpec(
        name="app",
        boards=(board(windows=("daily",), seal=True),),
        log="sqlite:app.sqlite",
        store="memory:",
    )
    with Rankbook.open(place, spec=spec, clock=clock) as book:
        book.submit(result("asha", 1))
        clock.set("2026-12-02T00:00:00Z")
        with closing(sqlite3.connect(place / "app.sqlite", isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            book.record(result("bram", 1, id="b"), connection=connection)
            connection.execute("COMMIT")
        heard = []
        book.on_close(heard.append)
        book.catch_up()
        assert ([each.period.id for each in heard], book.pending()) == (["2026-11-30"], 0)


def test_a_void_is_of_what_is_committed_or_in_the_same_call(app_book, connection):
    connection.execute("BEGIN")
    app_book.record([result("asha", 9, id="t1"), void("t1")], connection=connection)
    with pytest.raises(Refused, match="which is no recorded result"):
        app_book.record(void("t2"), connection=connection)
    connection.commit()
    app_book.fold()
    assert app_book.ranking("speed").count() == 0


# --- connections that will not do ----------------------------------------------------------------


def refused(book, connection):
    with pytest.raises(ConfigError) as caught:
        book.record(result("asha", 90, id="t1"), connection=connection)
    assert caught.value.field == "connection"
    assert book.log.head() == 0
    return caught.value.reason


def test_a_connection_without_a_transaction_is_refused(app_book, connection):
    assert "has no transaction open" in refused(app_book, connection)
    connection.close()
    with pytest.raises(LogError, match="closed"):
        app_book.record(result("asha", 1), connection=connection)


@pytest.mark.parametrize("other", [object(), "app.sqlite", 7])
def test_what_is_no_connection_is_refused_by_its_kind(app_book, other):
    reason = refused(app_book, other)
    assert type(other).__qualname__ in reason
    assert "needs a sqlite3.Connection" in reason


@pytest.mark.parametrize("name", ["other.sqlite", ":memory:"])
def test_a_connection_to_another_file_is_refused(app_book, place, name):
    where = place / name if name != ":memory:" else name
    with closing(sqlite3.connect(where)) as other:
        other.execute("BEGIN")
        assert "app.sqlite" in refused(app_book, other)


def test_the_logs_file_may_be_reached_by_another_path(app_book, place):
    (place / "link.sqlite").symlink_to(place / "app.sqlite")
    with closing(sqlite3.connect(place / "link.sqlite")) as connection:
        connection.execute("BEGIN")
        assert app_book.record(result("asha", 1), connection=connection).new == 1
        connection.commit()


def test_the_callers_row_factory_does_not_matter(app_book, connection):
    connection.row_factory = lambda _cursor, row: {"row": row}
    connection.execute("BEGIN")
    assert app_book.record(result("asha", 1), connection=connection).new == 1
    connection.commit()


def test_a_database_without_a_log_is_an_error_of_the_log(home):
    book = home.open(board())
    with closing(sqlite3.connect(":memory:")) as other:
        other.execute("BEGIN")
        with pytest.raises(LogError, match="no such table"):
            book.record(result("asha", 1), connection=other)


# --- what wraps a connection ---------------------------------------------------------------------


class Has:
    def __init__(self, **attributes):
        self.__dict__.update(attributes)


def as_django(connection):
    """`django.db.connection` hands on to a wrapper, whose `connection` is the driver's."""
    return Has(connection=connection)


def as_sqlalchemy_connection(connection):
    """Its `connection` is of the pool, and that one's `driver_connection` the driver's."""
    return Has(connection=Has(driver_connection=connection, connection=None))


def as_sqlalchemy_session(connection):
    """A session has a method that gives its connection."""
    return Has(connection=lambda: as_sqlalchemy_connection(connection))


WRAPS = [as_django, as_sqlalchemy_connection, as_sqlalchemy_session, lambda each: each.cursor()]


@pytest.mark.parametrize("wrap", WRAPS)
def test_what_wraps_the_connection_is_unwrapped(app_book, connection, wrap):
    save(connection)
    app_book.record(result("asha", 90, id="t1"), connection=wrap(connection))
    connection.commit()
    assert app_book.outcome("t1").status == "recorded"


def test_a_wrapper_that_is_not_connected_or_is_of_another_kind_is_refused(app_book):
    async def later():
        raise AssertionError("nobody waits for this")

    endless = Has()
    endless.connection = endless
    for other in (as_django(None), Has(connection=later), endless):
        assert "is a tests.book.test_outbox.Has" in refused(app_book, other)


# --- PostgreSQL ----------------------------------------------------------------------------------


@pytest.fixture
def postgres_book(place, clock, postgres_uri):
    spec = BookSpec(name="app", boards=(board(),), log=postgres_uri, store="memory:")
    with Rankbook.open(place, spec=spec, clock=clock) as book:
        yield book
        book.fold()
        assert_agrees(book)


@pytest.fixture
def session(postgres_book, postgres_uri):
    with psycopg.connect(postgres_uri) as session:
        session.execute("CREATE TABLE tests (id TEXT PRIMARY KEY, wpm INTEGER)")
        session.commit()
        yield session


@pytest.mark.parametrize("wrap", [lambda each: each, *WRAPS])
@pytest.mark.parametrize("end", ["commit", "rollback"])
def test_in_postgresql_both_commit_or_vanish_together(postgres_book, session, wrap, end):
    session.execute("INSERT INTO tests VALUES ('t1', 90)")
    event = result("asha", 90, id="t1")
    assert postgres_book.record(event, connection=wrap(session)).new == 1
    assert postgres_book.outcome("t1").status == "unknown"
    getattr(session, end)()
    postgres_book.fold()
    there = session.execute("SELECT count(*) FROM tests").fetchone()
    expected = ("ranked", (1,)) if end == "commit" else ("unknown", (0,))
    assert (postgres_book.outcome("t1").status, there) == expected


def test_in_postgresql_other_databases_and_other_kinds_are_refused(
    postgres_book, postgres, postgres_uri, connection_to
):
    with connection_to(postgres.uri("postgres")) as other:
        assert "is to the database 'postgres'" in refused(postgres_book, other)
    with connection_to(postgres_uri, autocommit=True) as other:
        assert "has no transaction open" in refused(postgres_book, other)
    with closing(sqlite3.connect(":memory:")) as other:
        assert "needs a psycopg.Connection" in refused(postgres_book, other)
    other = psycopg.connect(postgres_uri)
    other.close()
    with pytest.raises(LogError):
        postgres_book.record(result("asha", 90, id="t1"), connection=other)


@pytest.fixture
def connection_to():
    return psycopg.connect
