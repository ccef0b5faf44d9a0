"""Problems: every error of the tree has its status, and nothing from inside gets out."""

import json
import logging

import pytest

from rankbook import errors
from rankbook.errors import (
    BookError,
    ConfigError,
    Corrupt,
    EventConflict,
    LogError,
    NotFound,
    PositionMoved,
    RebuildNeeded,
    Refused,
    SpecError,
    StoreDown,
    StoreError,
)
from rankbook.http.jobs import Busy
from rankbook.http.problems import KINDS, kind_of, told
from rankbook.http.writer import Unavailable
from tests.http.within import within

RANKING = "/v1/boards/speed/ranking"
SECRET = "/home/somebody/book is locked by 4711"
EXPECTED = [
    (Refused("wpm", "is 5, less than 10"), 422, "wpm", True),
    (SpecError("board[0]", "is wrong"), 422, "board[0]", True),
    (NotFound("no board 'x'; there are: speed"), 404, "", True),
    (EventConflict("e1"), 409, "", True),
    (Busy("j1"), 409, "", True),
    (Unavailable("9 events wait already"), 503, "", True),
    (ConfigError("", SECRET), 500, "", False),
    (BookError(SECRET), 503, "", False),
    (RebuildNeeded(SECRET), 503, "", False),
    (LogError(SECRET), 503, "", False),
    (StoreDown(SECRET), 503, "", False),
    (StoreError(SECRET), 503, "", False),
    (PositionMoved(SECRET), 503, "", False),
    (Corrupt(SECRET), 503, "", False),
    (ValueError(SECRET), 500, "", False),
]


def test_every_error_of_the_tree_is_in_the_table():
    tree = [each for each in vars(errors).values() if isinstance(each, type)]
    tested = {type(error) for error, *_rest in EXPECTED}
    for error in tree:
        if error is not errors.RankbookError:
            assert error in tested, error
            assert any(issubclass(error, kind) for kind in KINDS), error


@pytest.mark.parametrize(("error", "status", "field", "says"), EXPECTED)
def test_an_error_is_a_problem_that_says_what_a_client_may_know(error, status, field, says):
    found, headers = told(error)
    assert (found.status, found.field) == (status, field)
    assert found.type.startswith("urn:rankbook:")
    assert found.title
    assert (str(error) == found.detail) is says
    assert SECRET not in found.detail
    assert ("Retry-After" in headers) is (status == 503)
    assert kind_of(error).status == status


@pytest.fixture
def club(tmp_path):
    with within(tmp_path / "club") as made:
        made.submit("asha", 50)
        yield made


def failing(error):
    def fail(*_given, **_more):
        raise error

    return fail


@pytest.mark.parametrize("error", [StoreError(SECRET), Corrupt(SECRET), LogError(SECRET)])
def test_what_is_down_is_a_503_that_says_when_to_come_again(club, monkeypatch, error):
    path = "/v1/events/e1" if isinstance(error, LogError) else RANKING
    part = club.book.log if isinstance(error, LogError) else club.book.store
    name = "find" if isinstance(error, LogError) else "read"
    monkeypatch.setattr(type(part), name, failing(error))
    answer = club.ask(path)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert SECRET not in answer.text


def test_what_is_recorded_stays_so_while_the_store_is_down(club, monkeypatch):
    _key, token = club.served.keys.create("game", ["submit"])
    event = {"player": "bram", "values": {"points": 5, "mode": "time"}}
    headers = {"Authorization": f"Bearer {token}"}
    with monkeypatch.context() as down:
        down.setattr(type(club.book.store), "publish", failing(StoreError(SECRET)))
        answer = club.ask("/v1/events/e1", "PUT", json=event, headers=headers)
        assert (answer.status_code, answer.json()["status"]) == (202, "pending")
    club.book.fold()
    again = club.ask("/v1/events/e1", "PUT", json=event, headers=headers)
    assert (again.status_code, again.json()["status"]) == (200, "ranked")
    assert club.json("/v1/boards/speed/players/bram")["entry"]["score"] == 5


def test_what_should_not_happen_is_in_the_log_and_not_in_the_answer(club, monkeypatch, caplog):
    monkeypatch.setattr(club.book, "ranking", failing(ZeroDivisionError(SECRET)))
    with caplog.at_level(logging.ERROR, "rankbook.http"):
        answer = club.ask(RANKING)
    assert answer.status_code == 500
    assert json.loads(answer.content) == {
        "type": "urn:rankbook:unexpected",
        "title": "The service failed",
        "status": 500,
    }
    assert "ZeroDivisionError" in caplog.text


def test_a_method_that_is_not_for_this_is_a_problem_too(club):
    answer = club.ask(RANKING, "DELETE")
    assert answer.status_code == 405
    assert answer.headers["content-type"] == "application/problem+json"
    assert "GET" in answer.headers["allow"]


def test_a_browser_is_shown_a_page_and_a_program_problem_details(club):
    for accept, kind in (("text/html,*/*", "text/html"), ("*/*", "application/problem+json")):
        answer = club.ask("/nowhere", headers={"Accept": accept})
        assert answer.status_code == 404
        assert answer.headers["content-type"].startswith(kind)
    api = club.ask("/v1/nowhere", headers={"Accept": "text/html"})
    assert api.headers["content-type"] == "application/problem+json"
