"""What the PostgreSQL log promises beyond the contract: order, outboxes, its schema, its errors."""

import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

import psycopg
import pytest
from psycopg.rows import dict_row

from rankbook.errors import BookError, EventConflict, LogError, SpecError
from rankbook.log import open_log, statements
from rankbook.log.base import Draft, Recorded
from rankbook.log.postgres import log as postgres_log
from rankbook.log.postgres.log import PostgresLog, record_in
from rankbook.log.postgres.schema import newest, session, sql
from tests.contract.proxy import proxied

MANY_OPENERS = """
import sys
import psycopg
from rankbook.log.base import Draft, Recorded
from rankbook.log.postgres.log import PostgresLog, record_in
uri, name = sys.argv[1:]
def draft(id):
    return Draft(id, "result", "asha", 1, 1, b"{}")
print("ready", flush=True)
sys.stdin.readline()
log = PostgresLog.open(uri)
with psycopg.connect(uri) as early, psycopg.connect(uri) as late:
    for number in range(20):
        record_in(early, [draft(f"{name}-early-{number}")])
        record_in(late, [draft(f"{name}-late-{number}")])
        log.record([draft(f"{name}-own-{number}"), draft(f"shared-{number}")])
        late.commit()
        log.record([draft(f"{name}-last-{number}")])
        early.commit()
log.close()
"""

LOCKS = "SELECT count(*) FROM pg_locks WHERE NOT granted"
LISTENERS = """
SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND granted
"""
TERMINATE = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
TABLES = """
SELECT 'column', table_name, column_name, data_type, collation_name, is_nullable, column_default
FROM information_schema.columns WHERE table_schema = 'public'
UNION ALL
SELECT 'index', tablename, indexname, indexdef, '', '', '' FROM pg_indexes
WHERE schemaname = 'public'
UNION ALL
SELECT 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), '', '', ''
FROM pg_constraint WHERE connamespace = 'public'::regnamespace
UNION ALL
SELECT 'function', '', proname, pg_get_functiondef(oid), '', '', '' FROM pg_proc
WHERE pronamespace = 'public'::regnamespace
UNION ALL
SELECT 'sequence', sequencename, data_type::text, increment_by::text, cache_size::text, '', ''
FROM pg_sequences WHERE schemaname = 'public'
ORDER BY 1, 2, 3
"""


def draft(id, body=b"{}"):
    return Draft(id, "result", "asha", 1, 1, body)


def ids(events):
    return [event.id for event in events]


def ask(uri, statement):
    with psycopg.connect(uri, autocommit=True) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else None


def with_options(uri, **options):
    return uri + "?options=" + "%20".join(f"-c%20{k}%3D{v}" for k, v in options.items())


@pytest.fixture
def uri(postgres_uri):
    return postgres_uri


@pytest.fixture
def log(uri):
    log = PostgresLog.open(uri)
    yield log
    log.close()


@pytest.fixture
def raw(uri, log):
    """A connection of the application's."""
    with psycopg.connect(uri) as connection:
        yield connection


@pytest.fixture
def other(uri, log):
    """Another connection of the application's."""
    with psycopg.connect(uri) as connection:
        yield connection


@pytest.fixture
def watch(uri):
    """Wait until a count, as PostgreSQL answers it, is more than 0."""
    with psycopg.connect(uri, autocommit=True) as connection:

        def until(query):
            while connection.execute(query).fetchone() == (0,):
                pass

        yield until


@contextmanager
def running(work):
    """Run `work` beside the block, and give its result or its error after it."""
    results = []

    def run():
        try:
            results.append(work())
        except Exception as error:
            results.append(error)

    thread = Thread(target=run)
    thread.start()
    try:
        yield results
    finally:
        thread.join()


# --- order ----------------------------------------------------------------------------------------


