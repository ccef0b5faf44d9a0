"""Every page of every kind of book is there, and every address in it leads somewhere."""

from datetime import UTC, datetime

import pytest

from examples.clock import Clock
from examples.motor_sport.championship import open_book, submit
from examples.motor_sport.races import made_up_races
from examples.summit_circuit import story
from rankbook import Event, Rankbook
from rankbook.http import Settings, app
from rankbook.http.pages.tables import MOST_COLUMNS
from tests.browser.club import TOML
from tests.http.test_pages_mounted import Client, addresses

SPLIT_TOML = """\
[book]
name = "split"

[[board]]
name = "runs"
measures = { metres = "metres", falls = "falls" }
order_by = ["metres desc", "falls asc"]
splits = [["country"], ["country", "age"]]
windows = ["weekly", "monthly"]
numbering = "dense"
profiles = "player"
size = 3
"""
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def crawled(book, clock=None, *start):
    """Every page that the links of the pages lead to."""
    more = {} if clock is None else {"clock": clock}
    client = Client(app(book, Settings(), **more))
    seen: dict[str, str] = {}
    ahead = {"/", "/?wall", "/player", "/seasons", "/submissions", *start}
    while ahead and len(seen) < 120:
        path = ahead.pop()
        answer = client.get(path.replace("&amp;", "&"))
        assert answer.status_code == 200, (path, answer.text)
        seen[path] = answer.text
        if answer.headers["content-type"].startswith("text/html"):
            ahead |= addresses(answer.text) - set(seen)
    return seen


@pytest.mark.parametrize("toml", [TOML, SPLIT_TOML], ids=["bundle", "no bundle"])
def test_an_empty_book_has_pages_that_say_so(tmp_path, toml):
    (tmp_path / "rankbook.toml").write_text(toml)
    with Rankbook.open(tmp_path) as book:
        seen = crawled(book)
    assert "Nobody is here yet" in seen["/"]
    assert "There are no seasons yet" in seen["/seasons"]
    assert "Nothing has been submitted yet" in seen["/submissions"]


def test_a_championship_shows_points_and_the_first_of_its_countback(tmp_path):
    races = made_up_races()
    clock = Clock("2026-12-31T00:00:00Z")
    with open_book(tmp_path, races, clock) as book:
        for race in races:
            submit(book, race)
        seen = crawled(book, clock)
    assert "Abara" in seen["/"]
    heads = seen["/"].count('<th scope="col"')
    assert heads == len(("rank", "player", "reached", "points")) + MOST_COLUMNS


def test_a_game_between_its_seasons_shows_the_last_one_and_who_played(tmp_path):
    game = story.Game(tmp_path)
    with game.book as book:
        for number, (player, points) in enumerate(story.SPRING.items()):
            game.race(f"race-{number}", player, points)
        seen = crawled(book, game.clock, "/player?player=player-09")
    assert "spring-2026" in seen["/seasons"]
    assert "player-09" in seen["/"]


def test_a_board_that_is_only_split_begins_with_the_tags_it_has(tmp_path):
    (tmp_path / "rankbook.toml").write_text(SPLIT_TOML)
    with Rankbook.open(tmp_path, clock=lambda: int(NOW.timestamp() * 1e6)) as book:
        for number in range(6):
            values = {"metres": 100 + number, "falls": 1, "age": 30, "country": "a/b & <c>"}
            book.submit(Event(player=f"p{number}", values=values, profile={"name": f"P {number}"}))
        seen = crawled(book, None, "/player?player=p5")
    assert "a/b &amp; &lt;c&gt;" in seen["/"]
    assert seen["/"].count("data-player=") == 3 + 1


def test_what_was_taken_back_banned_and_forgotten_is_told_step_by_step(tmp_path):
    (tmp_path / "rankbook.toml").write_text(TOML)
    with Rankbook.open(tmp_path) as book:
        for number, player in enumerate(["asha", "bram", "chidi", "dora"]):
            values = {"wpm": 90 + number, "mode": "time"}
            book.submit(Event(id=f"e{number}", player=player, values=values))
        book.submit(Event(kind="void", player="", target="e0", id="v"))
        better = {"wpm": 150, "mode": "words"}
        book.submit(Event(kind="correct", player="", target="e1", values=better, id="c"))
        book.submit(Event(kind="ban", player="chidi", id="b"))
        book.submit(Event(id="late", player="chidi", values={"wpm": 99, "mode": "time"}))
        book.submit(Event(kind="forget", player="dora", id="f"))
        seen = crawled(book, None, "/submission?event=v&step=2", "/submission?event=late&step=2")
    assert "gone" in seen["/submission?event=v&step=2"]
    assert "the player is banned" in seen["/submission?event=late&step=2"]
    assert not any("dora" in text for text in seen.values())


@pytest.mark.parametrize("asked", ["window=none", "board=none", "tag.none=1", "window=none&wall="])
def test_a_ranking_that_is_not_there_is_no_other_one(tmp_path, asked):
    (tmp_path / "rankbook.toml").write_text(TOML)
    with Rankbook.open(tmp_path) as book:
        client = Client(app(book, Settings()))
        assert client.get(f"/?{asked}").status_code == 404
        assert client.get("/").status_code == 200
