"""A real export, from a new directory to standings, as a person types it."""

import pytest

from rankbook import Rankbook
from rankbook.rules import Ranking


@pytest.fixture
def shown(tmp_path, shell, shared_data):
    """The book of the export, and the command bound to it."""
    export = shared_data / "typing" / "export-1.csv"
    assert shell("init", "--example", "typing", "B").code == 0
    whose = ("--format", "monkeytype", "--player", "asha")
    first = shell("--book", "B", "import", export, *whose)
    return tmp_path / "B", export, whose, first


def best(answer):
    [entry] = answer.json["entries"]
    return entry["rank"], entry["score"], entry["details"]


def test_the_export_is_recorded_once_and_read_back(shown, shell):
    directory, export, whose, first = shown
    assert (first.code, first.stdout, first.stderr) == (0, "1,001 recorded\n", "")
    again = shell("import", export, *whose, "--book", "B")
    assert (again.code, again.stdout) == (0, "1,001 already known, nothing changed\n")

    overall = shell("--book", "B", "top", "speed", "--json")
    assert best(overall) == (1, 145, {"wpm": 145.13, "accuracy": 100, "mode": "words"})
    assert overall.json["entries"][0]["reached_at"] == "2024-11-26T23:36:16Z"
    time = shell("top", "speed", "--tag", "mode=time", "--json", "--book", "B")
    assert best(time) == (1, 145, {"wpm": 149.47, "accuracy": 96.97, "mode": "time"})
    day = ("--window", "daily", "--period", "2024-11-27")
    daily = shell("--book", "B", "top", "speed", *day, "--json")
    assert best(daily)[1] == 145
    assert daily.json["period"] == {
        "id": "2024-11-27",
        "start": "2024-11-26T18:30:00Z",
        "end": "2024-11-27T18:30:00Z",
        "zone": "+05:30",
        "sealed": False,
    }
    verified = shell("verify", "--book", "B")
    assert verified.code == 0
    assert verified.stdout.startswith("The rankings agree with the log: 380 rankings")
    assert days(directory) == 181


def days(directory):
    """How many days have an overall ranking."""
    with Rankbook.open(directory) as book, book.store.audit() as audit:
        rankings = [Ranking.parse(id.name) for id in audit.rankings()]
    return sum(1 for each in rankings if each.window == "daily" and not each.tags)