def test_an_open_transaction_holds_nobody_up_and_never_gets_before_what_was_read(log, raw, other):
    [start] = log.record([draft("start")]).events
    record_in(raw, [draft("slow")])
    [own] = log.record([draft("own")]).events
    record_in(other, [draft("quick")])
    assert log.read(0, 10) == [start, own]
    assert log.head() == own.seq
    other.commit()
    read = log.read(0, 10)
    assert ids(read) == ["start", "own", "quick"]
    [later] = log.record([draft("later")]).events
    assert ids(log.read(read[-1].seq, 10)) == ["later"]
    raw.commit()
    assert log.find(["slow"])[0].seq > later.seq
    assert ids(log.read(0, 10)) == ["start", "own", "quick", "later", "slow"]
    assert log.read(0, 3) == read


def test_transactions_that_did_not_overlap_keep_their_order_and_each_that_of_its_records(
    log, raw, other
):
    record_in(raw, [draft("a1"), draft("a2")])
    record_in(raw, [draft("a0")])
    raw.commit()
    record_in(other, [draft("b3"), draft("b2"), draft("b1")])
    other.commit()
    record_in(raw, [draft("c")])
    raw.commit()
    assert ids(log.read(0, 10)) == ["a1", "a2", "a0", "b3", "b2", "b1", "c"]


def test_a_backlog_is_read_in_order_by_parts(log, raw, monkeypatch):
    monkeypatch.setattr(postgres_log, "PLACES", 7)
    for part in range(6):
        record_in(raw, [draft(f"{part}-{number}") for number in range(5)])
        raw.commit()
    wanted = [f"{part}-{number}" for part in range(6) for number in range(5)]
    assert log.head() == 30
    assert ids(log.read(0, 4)) == wanted[:4]
    assert ids(log.read(4, 100)) == wanted[4:]
    assert [event.seq for event in log.read(0, 100)] == list(range(1, 31))


def test_who_records_while_others_give_places_writes_at_once_and_gets_places_after(
    log, uri, other, watch
):
    other.execute("SELECT pg_advisory_xact_lock(1380011595, 'rankbook_event'::regclass::oid::int)")
    with running(lambda: log.record([draft("e1"), draft("e2"), draft("e1")])) as results:
        watch("SELECT count(*) FROM rankbook_event")
        watch(LOCKS)
        other.commit()
    assert ids(results[0].events) == ["e1", "e2", "e1"]
    assert [event.seq for event in results[0].events] == [1, 2, 1]


def test_an_id_in_an_open_transaction_is_waited_for_without_holding_others_up(log, uri, raw, watch):
    record_in(raw, [draft("e1")])
    with running(lambda: log.record([draft("e1")])) as results:
        watch("SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted")
        beside = PostgresLog.open(uri)
        while len(beside.read(0, 100)) < 5:
            beside.record([draft(f"beside{len(beside.read(0, 100))}")])
        beside.close()
        assert not results
        raw.commit()
    assert results[0].new == 0
    assert results[0].events == log.find(["e1"])


def test_an_id_in_an_open_transaction_is_not_waited_for_longer_than_said(uri, log, raw):
    hasty = PostgresLog.open(uri, lock_timeout_ms=50)
    record_in(raw, [draft("e1")])
    with pytest.raises(LogError, match="lock timeout"):
        hasty.record([draft("e1")])
    raw.rollback()
    assert hasty.record([draft("e1")]).new == 1
    hasty.close()


def test_places_are_given_also_to_events_that_were_copied_from_another_server(log, raw):
    log.record([draft("e1")])
    record_in(raw, [draft("e2")])
    raw.commit()
    log._low = "1000000000"
    assert log.read(0, 10) == log.record([draft("e1")]).events
    assert ids(log.find(["e2"])) == ["e2"]
    assert ids(log.read(0, 10)) == ["e1", "e2"]


def test_events_that_wait_are_found_also_after_the_server_was_restored(log, uri):
    log._low = "1000000000"
    ask(uri, TERMINATE)
    assert log.head() == 0
    assert int(log._low) < 1_000_000_000
    with psycopg.connect(uri) as connection:
        record_in(connection, [draft("e1")])
    assert ids(log.read(0, 10)) == ["e1"]


def test_the_search_for_events_that_wait_starts_after_those_that_have_waited(log, raw):
    low = int(log._low)
    for number in range(3):
        record_in(raw, [draft(f"e{number}")])
        raw.commit()
        log.read(0, 10)
        assert int(log._low) > low
        low = int(log._low)


