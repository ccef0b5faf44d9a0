"""Reads over HTTP give what the book gives, and say what exists where they find nothing."""

import json
from decimal import Decimal
from urllib.parse import quote

import msgspec
import pytest
from starlette.applications import Starlette
from starlette.routing import Mount

from tests.http.within import Within, within

NAMES = ["a/b", "a//b?c#d", "..", "日本 語", "<b>x</b>", "%2F", "a b+c&d=e", "\u202erev", "x" * 256]
RANKING = "/v1/boards/speed/ranking"
encoder = msgspec.json.Encoder(decimal_format="number")


@pytest.fixture(scope="module")
def club(tmp_path_factory):
    with within(tmp_path_factory.mktemp("reads") / "club") as made:
        for number in range(30):
            made.submit(f"p{number}", 40 + number // 2, "time" if number % 3 else "words")
        for name in NAMES:
            made.submit(name, 10, profile={"name": name[:64]})
        made.clock.set("2026-12-01T12:00:00Z")
        made.submit("p3", 64.1, profile={"name": "Three"})
        made.submit("p4", 64.09)
        yield made


def same(answer, expected):
    """Byte for byte what the book gives, with numbers as they are."""
    assert answer.status_code == 200, answer.text
    assert answer.content == encoder.encode(expected)


def test_a_ranking_is_the_first_page_of_the_book(club):
    same(club.ask(RANKING), club.book.ranking("speed").page(10))
    same(club.ask(f"{RANKING}?limit=3"), club.book.ranking("speed").page(3))
    daily = club.book.ranking("speed", window="daily", period="2026-11-30", tags={"mode": "words"})
    path = f"{RANKING}?window=daily&period=2026-11-30&tag.mode=words&limit=1000"
    same(club.ask(path), daily.page(1000))


def test_the_pages_by_cursor_have_every_entry_once_and_lead_back(club):
    players, cursor, pages = [], "", []
    while cursor is not None:
        page = club.json(f"{RANKING}?limit=7" + (f"&cursor={quote(cursor)}" if cursor else ""))
        pages.append(page)
        players += [entry["player"] for entry in page["entries"]]
        cursor = page.get("next")
    assert players == [each.player for each in club.book.ranking("speed").top(1000).entries]
    back = club.json(f"{RANKING}?limit=7&cursor={quote(pages[1]['previous'])}")
    assert back["entries"] == pages[0]["entries"]


def test_around_a_player_are_the_neighbours_of_the_book(club):
    view = club.book.ranking("speed")
    same(club.ask("/v1/boards/speed/around/p9"), view.around("p9"))
    same(club.ask("/v1/boards/speed/around/p9?limit=8"), view.around("p9", 8))


def test_a_place_has_the_entry_and_the_percentile(club):
    view = club.book.ranking("speed", window="daily")
    found = club.json("/v1/boards/speed/players/p4?window=daily")
    assert found["entry"] == json.loads(encoder.encode(view.entry("p4")))
    assert (found["percentile"], found["count"]) == (view.percentile("p4"), 2)


@pytest.mark.parametrize("name", NAMES)
def test_a_player_is_found_under_any_name(club, name):
    for path in ("/v1/boards/speed/players/", "/v1/boards/speed/around/", "/v1/players/"):
        answer = club.ask(path + quote(name, safe="").replace("..", "%2E%2E"))
        assert answer.status_code == 200, answer.text
        assert json.dumps(name)[1:-1] in json.dumps(answer.json())
    among = club.json("/v1/boards/speed/among", params={"player": name})
    assert [each["entry"]["player"] for each in among["friends"]] == [name]


def test_among_gives_ranks_of_both_kinds_and_names_who_is_missing(club):
    answer = club.ask("/v1/boards/speed/among?player=p1&player=p29&player=nobody")
    same(answer, club.book.ranking("speed").among(["p1", "p29", "nobody"]))
    assert [each["rank_among"] for each in answer.json()["friends"]] == [1, 2]
    assert answer.json()["missing"] == ["nobody"]


def test_scores_are_bounded_exactly_as_written(club):
    view = club.book.ranking("speed")
    low, high = Decimal("64.09"), Decimal("64.10")
    same(club.ask("/v1/boards/speed/scores?min=64.09&max=64.10"), view.scores(low, high))
    above = club.json("/v1/boards/speed/scores?min=64.10")
    assert [each["player"] for each in above["entries"]] == ["p3"]
    assert club.json("/v1/boards/speed/scores?max=10&limit=2")["entries"][0]["score"] == 10


def test_a_histogram_is_in_steps_or_between_edges(club):
    view = club.book.ranking("speed")
    found = club.json("/v1/boards/speed/histogram?bins=4")
    assert found["bins"] == json.loads(encoder.encode(view.histogram(4)))
    assert found["count"] == view.count()
    between = club.json("/v1/boards/speed/histogram?edges=20&edges=50.5")
    assert [each["count"] for each in between["bins"]] == [
        each.count for each in view.histogram(edges=[20, Decimal("50.5")])
    ]


def test_periods_are_those_with_entries_the_newest_first(club):
    found = club.json("/v1/boards/speed/periods?window=daily")["periods"]
    assert [each["period"]["id"] for each in found] == ["2026-12-01", "2026-11-30"]
    assert found == json.loads(encoder.encode(club.book.periods("speed", "daily")))
    assert len(club.json("/v1/boards/speed/periods")["periods"]) == 3


def test_a_player_is_shown_in_every_ranking_and_in_the_seasons_so_far(club):
    found = club.json("/v1/players/p3")
    assert found["rankings"] == json.loads(encoder.encode(club.book.player("p3")))
    overall = next(each for each in found["seasons"] if each["tags"] == {})
    assert [each["period"]["id"] for each in overall["periods"]] == ["2026-12-01", "2026-11-30"]
    assert club.json("/v1/players/p5")["seasons"][0]["periods"][0]["period"]["id"] == "2026-11-30"


def test_the_boards_and_bundles_are_listed_with_what_a_reader_must_know(club):
    found = club.json("/v1/boards")
    assert [each["name"] for each in found["boards"]] == ["speed", "now", "words"]
    speed = found["boards"][0]
    assert (speed["windows"], speed["splits"]) == (["all-time", "daily"], [[], ["mode"]])
    assert found["bundles"] == ["home", "aged"]


def test_a_bundle_is_read_from_one_moment(club):
    same(club.ask("/v1/bundles/home"), club.book.bundle("home"))


def test_a_service_under_a_prefix_answers_as_one_without(club):
    mounted = Within(
        club.book, club.clock, Starlette(routes=[Mount("/club", app=club.application)]), "/club"
    )
    for path in (RANKING, "/v1/bundles/home", "/v1/players/a%2Fb", "/healthz", "/v1/boards"):
        for _again in range(2):
            assert mounted.ask(path).content == club.ask(path).content, path
    assert mounted.ask("/v1/nowhere").status_code == 404


MISSING = {
    "/v1/boards/sped/ranking": "there are: speed, now, words",
    "/v1/boards/sped/periods": "there are: speed, now, words",
    "/v1/boards/sped/live": "there are: speed, now, words",
    f"{RANKING}?window=weekly": "all-time, daily",
    f"{RANKING}?window=daily&period=today": "2026",
    f"{RANKING}?tag.wpm=1": "mode",
    "/v1/boards/words/ranking": "mode",
    "/v1/players/nobody": "there are: speed, now, words",
    "/v1/bundles/hom": "there are: home, aged",
    "/v1/bord": "/schema",
}


@pytest.mark.parametrize("path", MISSING)
def test_what_is_not_there_is_a_404_that_says_what_is(club, path):
    answer = club.ask(path)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert answer.json()["type"] == "urn:rankbook:not-found"
    assert MISSING[path] in answer.json()["detail"]


WRONG = {
    f"{RANKING}?lmit=3": "lmit",
    f"{RANKING}?window=daily&window=all-time": "window",
    f"{RANKING}?tag.mode=time&tag.mode=words": "tag.mode",
    f"{RANKING}?limit=0": "limit",
    f"{RANKING}?limit=1001": "limit",
    f"{RANKING}?limit=ten": "limit",
    f"{RANKING}?cursor=x": "cursor",
    f"{RANKING}?period={'9' * 65}": "period",
    "/v1/boards/speed/scores?min=nan": "min",
    "/v1/boards/speed/scores?min=1e999": "min",
    "/v1/boards/speed/scores?min=3&max=2": "min",
    "/v1/boards/speed/histogram?bins=0": "bins",
    "/v1/boards/speed/histogram?edges=x": "edges",
    "/v1/boards/speed/among": "",
    "/v1/boards?window=daily": "window",
    "/v1/boards/speed/live?after=-1": "",
}


@pytest.mark.parametrize("path", WRONG)
def test_a_wrong_parameter_is_named(club, path):
    answer = club.ask(path)
    assert answer.status_code in (400, 422), answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json().get("field", "") == WRONG[path]
    assert answer.json()["detail"]


def test_a_player_longer_than_any_can_be_has_no_entry(club):
    assert club.json("/v1/boards/speed/players/" + "y" * 3000)["entry"] is None
    assert club.ask("/v1/boards/speed/among", params={"player": "y" * 3000}).status_code == 200


def test_head_is_get_without_the_body(club):
    for path in (RANKING, "/healthz", "/v1/boards"):
        got, head = club.ask(path), club.ask(path, "HEAD")
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers.get("etag") == got.headers.get("etag")
        assert head.headers["content-length"] == str(len(got.content))
    assert club.ask("/v1/boards/speed/live", "HEAD").status_code == 405
    assert club.ask("/v1/boards/speed/players/live", "HEAD").status_code == 200


def test_a_player_without_an_entry_is_no_fault_and_answered_with_none(club):
    view = club.book.ranking("speed")
    place = club.json("/v1/boards/speed/players/nobody")
    assert (place["entry"], place["rank"], place["percentile"]) == (None, None, None)
    assert (place["player"], place["count"]) == ("nobody", view.count())
    around = club.json("/v1/boards/speed/around/nobody")
    assert (around["entries"], around["count"]) == ([], view.count())
