"""Several processes at one book at once."""

import subprocess

from tests.cli.conftest import clean_environment, program

HEADER = "player,at,id,wpm,accuracy,mode"
ROW = "p{},2024-11-27T00:00:00Z,{}-{},{},100,time"


def start(*arguments):
    return subprocess.Popen(
        program(*arguments),
        env=clean_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_imports_at_once_are_both_recorded_and_ranked(typing_book, tmp_path, rankbook):
    children = []
    for file in ("one", "two"):
        path = tmp_path / f"{file}.csv"
        rows = [ROW.format(i % 300, file, i, 40 + i % 97) for i in range(3000)]
        path.write_text("\n".join([HEADER, *rows]))
        children.append(start("import", path, "--format", "csv", "--book", typing_book))
    answers = [child.communicate() for child in children]
    assert answers == [("3,000 recorded\n", "")] * 2
    found = rankbook("verify", "--json", "--book", typing_book).json
    assert (found["agrees"], found["position"]) == (True, 6000)


def test_the_same_import_twice_at_once_records_each_result_once(typing_book, tmp_path, rankbook):
    path = tmp_path / "export.csv"
    path.write_text("\n".join([HEADER, *[ROW.format(i, "x", i, 60) for i in range(2500)]]))
    words = ("import", path, "--format", "csv", "--json", "--book", typing_book)
    children = [start(*words) for _ in range(3)]
    outputs = [child.communicate() for child in children]
    assert [child.returncode for child in children] == [0, 0, 0], outputs
    assert rankbook("verify", "--json", "--book", typing_book).json["position"] == 2500
    assert rankbook("top", "speed", "--json", "--book", typing_book).json["count"] == 2500


def test_a_book_is_read_while_it_is_written(small_book, tmp_path, rankbook):
    path = tmp_path / "export.csv"
    path.write_text("\n".join([HEADER, *[ROW.format(i, "x", i, 60) for i in range(3000)]]))
    child = start("import", path, "--format", "csv", "--book", small_book)
    while child.poll() is None:
        found = rankbook("top", "speed", "--limit", 1, "--json", "--book", small_book).json
        assert found["entries"][0]["player"] == "asha"
    assert child.communicate() == ("3,000 recorded\n", "")


def test_an_import_that_is_killed_continues_when_it_is_run_again(typing_book, tmp_path, rankbook):
    path = tmp_path / "export.csv"
    path.write_text("\n".join([HEADER, *[ROW.format(i, "x", i, 60) for i in range(20_000)]]))
    words = ("import", path, "--format", "csv", "--book", typing_book)
    child = start(*words)
    recorded = 0
    while recorded == 0 and child.poll() is None:
        recorded = rankbook("verify", "--json", "--book", typing_book).json["position"]
    child.kill()
    child.communicate()
    assert rankbook(*words).code == 0
    assert rankbook("top", "speed", "--json", "--book", typing_book).json["count"] == 20_000


def test_the_module_and_the_installed_command_are_the_same_program(shell):
    answer = shell("--help")
    assert answer.code == 0
    for name in ("init", "boards", "submit", "import", "top", "around", "player", "bundle"):
        assert name in answer.stdout