def test_processes_that_open_record_and_hold_transactions_share_one_log_without_loss(uri):
    command = [sys.executable, "-c", MANY_OPENERS, uri]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    writers = [subprocess.Popen([*command, f"w{n}"], **pipes) for n in range(4)]
    for writer in writers:
        writer.stdout.readline()
    for writer in writers:
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    log = PostgresLog.open(uri)
    followed = []
    while any(writer.poll() is None for writer in writers):
        followed += log.read(followed[-1].seq if followed else 0, 7)
    for writer in writers:
        _, errors = writer.communicate()
        assert writer.returncode == 0, errors.decode()
    followed += log.read(followed[-1].seq, 10_000)
    assert followed == log.read(0, 10_000)
    assert len(set(ids(followed))) == len(followed) == 4 * 4 * 20 + 20
    log.close()


# --- a caller's transaction -----------------------------------------------------------------------


def test_a_callers_row_and_its_event_commit_together_or_not_at_all(log, raw):
    raw.execute("CREATE TABLE result (x integer)")
    raw.commit()
    for end, rows in ((raw.rollback, 0), (raw.commit, 1)):
        raw.execute("INSERT INTO result VALUES (1)")
        assert record_in(raw, [draft("e1")]).events[0].seq == 0
        end()
        assert raw.execute("SELECT count(*) FROM result").fetchone() == (rows,)
        assert len(log.read(0, 10)) == rows


def test_recording_in_a_connection_without_a_transaction_is_a_callers_error(uri, log):
    with psycopg.connect(uri, autocommit=True) as connection:
        with pytest.raises(ValueError, match="open transaction"):
            record_in(connection, [draft("e1")])
        with connection.transaction():
            assert record_in(connection, []) == ([], 0)
            record_in(connection, [draft("e1")])
    assert ids(log.read(0, 10)) == ["e1"]


def test_a_callers_factories_do_not_matter(uri, log):
    log.record([draft("e1")])
    with psycopg.connect(
        uri, row_factory=dict_row, cursor_factory=psycopg.ClientCursor
    ) as connection:
        recording = record_in(connection, [draft("e1"), draft("e2")])
        assert recording.new == 1
        assert recording.events[0] == log.find(["e1"])[0]
    assert ids(log.read(0, 10)) == ["e1", "e2"]


@pytest.mark.parametrize("level", ["REPEATABLE_READ", "SERIALIZABLE"])
def test_a_caller_may_isolate_the_transaction_as_it_likes(level, log, raw):
    raw.isolation_level = psycopg.IsolationLevel[level]
    raw.execute("SELECT count(*) FROM rankbook_event")
    log.record([draft("e1")])
    record_in(raw, [draft("e2")])
    raw.commit()
    assert ids(log.read(0, 10)) == ["e1", "e2"]
    raw.execute("SELECT count(*) FROM rankbook_event")
    log.record([draft("e3")])
    with pytest.raises(LogError, match="40001"):
        record_in(raw, [draft("e3")])
    raw.rollback()


def test_a_savepoint_takes_its_events_back_and_leaves_the_others(log, raw):
    record_in(raw, [draft("e1")])
    with raw.transaction() as savepoint:
        record_in(raw, [draft("e2")])
        raise psycopg.Rollback(savepoint)
    record_in(raw, [draft("e3")])
    raw.commit()
    assert ids(log.read(0, 10)) == ["e1", "e3"]


def test_a_transaction_that_has_failed_records_nothing_more(log, raw):
    with pytest.raises(psycopg.Error):
        raw.execute("SELECT no_such_column")
    with pytest.raises(LogError, match=r"caller's connection.*25P02"):
        record_in(raw, [draft("e1")])


# --- waking ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["record", "record_in"])
def test_who_waits_is_notified(how, log, uri, raw, watch, monkeypatch):
    monkeypatch.setattr(postgres_log, "POLL_SECONDS", 3600)
    writer = PostgresLog.open(uri)
    with running(lambda: log.wait(0, 3600)) as results:
        watch(LISTENERS)
        if how == "record":
            writer.record([draft("e1")])
        else:
            record_in(raw, [draft("e1")])
            raw.commit()
    assert results == [True]
    writer.close()


