"""What the SQLite log promises beyond the contract: its file, its schema number, its errors."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from itertools import chain, pairwise
from pathlib import Path
from threading import Thread

import pytest

from rankbook.errors import BookError, Corrupt, LogError, SpecError
from rankbook.log import open_log, statements
from rankbook.log.base import Draft, Recorded
from rankbook.log.sqlite.log import SqliteLog, record_in
from rankbook.log.sqlite.schema import add_functions, newest, run, sql
from tests.contract import sqlite_pages

MANY_OPENERS = """
import sys
from pathlib import Path
from rankbook.log.base import Draft, Recorded
from rankbook.log.sqlite.log import SqliteLog
name = sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
log = SqliteLog.open(Path(sys.argv[1]))
for number in range(30):
    log.record([Draft(f"{name}-{number}", "result", name, 1, 1, b"{}"),
                Draft(f"shared-{number}", "result", "asha", 1, 1, b"{}")])
log.close()
"""


def draft(id, body=b"{}"):
    return Draft(id, "result", "asha", 1, 1, body)


def tables(connection):
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    # A column that was added stands on a line of its own.
    return [(*row[:3], "".join((row[3] or "").split())) for row in connection.execute(query)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "log.sqlite"


@pytest.fixture
def log(path):
    log = SqliteLog.open(path, busy_timeout_ms=0)
    yield log
    log.close()


@pytest.fixture
def raw(path, log):
    """A connection of somebody else to the same file."""
    connection = sqlite3.connect(path, isolation_level=None)
    yield connection
    connection.close()


def test_a_missing_log_is_made_with_its_folders(tmp_path):
    log = open_log("sqlite:", tmp_path / "a" / "book")
    log.record([draft("e1")])
    log.close()
    assert [file.name for file in (tmp_path / "a" / "book").iterdir()] == ["log.sqlite"]


def test_the_uri_names_a_file_relative_to_the_book_or_absolute(tmp_path):
    for uri in ("sqlite:other.db", f"sqlite:{tmp_path / 'far' / 'odd name?#%.db'}"):
        open_log(uri, tmp_path / "book").close()
    assert (tmp_path / "book" / "other.db").is_file()
    assert (tmp_path / "far" / "odd name?#%.db").is_file()


@pytest.mark.parametrize("uri", ["mysql://x", "sqlite", "", "log.sqlite"])
def test_an_unknown_scheme_names_the_field_and_what_exists(uri, tmp_path):
    with pytest.raises(SpecError, match=r"^book\.log: .*sqlite:") as caught:
        open_log(uri, tmp_path)
    assert caught.value.field == "book.log"


def test_without_create_a_missing_log_is_an_error_and_nothing_is_made(tmp_path):
    with pytest.raises(BookError, match="there is no log at"):
        open_log("sqlite:", tmp_path / "book", create=False)
    assert list(tmp_path.iterdir()) == []


def test_without_create_a_foreign_database_is_refused_and_left_as_it_is(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE app (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(BookError, match="there is no Rankbook log in"):
        SqliteLog.open(path, create=False)
    assert path.read_bytes() == before


def test_a_log_can_live_in_an_applications_database_beside_its_schema_number(path):
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE app (x); PRAGMA user_version = 77;")
    log = SqliteLog.open(path)
    log.record([draft("e1")])
    assert connection.execute("PRAGMA user_version").fetchone() == (77,)
    assert connection.execute("SELECT count(*) FROM app").fetchone() == (0,)
    log.close()
    connection.close()


def test_the_schema_is_the_sum_of_the_migrations():
    whole, steps = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    run(whole, statements.schema("sqlite"))
    add_functions(steps)
    for step in statements.migrations("sqlite"):
        run(steps, step.sql)
    assert tables(whole) == tables(steps)
    whole.close()
    steps.close()


def test_migrations_are_numbered_from_1_without_a_gap():
    numbers = [step.number for step in statements.migrations("sqlite")]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_new_log_has_the_newest_number_and_the_schemas_tables(raw):
    whole = sqlite3.connect(":memory:")
    run(whole, statements.schema("sqlite"))
    assert tables(raw) == tables(whole)
    assert sql.schema_number(raw) == newest()
    whole.close()


def test_an_older_log_is_migrated_step_by_step(path, monkeypatch):
    SqliteLog.open(path).close()
    old = statements.migrations("sqlite")
    step = statements.Migration(
        newest() + 1,
        "extra",
        "ALTER TABLE rankbook_event\n  ADD COLUMN x TEXT;\nCREATE TABLE y (z);\n",
    )
    monkeypatch.setattr(statements, "migrations", lambda dialect: (*old, step))
    log = SqliteLog.open(path, create=False)
    log.record([draft("e1")])
    log.close()
    connection = sqlite3.connect(path)
    assert sql.schema_number(connection) == step.number
    assert connection.execute("SELECT x FROM rankbook_event").fetchall() == [(None,)]
    connection.close()


def test_a_migration_that_fails_leaves_the_log_as_it_was(path, monkeypatch):
    SqliteLog.open(path).close()
    old = statements.migrations("sqlite")
    step = statements.Migration(newest() + 1, "bad", "CREATE TABLE y (z);\nCREATE TABLE y (z);\n")
    with monkeypatch.context() as patch:
        patch.setattr(statements, "migrations", lambda dialect: (*old, step))
        with pytest.raises(BookError, match="already exists"):
            SqliteLog.open(path)
    SqliteLog.open(path, create=False).close()


def test_a_log_newer_than_this_program_is_refused_in_one_line(path):
    SqliteLog.open(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE rankbook_schema SET number = 999")
    connection.close()
    with pytest.raises(BookError, match="has schema 999, newer than") as caught:
        SqliteLog.open(path)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_database_is_refused_in_one_line(path):
    path.write_bytes(b"this is no database at all\n" * 100)
    with pytest.raises(BookError, match="not a database") as caught:
        SqliteLog.open(path)
    assert isinstance(caught.value.__cause__, sqlite3.DatabaseError)
    assert "\n" not in str(caught.value)


def test_a_folder_in_the_place_of_the_log_is_refused(path):
    path.mkdir()
    with pytest.raises(BookError, match="cannot be opened"):
        SqliteLog.open(path)


def test_a_book_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(BookError, match="cannot be opened"):
        open_log("sqlite:", tmp_path / "file" / "book")


def test_a_log_locked_by_another_process_says_so_and_works_again_afterwards(log, raw):
    raw.execute("BEGIN IMMEDIATE")
    with pytest.raises(LogError, match="locked") as caught:
        log.record([draft("e1")])
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
    assert log.find(["e1"]) == [None]
    raw.execute("ROLLBACK")
    assert log.record([draft("e1")]).new == 1


def test_a_seq_drawn_inside_an_open_transaction_is_never_overtaken(log, raw):
    raw.execute("BEGIN IMMEDIATE")
    [slow] = record_in(raw, [draft("slow")]).events
    with pytest.raises(LogError, match="locked"):
        log.record([draft("quick")])
    assert log.read(0, 10) == []
    assert log.head() == 0
    raw.execute("COMMIT")
    [quick] = log.record([draft("quick")]).events
    assert log.read(0, 10) == [slow, quick]
    assert quick.seq == slow.seq + 1


def test_a_deferred_transaction_cannot_record_over_what_it_has_not_seen(log, raw):
    raw.execute("BEGIN DEFERRED")
    raw.execute("SELECT count(*) FROM rankbook_event").fetchone()
    log.record([draft("e1")])
    with pytest.raises(LogError, match="locked"):
        record_in(raw, [draft("e2")])
    raw.execute("ROLLBACK")
    assert [event.id for event in log.read(0, 10)] == ["e1"]


def test_recording_in_a_connection_without_a_transaction_is_a_callers_error(log, raw):
    with pytest.raises(ValueError, match="open transaction"):
        record_in(raw, [draft("e1")])
    assert log.head() == 0


def test_a_callers_row_factory_does_not_matter(log, raw):
    log.record([draft("e1")])
    raw.row_factory = sqlite3.Row
    raw.execute("BEGIN IMMEDIATE")
    assert record_in(raw, [draft("e1"), draft("e2")]).events[0] == log.read(0, 1)[0]
    raw.row_factory = lambda cursor, row: dict(
        zip([c[0] for c in cursor.description], row, strict=True)
    )
    assert record_in(raw, [draft("e1"), draft("e3")]).new == 1
    raw.execute("COMMIT")
    assert [event.seq for event in log.read(0, 10)] == [1, 2, 3]


def test_a_callers_row_and_its_event_commit_together_or_not_at_all(log, raw):
    raw.execute("CREATE TABLE result (x)")
    for ending, rows in (("ROLLBACK", 0), ("COMMIT", 1)):
        raw.execute("BEGIN IMMEDIATE")
        raw.execute("INSERT INTO result VALUES (1)")
        record_in(raw, [draft("e1")])
        raw.execute(ending)
        assert raw.execute("SELECT count(*) FROM result").fetchone() == (rows,)
        assert len(log.read(0, 10)) == rows


def test_a_switch_to_a_write_ahead_log_waits_for_those_who_have_the_file_open(path):
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("CREATE TABLE app (x)")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(BookError, match="locked"):
        SqliteLog.open(path, busy_timeout_ms=0)
    opening = Thread(target=lambda: SqliteLog.open(path).close())
    opening.start()
    other.execute("COMMIT")
    opening.join()
    SqliteLog.open(path, create=False).close()
    other.close()


def test_a_full_disk_is_reported_and_leaves_the_log_whole(log):
    before = log.record([draft("e1")]).events
    (pages,) = log._writer.execute("PRAGMA page_count").fetchone()
    log._writer.execute(f"PRAGMA max_page_count = {pages + 3}")
    with pytest.raises(LogError, match="full") as caught:
        log.record([draft(f"big{number}", bytes(5000)) for number in range(20)])
    assert isinstance(caught.value.__cause__, sqlite3.OperationalError)
    assert log.read(0, 100) == before
    log._writer.execute("PRAGMA max_page_count = 1000000")
    assert log.record([draft(f"big{n}", bytes(5000)) for n in range(20)]).new == 20


def test_a_read_only_log_still_reads_and_refuses_to_record(log):
    before = log.record([draft("e1")]).events
    log._writer.execute("PRAGMA query_only = 1")
    with pytest.raises(LogError, match="readonly"):
        log.record([draft("e2")])
    assert log.read(0, 10) == before


def test_a_log_in_a_read_only_folder_is_refused_in_one_line():
    folder = Path(tempfile.mkdtemp())
    user = os.geteuid()
    try:
        open_log("sqlite:", folder).close()
        (folder / "log.sqlite").chmod(0o444)
        folder.chmod(0o555)
        if user == 0:
            os.seteuid(65534)
        with pytest.raises(BookError, match="cannot be opened") as caught:
            open_log("sqlite:", folder)
        assert "\n" not in str(caught.value)
    finally:
        os.seteuid(user)
        folder.chmod(0o755)
        shutil.rmtree(folder)


def test_damaged_pages_are_reported_as_a_log_that_cannot_be_used(path):
    log = SqliteLog.open(path)
    log.record([draft(f"e{number}", bytes(500)) for number in range(500)])
    log.close()
    with path.open("r+b") as file:
        for page in range(4, path.stat().st_size // 4096):
            file.seek(page * 4096)
            file.write(b"\xff" * 4096)
    log = SqliteLog.open(path)
    with pytest.raises(LogError, match="malformed"):
        log.read(0, 1000)
    log.close()


def test_every_commit_is_synced_and_the_file_keeps_a_write_ahead_log(log):
    for connection in (log._writer, log._reader):
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_players_history_is_served_by_an_index_without_sorting(log):
    wanted = {"player": "asha", "after": 0, "until": 9, "limit": 9}
    plan = log._reader.execute(f"EXPLAIN QUERY PLAN {sql.player_events.sql}", wanted).fetchall()
    assert len(plan) == 1
    assert "rankbook_event_player" in plan[0][-1]


def test_processes_that_open_and_record_at_once_share_one_log_without_loss(path):
    command = [sys.executable, "-c", MANY_OPENERS, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    writers = [subprocess.Popen([*command, f"w{n}"], **pipes) for n in range(6)]
    for writer in writers:
        writer.stdout.readline()
    for writer in writers:
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    for writer in writers:
        _, errors = writer.communicate()
        assert writer.returncode == 0, errors.decode()
    log = SqliteLog.open(path, create=False)
    events = log.read(0, 10_000)
    assert len({event.id for event in events}) == len(events) == 6 * 30 + 30
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    log.close()


@pytest.fixture
def damaged(path):
    """Record seven events, let `damage` change the closed file, and open it again."""
    opened = []

    def damaged(damage, *arguments):
        log = SqliteLog.open(path)
        log.record([draft(f"e{number}") for number in range(1, 8)])
        log.close()
        damage(path, *arguments)
        opened.append(SqliteLog.open(path, create=False))
        return opened[-1]

    yield damaged
    for log in opened:
        log.close()


@pytest.mark.parametrize(("old", "new"), [(5, 1), (5, 4), (5, 7), (5, 13), (1, 9)])
@pytest.mark.parametrize("limit", [1, 2, 100])
def test_a_position_that_is_not_where_it_was_given_is_corrupt_for_whoever_reads_over_it(
    damaged, old, new, limit
):
    log = damaged(sqlite_pages.move, old, new)

    def read_on(after):
        while page := log.read(after, limit):
            seen.append(page)
            after = page[-1].seq

    for start in range(old):
        seen = []
        with pytest.raises(Corrupt, match="position"):
            read_on(start)
        assert all(left.seq < right.seq for left, right in pairwise(chain(*seen)))


def test_a_position_beyond_all_that_were_given_is_corrupt_before_anything_is_recorded(damaged):
    log = damaged(sqlite_pages.move, 7, 100)
    with pytest.raises(Corrupt, match="position 100"):
        log.record([draft("e9")])
    assert log.find(["e9"]) == [None]


def test_a_head_that_fell_behind_what_was_given_is_corrupt(damaged):
    log = damaged(sqlite_pages.move, 7, 3)
    with pytest.raises(Corrupt, match="position 4"):
        log.head()


def test_events_that_somebody_deleted_leave_a_gap_that_is_no_damage(log, raw):
    events = log.record([draft(f"e{number}") for number in range(9)]).events
    raw.execute("DELETE FROM rankbook_event WHERE seq IN (3, 9)")
    assert log.read(0, 100) == [*events[:2], *events[3:8]]
    assert log.record([draft("e9")]).events[0].seq == 10


ONE_TO_NULL = {9: 0}  # the number 1 and NULL both take no bytes
OLD_EVENT = """
INSERT INTO rankbook_event (seq, id, kind, player, at_us, received_us, body)
VALUES (?, ?, ?, ?, ?, ?, ?)
"""


def make_old(path, number, events):
    """A log as a program that knew only so many migrations left it."""
    with sqlite3.connect(path) as connection:
        for step in statements.migrations("sqlite")[:number]:
            run(connection, step.sql)
        sql.set_schema_number(connection, number=number)
        connection.executemany(OLD_EVENT, [(seq, *each) for seq, each in enumerate(events, 1)])
    connection.close()


@pytest.mark.parametrize("number", [1, 2])
def test_the_events_of_an_older_log_get_checksums_when_it_is_opened(path, number):
    given = [draft("e1"), draft("ид-2", bytes(range(256)))]
    make_old(path, number, given)
    log = SqliteLog.open(path, create=False)
    assert log.read(0, 10) == [Recorded(1, *given[0]), Recorded(2, *given[1])]
    assert log.record([draft("e3")]).events == [Recorded(3, *draft("e3"))]
    log.close()


def test_an_older_log_with_a_damaged_row_is_migrated_and_that_row_is_not_intact(path):
    make_old(path, 2, [draft(f"e{number}") for number in range(1, 6)])
    sqlite_pages.retype(path, 2, 4, ONE_TO_NULL)
    sqlite_pages.retype(path, 3, 6)
    sqlite_pages.replace(path, 4, b"asha", b"a\xffha")
    log = SqliteLog.open(path, create=False)
    assert [event.intact for event in log.read(0, 10)] == [True, False, False, False, True]
    log.close()


def test_a_program_of_before_the_checksums_that_is_still_running_is_refused(log, raw):
    with pytest.raises(sqlite3.IntegrityError, match="start this one again"):
        raw.execute(OLD_EVENT, (1, *draft("e1")))
    assert log.head() == 0


@pytest.mark.parametrize(
    ("column", "field", "kinds"),
    [
        (1, "id", None),
        (2, "kind", None),
        (3, "player", None),
        (4, "at_us", ONE_TO_NULL),
        (5, "received_us", ONE_TO_NULL),
        (6, "body", None),
        (7, "checksum", None),
    ],
)
def test_a_column_that_damage_left_null_or_of_another_type_is_empty_in_an_event_that_is_not_intact(
    damaged, column, field, kinds
):
    log = damaged(sqlite_pages.retype, 5, column, kinds)
    events = log.read(0, 10)
    assert [event.seq for event in events if not event.intact] == [5]
    if field != "checksum":
        assert not getattr(events[4], field)
    assert log.record([draft("e9")]).new == 1


def test_a_text_that_damage_left_undecodable_leaves_an_event_that_is_not_intact(damaged):
    log = damaged(sqlite_pages.replace, 5, b"asha", b"as\xe8a")
    events = log.read(0, 10)
    assert [event.seq for event in events if not event.intact] == [5]
    assert events[4].player == "as\ufffda"
    assert log.find(["e5"]) == [events[4]]


@pytest.mark.parametrize(
    ("column", "kinds"), [(1, None), (2, None), (4, ONE_TO_NULL), (5, ONE_TO_NULL), (6, None)]
)
def test_a_player_with_an_event_of_damaged_types_can_be_forgotten(damaged, column, kinds):
    log = damaged(sqlite_pages.retype, 5, column, kinds)
    log.record([Draft("f", "forget", "asha", 1, 1, b"{}")])
    assert log.erase(8) == 1
    events = log.read(0, 10)
    assert [event.seq for event in events if not event.intact] == [5]
    assert {event.player for event in events if event.intact} == {""}
    assert log.erase(8) == 0
