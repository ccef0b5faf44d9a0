"""Every error is one line and an exit code, and never a traceback."""

import errno
import os
import signal
import sqlite3
import subprocess
from contextlib import closing

import pytest

import rankbook.errors
from rankbook import Rankbook, RankbookError
from rankbook.cli.commands import import_ as command
from rankbook.cli.exits import exit_code
from tests.cli.conftest import clean_environment, program

CODES = {
    "SpecError": 2,
    "Refused": 2,
    "ConfigError": 2,
    "NotFound": 3,
    "EventConflict": 4,
    "BookError": 5,
    "RebuildNeeded": 5,
    "LogError": 5,
    "StoreDown": 5,
    "StoreError": 5,
    "PositionMoved": 5,
    "Corrupt": 5,
    "RankbookError": 5,
}


def errors():
    found = vars(rankbook.errors).values()
    return [each for each in found if isinstance(each, type) and issubclass(each, RankbookError)]


@pytest.mark.parametrize("kind", errors())
def test_every_error_of_the_tree_has_its_exit_code(kind):
    assert exit_code(kind.__new__(kind)) == CODES[kind.__name__]


NOT_THERE = [
    (("top", "chess"), "no board 'chess'; there are: speed"),
    (("top", "speed", "--window", "hourly"), "no window 'hourly'"),
    (("top", "speed", "--window", "daily", "--period", "2024-13-01"), "no period '2024-13-01'"),
    (("top", "speed", "--tag", "language=en"), "not split by [language]"),
    (("around", "chess", "asha"), "no board 'chess'; there are: speed"),
    (("bundle", "office"), "no bundle 'office'; there are: home"),
    (("page", "chess"), "no board 'chess'"),
    (("among", "chess", "asha"), "no board 'chess'"),
    (("rank", "speed", "asha", "--window", "hourly"), "no window 'hourly'"),
    (("at", "speed", "1", "--tag", "language=en"), "not split by [language]"),
    (("scores", "speed", "--window", "daily", "--period", "2024-13-01"), "no period '2024-13-01'"),
    (("histogram", "chess"), "no board 'chess'"),
    (("seasons", "chess"), "no board 'chess'; there are: speed"),
    (("seasons", "speed", "--window", "hourly"), "no window 'hourly'"),
    (("seasons", "speed", "--player", "asha", "--window", "hourly"), "no window 'hourly'"),
    (("seasons", "speed", "--player", "asha", "--tag", "x=y"), "not split by [x]"),
]


@pytest.mark.parametrize(("words", "reason"), NOT_THERE)
def test_what_is_not_there_is_one_line_that_says_what_is(typing_book, rankbook, words, reason):
    answer = rankbook(*words, "--book", typing_book)
    assert (answer.code, answer.stdout) == (3, "")
    assert reason in answer.line


@pytest.mark.parametrize(
    "words",
    [
        *(("top", "speed", "--limit", "0"), ("top", "speed", "--limit", "1001"), ("top",)),
        *(("chess",), ("at", "speed", "0"), ("at", "speed", "first"), ("among", "speed")),
        *(("page", "speed", "--limit", "1001"), ("histogram", "speed", "--bins", "0")),
        *(("histogram", "speed", "--bins", "1001"), ("void",), ("correct", "a1"), ("profile", "a")),
    ],
)
def test_a_wrong_command_line_exits_2(typing_book, rankbook, words):
    answer = rankbook("--book", typing_book, *words)
    assert (answer.code, answer.stdout) == (2, "")


def test_a_directory_that_is_no_book_is_one_line(tmp_path, shell):
    for place in (tmp_path, tmp_path / "nowhere"):
        answer = shell("top", "speed", "--book", place)
        assert answer.code == 5
        assert answer.line == f"rankbook: {place} is no book: it has no rankbook.toml"


def test_a_wrong_specification_is_one_line_that_names_the_field(typing_book, rankbook):
    path = typing_book / "rankbook.toml"
    right = path.read_text()
    for wrong, field in (('"score desc"', "board[0].order_by[0]"), ("[book]", "rankbook.toml")):
        path.write_text(right.replace(wrong, '"speed"'))
        answer = rankbook("boards", "--book", typing_book)
        assert answer.code == 2
        assert answer.line.startswith(f"rankbook: {field}: ")
    path.write_text(right)


def test_a_changed_board_asks_for_a_rebuild_in_one_line(small_book, rankbook):
    path = small_book / "rankbook.toml"
    right = path.read_text()
    path.write_text(right.replace('zone = "+05:30"', 'zone = "UTC"'))
    answer = rankbook("top", "speed", "--book", small_book)
    assert answer.code == 5
    assert 'board \'speed\': zone was "+05:30", is "UTC"' in answer.line
    assert answer.line.endswith("; the command is: rankbook rebuild")
    path.write_text(right)