def test_nobody_is_notified_where_nobody_waits(log, uri):
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("LISTEN rankbook_event")
        log.record([draft("e1")])
        assert list(connection.notifies(timeout=0)) == []
        assert not log.wait(1, 0)
        log.record([draft("e2")])
        assert list(connection.notifies(timeout=0)) == []


def test_who_waits_finds_also_what_was_recorded_before_anybody_listened(
    log, raw, watch, monkeypatch
):
    monkeypatch.setattr(postgres_log, "POLL_SECONDS", 0.01)
    record_in(raw, [draft("e1")])
    with running(lambda: log.wait(0, 3600)) as results:
        watch(LISTENERS)
        raw.commit()
    assert results == [True]


def test_a_log_that_is_closed_ends_a_wait(log, watch, monkeypatch):
    monkeypatch.setattr(postgres_log, "POLL_SECONDS", 0.01)
    with running(lambda: log.wait(0, 3600)) as results:
        watch(LISTENERS)
        log.close()
    assert results == [False]


# --- schema ---------------------------------------------------------------------------------------


def test_the_schema_is_the_sum_of_the_migrations(postgres):
    with postgres.database() as whole, postgres.database() as steps:
        ask(whole, statements.schema("postgres"))
        for step in statements.migrations("postgres"):
            ask(steps, step.sql)
        assert ask(whole, TABLES) == ask(steps, TABLES) != []


def test_migrations_are_numbered_from_1_without_a_gap():
    numbers = [step.number for step in statements.migrations("postgres")]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_new_log_has_the_newest_number_and_the_schemas_tables(log, uri, postgres):
    with postgres.database() as whole:
        ask(whole, statements.schema("postgres"))
        assert ask(uri, TABLES) == ask(whole, TABLES)
    assert ask(uri, "SELECT number FROM rankbook_schema") == [(newest(),)]


def test_an_older_log_is_migrated_step_by_step(uri, monkeypatch):
    PostgresLog.open(uri).close()
    old = statements.migrations("postgres")
    steps = "ALTER TABLE rankbook_event ADD COLUMN x text;\nCREATE TABLE y (z integer);\n"
    step = statements.Migration(newest() + 1, "extra", steps)
    monkeypatch.setattr(statements, "migrations", lambda dialect: (*old, step))
    log = PostgresLog.open(uri, create=False)
    log.record([draft("e1")])
    log.close()
    assert ask(uri, "SELECT number FROM rankbook_schema") == [(step.number,)]
    assert ask(uri, "SELECT x FROM rankbook_event") == [(None,)]


def test_a_migration_that_fails_leaves_the_log_as_it_was(uri, monkeypatch):
    PostgresLog.open(uri).close()
    old = statements.migrations("postgres")
    twice = "CREATE TABLE y (z integer);\nCREATE TABLE y (z integer);\n"
    step = statements.Migration(newest() + 1, "bad", twice)
    with monkeypatch.context() as patch:
        patch.setattr(statements, "migrations", lambda dialect: (*old, step))
        with pytest.raises(BookError, match="already exists"):
            PostgresLog.open(uri)
    PostgresLog.open(uri, create=False).close()
    assert ask(uri, "SELECT to_regclass('y')") == [(None,)]


def test_a_log_newer_than_this_program_is_refused_in_one_line(uri):
    PostgresLog.open(uri).close()
    ask(uri, "UPDATE rankbook_schema SET number = 999")
    with pytest.raises(BookError, match="has schema 999, newer than") as caught:
        PostgresLog.open(uri)
    assert "\n" not in str(caught.value)


def test_without_create_a_database_that_holds_no_log_is_left_as_it_is(uri):
    ask(uri, "CREATE TABLE app (x integer)")
    before = ask(uri, TABLES)
    with pytest.raises(BookError, match="there is no Rankbook log in"):
        PostgresLog.open(uri, create=False)
    assert ask(uri, TABLES) == before


