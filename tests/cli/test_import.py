"""`rankbook import`: what it says, and its exit code."""

import os
import sqlite3
import subprocess
from contextlib import closing

from tests.cli.conftest import clean_environment, program

HEADER = "_id,wpm,acc,mode,timestamp"
GOOD = "a{},{},98,time,1732664176000"
ASHA = ("--format", "monkeytype", "--player", "asha")


def write(path, *lines):
    path.write_text("\n".join([HEADER, *lines]) + "\n")
    return path


def test_faults_are_lines_on_stderr_with_a_count_and_the_exit_code_is_2(
    typing_book, rankbook, tmp_path
):
    lines = (GOOD.format(1, 80), "a2,fast,98,time,1732664176000", "a3,80,140,zen,1732664176000")
    path = write(tmp_path / "export.csv", *lines)
    answer = rankbook("import", path, *ASHA, "--book", typing_book)
    assert (answer.code, answer.stdout) == (2, "1 recorded\n")
    assert answer.stderr.splitlines() == [
        f"{path}:3: wpm: is 'fast', not a number",
        f"{path}:4: acc: is 140, more than 100",
        "2 faults; mend them and import again: only what is missing is added",
    ]


def test_a_second_run_after_mending_adds_only_what_was_missing(typing_book, rankbook, tmp_path):
    path = write(tmp_path / "export.csv", GOOD.format(1, 80), GOOD.format(2, "fast"))
    assert rankbook("import", path, *ASHA, "--book", typing_book).code == 2
    write(path, GOOD.format(1, 80), GOOD.format(2, 90))
    answer = rankbook("import", path, *ASHA, "--book", typing_book)
    assert (answer.code, answer.stdout) == (0, "1 recorded, 1 already known\n")


def test_the_summary_is_a_document(typing_book, rankbook, tmp_path):
    path = write(tmp_path / "export.csv", GOOD.format(1, 80), GOOD.format(2, 2000))
    answer = rankbook("import", path, *ASHA, "--json", "--book", typing_book)
    assert (answer.code, answer.stderr) == (2, "")
    assert answer.json == {
        "recorded": 1,
        "known": 0,
        "bad": 1,
        "faults": [
            {"file": str(path), "line": 3, "column": "wpm", "reason": "is 2000, more than 1000"}
        ],
    }


def test_a_screenful_of_faults_is_shown_and_all_are_counted(typing_book, rankbook, tmp_path):
    path = write(tmp_path / "export.csv", *[GOOD.format(i, "x") for i in range(1200)])
    answer = rankbook("import", path, *ASHA, "--book", typing_book)
    lines = answer.stderr.splitlines()
    assert len(lines) == 22
    assert lines[-2] == "... and 1,180 more; --json lists them"
    assert lines[-1].startswith("1,200 faults; ")


def test_a_file_that_is_not_there_and_a_directory_do_not_keep_others_out(
    typing_book, rankbook, tmp_path
):
    path = write(tmp_path / "export.csv", GOOD.format(1, 80))
    words = ("import", tmp_path / "nowhere", tmp_path, path, *ASHA, "--book", typing_book)
    answer = rankbook(*words)
    assert (answer.code, answer.stdout) == (2, "1 recorded\n")
    assert answer.stderr.splitlines()[:2] == [
        f"{tmp_path / 'nowhere'}: there is no such file",
        f"{tmp_path}: is a directory",
    ]


def test_where_no_file_could_be_read_nothing_is_said_to_be_recorded(
    typing_book, rankbook, tmp_path
):
    words = ("import", tmp_path / "nowhere", *ASHA, "--book", typing_book)
    answer = rankbook(*words)
    assert (answer.code, answer.stdout) == (2, "")
    assert answer.stderr.splitlines()[0] == f"{tmp_path / 'nowhere'}: there is no such file"
    assert rankbook(*words, "--json").json["recorded"] == 0


def test_standard_input_is_a_file(typing_book, shell):
    text = f"{HEADER}\n{GOOD.format(1, 80)}\n"
    answer = shell("import", "-", *ASHA, "--book", typing_book, input=text)
    assert (answer.code, answer.stdout) == (0, "1 recorded\n")


def test_an_unknown_format_and_a_missing_player_are_one_line(typing_book, rankbook, tmp_path):
    path = write(tmp_path / "export.csv")
    answer = rankbook("import", path, "--format", "xml", "--book", typing_book)
    assert answer.code == 2
    assert "'xml' is not known; there are: monkeytype, ndjson, csv" in answer.line
    answer = rankbook("import", path, "--format", "monkeytype", "--book", typing_book)
    assert answer.code == 2
    assert answer.line.startswith("rankbook: --player: is needed")


def test_control_characters_of_a_file_do_not_reach_the_terminal(typing_book, rankbook, tmp_path):
    path = write(tmp_path / "export.csv", "a1,\x1b]0;owned\x07,98,time,1732664176000")
    answer = rankbook("import", path, *ASHA, "--book", typing_book)
    assert answer.code == 2
    assert "\x1b" not in answer.stderr
    assert "\x07" not in answer.stderr


def test_progress_is_shown_on_a_terminal_and_stdout_stays_as_it_is(typing_book, tmp_path):
    rows = [f"a{i},80,98,time,1732664176000" for i in range(2500)]
    path = write(tmp_path / "export.csv", *rows)
    terminal, its_end = os.openpty()
    child = subprocess.Popen(
        program("import", path, *ASHA, "--book", typing_book),
        env={**clean_environment(), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=its_end,
    )
    os.close(its_end)
    shown = b"".join(iter(lambda: read(terminal), b""))
    os.close(terminal)
    stdout, _ = child.communicate()
    assert (child.returncode, stdout) == (0, b"2,500 recorded\n")
    assert b"reading" in shown
    assert b"2,500 / 2,500" in shown


def read(terminal):
    """What a terminal shows next; nothing when the program on it has ended."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


ROWS = "SELECT who AS player, at, wpm, 98 AS accuracy, 'time' AS mode FROM tests"


def own_table(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE tests (who TEXT, at TEXT, wpm REAL)")
        rows = [("asha", "2026-11-30T10:00:00Z", 90), ("bram", "2026-11-30T10:01:00Z", 5000)]
        connection.executemany("INSERT INTO tests VALUES (?, ?, ?)", rows)
        connection.commit()
    return path


def test_the_rows_of_a_query_are_imported_and_faults_are_named_by_row(
    typing_book, rankbook, tmp_path
):
    words = ("import", "--sql", ROWS, "--dsn", own_table(tmp_path / "own.sqlite"))
    answer = rankbook(*words, "--book", typing_book)
    assert (answer.code, answer.stdout) == (2, "1 recorded\n")
    assert answer.stderr.splitlines()[0].startswith("row:2: wpm: is 5000")
    answer = rankbook(*words, "--book", typing_book)
    assert (answer.code, answer.stdout) == (2, "1 already known, nothing changed\n")


def test_files_and_a_query_are_not_mixed_and_one_of_them_is_needed(typing_book, rankbook):
    for words, said in (
        ((), "FILE: is needed, or --sql and --dsn"),
        (("x",), "--format: is needed"),
        (("--sql", ROWS), "--dsn: is needed with --sql"),
        (("--dsn", "x"), "--sql: is needed with --dsn"),
        (("x", "--sql", ROWS, "--dsn", "x"), "--sql: is given instead of files"),
    ):
        answer = rankbook("import", *words, "--book", typing_book)
        assert answer.code == 2
        assert said in answer.line