def test_a_log_of_a_newer_version_is_one_line(tmp_path, rankbook):
    assert rankbook("init", tmp_path).code == 0
    with closing(sqlite3.connect(tmp_path / "log.sqlite")) as log:
        [table] = [
            name
            for (name,) in log.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            if "schema" in name
        ]
        [column] = [row[1] for row in log.execute(f"PRAGMA table_info({table})")][:1]
        log.execute(f"UPDATE {table} SET {column} = 99")
        log.commit()
    answer = rankbook("top", "points", "--book", tmp_path)
    assert answer.code == 5
    assert "newer than" in answer.line


def test_a_log_that_is_no_log_is_one_line(tmp_path, rankbook):
    assert rankbook("init", tmp_path).code == 0
    for name in ("log.sqlite-wal", "log.sqlite-shm"):
        (tmp_path / name).unlink(missing_ok=True)
    (tmp_path / "log.sqlite").write_bytes(b"not a database, but long enough to look at" * 99)
    answer = rankbook("top", "points", "--book", tmp_path)
    assert answer.code == 5
    assert "log.sqlite" in answer.line


@pytest.fixture
def read_only(small_book):
    """How to run a command line that finds the book on a read-only file system."""
    mount = f"mount --bind {small_book} {small_book} && mount -o remount,ro,bind {small_book}"
    inside = ["unshare", "--mount", "sh", "-c", f'{mount} && exec "$@"', "sh"]
    try:
        subprocess.run([*inside, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("needs a read-only mount: root, unshare and mount")
    return inside


@pytest.mark.parametrize(
    "words", [("submit", "asha", "wpm=1", "accuracy=1", "mode=time"), ("init", "{}/new")]
)
def test_a_read_only_disk_is_one_line(small_book, read_only, words):
    words = [word.format(small_book) for word in words]
    done = subprocess.run(
        [*read_only, *program(*words, "--book", small_book)],
        env=clean_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (5, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("rankbook: ")
    assert str(small_book) in line


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC, errno.EIO])
def test_a_disk_that_fails_is_one_line(typing_book, rankbook, monkeypatch, code):
    def fail(*_arguments, **_keywords):
        raise OSError(code, os.strerror(code), str(typing_book))

    monkeypatch.setattr(Rankbook, "open", fail)
    answer = rankbook("submit", "asha", "wpm=1", "--book", typing_book)
    assert answer.code == 5
    assert answer.line == f"rankbook: {typing_book}: {os.strerror(code)}"
    monkeypatch.undo()


def test_ctrl_c_is_one_line_and_130_and_what_was_recorded_stays(small_book, rankbook, monkeypatch):
    class Interrupted(command.Importer):
        def finish(self):
            raise KeyboardInterrupt

    path = small_book.parent / "more.csv"
    path.write_text("player,at,wpm,accuracy,mode\nemil,2024-11-27T00:00:00Z,90,100,time\n")
    words = ("import", path, "--format", "csv", "--book", small_book)
    with monkeypatch.context() as patch:
        patch.setattr(command, "Importer", Interrupted)
        answer = rankbook(*words)
    assert (answer.code, answer.stdout, answer.line) == (130, "", "rankbook: interrupted")
    assert rankbook(*words).stdout == "1 already known, nothing changed\n"
    found = rankbook("around", "speed", "emil", "--limit", 1, "--json", "--book", small_book)
    assert found.json["entries"][0]["score"] == 90


def test_an_interrupt_from_the_terminal_ends_a_command_that_waits(typing_book):
    child = subprocess.Popen(
        program("submit", "-", "--book", typing_book),
        env=clean_environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdin is not None
    lock = typing_book / "log.sqlite-wal"
    while not lock.exists() and child.poll() is None:  # until the book is open
        os.sched_yield()
    child.send_signal(signal.SIGINT)
    stdout, stderr = child.communicate()
    assert (child.returncode, stdout) == (130, b"")
    assert stderr == b"rankbook: interrupted\n"


@pytest.mark.parametrize("json", [(), ("--json",)])
def test_a_reader_who_goes_away_is_no_error(small_book, json):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        done = subprocess.run(
            program("bundle", "home", *json, "--book", small_book),
            env=clean_environment(),
            stdout=nobody,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("command", ["top", "verify", "doctor", "migrate", "fold"])
@pytest.mark.parametrize("scheme", ["postgres", "postgresql+psycopg", "mysql", "postgresql"])
def test_no_command_shows_the_password_of_the_logs_uri(tmp_path, rankbook, command, scheme):
    assert rankbook("init", tmp_path / "book").code == 0
    file = tmp_path / "book" / "rankbook.toml"
    uri = f"{scheme}://bob:s3c ret@127.0.0.1:1/db"
    file.write_text(file.read_text().replace('"sqlite:"', f'"{uri}"'))
    words = [command, "points"] if command == "top" else [command]
    answer = rankbook(*words, "--book", tmp_path / "book")
    assert answer.code not in (0, 1)
    assert "s3c" not in answer.stdout + answer.stderr
    assert "ret@" not in answer.stdout + answer.stderr