def test_a_history_is_read_by_an_index_without_sorting(uri, log):
    log.record([draft(f"e{number}") for number in range(100)])
    connection = session(uri, 1000)
    for query, index in (
        (sql.player_events, "rankbook_event_player"),
        (sql.read_events, "rankbook_event_seq"),
        (sql.to_forget, "rankbook_event_forget"),
        (sql.find, "rankbook_event_pkey"),
        (sql.head, "rankbook_event_waiting"),
    ):
        values = {"player": "asha", "after": 0, "until": 9, "limit": 9, "since": "0", "ids": ["e"]}
        rows = connection.execute(f"EXPLAIN {query.sql}", values).fetchall()
        plan = "\n".join(row[0] for row in rows)
        assert index in plan
        assert "Seq Scan" not in plan
    connection.close()


def test_a_commit_is_durable_whatever_the_database_is_configured_to(uri):
    for setting in ("off", "local"):
        [[name]] = ask(uri, "SELECT current_database()")
        ask(uri, f"ALTER DATABASE {name} SET synchronous_commit = {setting}")
        connection = session(uri, 1000)
        kept = "on" if setting == "off" else setting
        assert connection.execute("SHOW synchronous_commit").fetchone() == (kept,)
        connection.close()


# --- what cannot be opened ------------------------------------------------------------------------


def test_a_log_is_opened_by_its_uri(uri, tmp_path):
    log = open_log(uri, tmp_path / "book")
    assert log.record([draft("e1")]).new == 1
    log.close()
    assert list(tmp_path.iterdir()) == []


def test_without_the_client_library_the_error_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.delitem(sys.modules, "rankbook.log.postgres.log")
    monkeypatch.delattr("rankbook.log.postgres.log")
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BookError, match=r"rankbook\[postgres\]"):
        open_log("postgresql://localhost/x", tmp_path)


@pytest.mark.parametrize("uri", ["postgresql:", "postgresql://h/x?no_such=1", "postgresql://[h/x"])
def test_what_is_no_uri_names_the_field(uri, tmp_path):
    with pytest.raises(SpecError, match=r"^book\.log: .*PostgreSQL URI") as caught:
        open_log(uri, tmp_path)
    assert "\n" not in str(caught.value)


def test_a_server_that_cannot_be_reached_is_named_in_one_line_without_its_password(tmp_path):
    with pytest.raises(BookError, match=r"log postgresql://127.0.0.1:1/x .*refused") as caught:
        open_log("postgresql://asha:secret@127.0.0.1:1/x", tmp_path)
    assert isinstance(caught.value.__cause__, psycopg.OperationalError)
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


def test_a_missing_database_is_refused(postgres, tmp_path):
    with pytest.raises(BookError, match="does not exist"):
        open_log(postgres.uri("nowhere"), tmp_path)


def test_a_database_that_is_not_encoded_in_utf8_is_refused(postgres):
    ask(postgres.uri("postgres"), "CREATE DATABASE latin TEMPLATE template0 ENCODING 'SQL_ASCII'")
    with pytest.raises(BookError, match="encoded in UTF8"):
        PostgresLog.open(postgres.uri("latin"))
    ask(postgres.uri("postgres"), "DROP DATABASE latin WITH (FORCE)")


def test_a_server_that_is_too_old_is_refused(uri, monkeypatch):
    monkeypatch.setattr("rankbook.log.postgres.schema.OLDEST_SERVER", 99)
    with pytest.raises(BookError, match="PostgreSQL 99 or newer"):
        PostgresLog.open(uri)


# --- faults ---------------------------------------------------------------------------------------


def test_connections_that_were_ended_are_made_anew(log, uri):
    log.record([draft("e1")])
    for number in range(2, 5):
        ask(uri, TERMINATE)
        assert log.record([draft(f"e{number}")]).new == 1
        assert log.head() == number
    assert ids(log.read(0, 10)) == ["e1", "e2", "e3", "e4"]


def test_a_connection_cut_after_the_commit_was_sent_is_resolved_by_asking_for_the_ids(uri):
    with proxied(uri) as (through, proxy):
        log = PostgresLog.open(through)
        log.record([draft("e0")])
        proxy.cut(b"rankbook_record")
        again = draft("e0")._replace(received_us=2)
        recording = log.record([again, draft("e1"), draft("e2")])
        assert proxy.cuts == 0
        assert (recording.new, ids(recording.events)) == (2, ["e0", "e1", "e2"])
        assert log.read(0, 10) == recording.events
        log.close()


def test_a_conflict_is_found_also_after_a_cut(uri):
    with proxied(uri) as (through, proxy):
        log = PostgresLog.open(through)
        log.record([draft("e1")])
        proxy.cut(b"rankbook_record")
        with pytest.raises(EventConflict):
            log.record([draft("e0"), draft("e1", b"other")])
        assert ids(log.read(0, 10)) == ["e1"]
        log.close()


def test_an_outcome_that_stays_unknown_says_so_and_recording_again_resolves_it(uri):
    with proxied(uri) as (through, proxy):
        log = PostgresLog.open(through)
        proxy.cut(b"rankbook_record", times=100)
        with pytest.raises(LogError, match="recorded is not known") as caught:
            log.record([draft("e1")])
        assert "\n" not in str(caught.value)
        proxy.cut(b"", times=0)
        again = log.record([draft("e1")])
        assert again.new == 0
        assert log.read(0, 10) == again.events
        log.close()


def test_a_server_that_is_stopped_is_reported_at_once_and_used_again_afterwards(log, uri, postgres):
    before = log.record([draft("e1")]).events
    for how in (signal.SIGINT, signal.SIGQUIT):
        postgres.stop(how)
        try:
            for call in (
                lambda: log.record([draft("e2")]),
                lambda: log.read(0, 1),
                lambda: log.find(["e1"]),
                lambda: list(log.of_player("asha", 1)),
                lambda: log.erase(1),
                lambda: log.wait(0, 3600),
                log.head,
            ):
                with pytest.raises(LogError) as caught:
                    call()
                assert isinstance(caught.value.__cause__, psycopg.Error | LogError)
                assert "\n" not in str(caught.value)
        finally:
            postgres.start()
        assert log.read(0, 10) == before
    assert log.record([draft("e2")]).new == 1


def test_what_was_acknowledged_while_the_server_crashes_is_there_once(log, postgres):
    acknowledged = []

    def write():
        for number in range(100_000):
            try:
                acknowledged.append(log.record([draft(f"e{number}")]).events[0])
            except LogError:
                return

    with running(write):
        while len(acknowledged) < 50:
            pass
        postgres.stop(signal.SIGQUIT)
    postgres.start()
    events = log.read(0, 100_000)
    assert events[: len(acknowledged)] == acknowledged
    assert len(events) - len(acknowledged) in (0, 1)


def test_what_postgresql_asks_to_retry_is_retried(log, uri):
    ask(
        uri,
        """
        ALTER FUNCTION rankbook_record RENAME TO really_record;
        CREATE SEQUENCE times;
        CREATE FUNCTION rankbook_record(text[], text[], text[], bigint[], bigint[], bytea[],
            bytea[], boolean, xid8,
            OUT first_seq bigint, OUT fresh bigint, OUT conflict text, OUT low xid8
        ) LANGUAGE plpgsql AS $$
        BEGIN
            CASE nextval('times')
                WHEN 1 THEN RAISE 'race' USING ERRCODE = 'serialization_failure';
                WHEN 2, 4, 5, 6 THEN RAISE 'deadlock' USING ERRCODE = 'deadlock_detected';
                ELSE NULL;
            END CASE;
            SELECT * INTO first_seq, fresh, conflict, low
            FROM really_record($1, $2, $3, $4, $5, $6, $7, $8, $9);
        END $$;
        """,
    )
    assert log.record([draft("e1")]).new == 1
    with pytest.raises(LogError, match=r"deadlock \(40P01\)") as caught:
        log.record([draft("e2")])
    assert "not known" not in str(caught.value)
    assert ids(log.read(0, 10)) == ["e1"]


def test_a_statement_that_takes_too_long_is_an_error_in_one_line(uri, raw):
    log = PostgresLog.open(with_options(uri, statement_timeout=50))
    log.record([draft("e1")])
    raw.execute("LOCK TABLE rankbook_event IN ACCESS EXCLUSIVE MODE")
    for call in (lambda: log.record([draft("e2")]), log.head):
        with pytest.raises(LogError, match="statement timeout") as caught:
            call()
        assert isinstance(caught.value.__cause__, psycopg.errors.QueryCanceled)
        assert "\n" not in str(caught.value)
    raw.rollback()
    assert log.record([draft("e2")]).new == 1
    log.close()


def test_a_log_that_may_only_be_read_is_read_and_refuses_to_record(uri, log):
    before = log.record([draft("e1")]).events
    reader = PostgresLog.open(with_options(uri, default_transaction_read_only="on"), create=False)
    assert reader.read(0, 10) == before
    assert reader.head() == before[0].seq
    with pytest.raises(LogError, match="read-only"):
        reader.record([draft("e2")])
    reader.close()


def test_a_connection_that_does_not_come_free_is_an_error(uri, log, watch):
    narrow = PostgresLog.open(uri, connections=1, lock_timeout_ms=50)
    with running(lambda: narrow.wait(0, 3600)) as results:
        watch(LISTENERS)
        with pytest.raises(LogError, match="no connection came free"):
            narrow.head()
        log.record([draft("e1")])
    assert results == [True]
    assert narrow.head() == 1
    narrow.close()


def test_text_that_postgresql_cannot_hold_is_an_error_and_nothing_is_written(log):
    with pytest.raises(LogError, match="0x00"):
        log.record([draft("e1"), draft("a\x00b")])
    assert log.head() == 0


def test_paths_do_not_matter(uri, monkeypatch):
    monkeypatch.chdir(Path("/"))
    open_log(uri, Path("nowhere")).close()


def test_connections_ended_at_random_lose_nothing_count_nothing_twice_and_keep_the_order(log, uri):
    handles = [PostgresLog.open(uri) for _ in range(3)]
    acknowledged, new, followed = [], [], []

    def write(name, handle):
        for number in range(60):
            batch = [draft(f"{name}-{number}-{part}") for part in range(number % 3 + 1)]
            while True:
                with suppress(LogError):
                    recording = handle.record(batch)
                    break
            acknowledged.extend(recording.events)
            new.append(recording.new)

    writers = [Thread(target=write, args=[n, handle]) for n, handle in enumerate(handles)]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        ask(uri, TERMINATE)
        with suppress(LogError):
            followed += log.read(followed[-1].seq if followed else 0, 7)
    while page := log.read(followed[-1].seq if followed else 0, 100):
        followed += page
    assert followed == log.read(0, 1000) == sorted(acknowledged)
    assert len(followed) == 3 * 120
    assert sum(new) <= 3 * 120
    for handle in handles:
        handle.close()


def make_old(uri, number, drafts):
    """A log as a program that knew only so many migrations left it."""
    for step in statements.migrations("postgres")[:number]:
        ask(uri, step.sql)
    ask(uri, f"INSERT INTO rankbook_schema (number) VALUES ({number})")
    with psycopg.connect(uri) as connection:
        for seq, each in enumerate(drafts, 1):
            connection.execute(
                "INSERT INTO rankbook_event (seq, id, kind, player, at_us, received_us, body)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s)",
                (seq, *each),
            )


def test_the_events_of_an_older_log_get_checksums_when_it_is_opened(uri):
    given = [
        draft("e1"),
        Draft("ид-2 'x\"", "void", "Åsa \U0001f3c6", -(2**63), 2**63 - 1, bytes(range(256))),
    ]
    make_old(uri, 1, given)
    log = PostgresLog.open(uri, create=False)
    assert log.read(0, 10) == [Recorded(1, *given[0]), Recorded(2, *given[1])]
    assert log.record([draft("e3")]).events == [Recorded(3, *draft("e3"))]
    log.close()
