"""Bodies kept by version: an ETag is new when what it is of is, and never before or after."""

import pytest

from rankbook.book import RankingView
from rankbook.errors import StoreError
from rankbook.http.body_cache import MAX_BODIES, MAX_BYTES, Content, matches
from rankbook.model import Event
from rankbook.store.base import Change
from tests.http.within import TOML, Within, within

RANKING = "/v1/boards/speed/ranking"
DAY = f"{RANKING}?window=daily"
READS = [
    RANKING,
    f"{DAY}&tag.mode=time",
    "/v1/boards/speed/around/asha",
    "/v1/boards/speed/players/asha",
    "/v1/boards/speed/among?player=asha",
    "/v1/boards/speed/scores?min=1",
    "/v1/boards/speed/histogram",
    "/v1/boards/speed/periods",
    "/v1/players/asha",
    "/v1/bundles/home",
]


@pytest.fixture
def club(tmp_path):
    with within(tmp_path / "club") as made:
        made.submit("asha", 50)
        made.submit("bram", 40)
        yield made


def damage(club):
    """Take the first of the ranking out of its store, behind the log's back."""
    view = club.book.ranking("speed")
    [first] = view.ask(view.top_query(1)).rows
    position = club.book.store.position()
    change = Change(view.id, first.member, None)
    club.book.store.publish([change], [], expect=position, then=position)


def tag(club, path):
    return club.ask(path).headers["etag"]


@pytest.mark.parametrize("path", [*READS, "/v1/boards"])
def test_what_is_known_already_is_answered_304_without_a_body(club, path):
    etag = tag(club, path)
    for known in (etag, f'"x", {etag}', "*", f"W/{etag.removeprefix('W/')}"):
        answer = club.ask(path, headers={"If-None-Match": known})
        assert (answer.status_code, answer.content) == (304, b"")
        assert answer.headers["etag"] == etag
        assert answer.headers["cache-control"] == "public, no-cache"
    for unknown in ('"x"', etag[:-2], ""):
        assert club.ask(path, headers={"If-None-Match": unknown}).status_code == 200


@pytest.mark.parametrize("path", READS)
def test_a_change_shows_at_the_next_read_under_another_tag(club, path):
    before = club.ask(path)
    assert club.ask(path).content == before.content
    club.submit("asha", 60)
    after = club.ask(path, headers={"If-None-Match": before.headers["etag"]})
    if path.endswith("/periods"):
        assert after.status_code == 304
        club.submit("cai", 5)
        after = club.ask(path)
    assert after.status_code == 200
    assert after.headers["etag"] != before.headers["etag"]
    assert after.content != before.content


def test_what_changes_elsewhere_leaves_the_tag(club):
    narrow, wide = f"{DAY}&tag.mode=time", RANKING
    before = [tag(club, path) for path in (narrow, wide)]
    club.submit("cai", 70, mode="words")
    assert tag(club, narrow) == before[0]
    assert tag(club, wide) != before[1]


def test_the_kept_answer_is_the_one_that_the_router_gives(club):
    for path in READS:
        first, kept = club.ask(path), club.ask(path)
        routed = club.ask(path, headers={"Origin": "http://elsewhere"})
        for other in (kept, routed):
            assert other.content == first.content
            assert dict(other.headers) == dict(first.headers), path


def test_the_day_that_is_over_is_not_shown_as_today(club):
    before = club.ask(DAY)
    club.clock.set("2026-12-01T00:00:00Z")
    after = club.ask(DAY, headers={"If-None-Match": before.headers["etag"]})
    assert after.status_code == 200
    assert (after.json()["period"]["id"], after.json()["count"]) == ("2026-12-01", 0)
    assert tag(club, "/v1/players/asha") != before.headers["etag"]
    assert club.json("/v1/players/asha")["rankings"][0]["window"] == "all-time"


def test_a_sealed_period_asked_for_by_name_may_be_kept_by_everybody(club):
    path = f"{DAY}&period=2026-11-30"
    assert club.ask(path).headers["cache-control"] == "public, no-cache"
    before = tag(club, path)
    club.clock.set("2026-12-01T00:00:59Z")
    assert club.ask(path).headers["cache-control"] == "public, no-cache"
    club.clock.set("2026-12-01T00:01:00Z")
    over = club.ask(path)
    assert (over.headers["cache-control"], over.json()["period"]["sealed"]) == (
        "public, no-cache",  # by the clock alone: what came in time may still be pending
        True,
    )
    club.book.close_due()
    sealed = club.ask(path)
    assert sealed.headers["cache-control"] == "public, max-age=86400, immutable"
    assert sealed.json()["period"]["sealed"]
    assert sealed.headers["etag"] != before
    assert club.ask(DAY).headers["cache-control"] == "public, no-cache"


def test_a_void_shows_in_a_sealed_period_to_who_asks_here(club):
    club.submit("cai", 45, id="taken-back")
    path = f"{DAY}&period=2026-11-30"
    club.clock.set("2026-12-02T00:00:00Z")
    before = club.ask(path)
    club.book.submit(Event(player="", kind="void", target="taken-back"))
    after = club.ask(path)
    assert [each["player"] for each in before.json()["entries"]] == ["asha", "cai", "bram"]
    assert [each["player"] for each in after.json()["entries"]] == ["asha", "bram"]
    assert after.headers["etag"] != before.headers["etag"]


def test_a_new_name_shows_where_current_names_are_shown(club):
    path = "/v1/boards/now/ranking"
    before = tag(club, path)
    club.book.submit(Event(player="asha", kind="profile", profile={"name": "Asha"}))
    assert club.json(path)["entries"][0]["profile"] == {"name": "Asha"}
    assert tag(club, path) != before


def test_a_bundle_with_an_age_is_made_again_when_it_is_that_old(club, monkeypatch):
    made = []
    real = club.book.bundle
    monkeypatch.setattr(club.book, "bundle", lambda name: made.append(name) or real(name))
    for text, count in (("12:00:00", 1), ("12:00:29", 1), ("12:00:30", 2)):
        club.clock.set(f"2026-11-30T{text}Z")
        club.ask("/v1/bundles/aged")
        assert len(made) == count, text


def test_a_ranking_that_is_repaired_is_shown_at_once(club):
    good = club.ask(RANKING).content
    damage(club)
    broken = club.ask(RANKING)
    assert broken.json()["count"] == 1
    club.book.repair()
    assert club.ask(RANKING, headers={"If-None-Match": broken.headers["etag"]}).status_code == 200
    assert club.ask(RANKING).content == good


def test_a_repair_shows_though_something_else_was_folded_since(club):
    good = club.ask(RANKING).content
    damage(club)
    assert club.ask(RANKING).json()["count"] == 1
    club.book.repair()
    club.book.submit(Event(player="nobody", kind="ban"))
    club.clock.us += 1_000_000
    assert club.ask(RANKING).content == good


def test_a_seal_of_another_period_leaves_the_tag(club):
    path = f"{DAY}&period=2026-11-30"
    club.clock.set("2026-12-01T00:02:00Z")
    club.book.close_due()
    before = club.ask(path)
    assert "immutable" in before.headers["cache-control"]
    club.submit("asha", 70)
    club.clock.set("2026-12-02T00:02:00Z")
    club.book.close_due()
    after = club.ask(path)
    assert (after.headers["etag"], after.content) == (before.headers["etag"], before.content)


def test_what_is_sealed_while_it_is_read_may_not_be_kept(club, monkeypatch):
    club.submit("cai", 45)
    path = f"{DAY}&period=2026-11-30"
    club.clock.set("2026-12-01T00:02:00Z")
    seen = RankingView.top

    def sealed_meanwhile(view, *more):
        found = seen(view, *more)
        club.book.close_due()
        return found

    monkeypatch.setattr(RankingView, "top", sealed_meanwhile)
    monkeypatch.setattr(RankingView, "page", lambda view, *_more: sealed_meanwhile(view))
    assert club.ask(path).headers["cache-control"] == "public, no-cache"


def test_a_host_that_adds_headers_does_not_add_them_to_what_is_kept(club):
    async def host(scope, receive, send):
        async def adding(message):
            if message["type"] == "http.response.start":
                message["headers"].append((b"x-added", b"1"))
            await send(message)

        await club.application(scope, receive, adding)

    hosted = Within(club.book, club.clock, host)
    for _again in range(3):
        assert hosted.ask(RANKING).headers.get_list("x-added") == ["1"]


def test_a_hit_reads_no_ranking(club, monkeypatch):
    club.ask(RANKING)
    store = type(club.book.store)
    monkeypatch.setattr(store, "read", lambda _store, _queries: pytest.fail("it was read"))
    assert club.ask(RANKING).status_code == 200


def test_on_a_store_that_does_not_count_its_writes_a_body_is_kept_for_a_second(tmp_path, redis_uri):
    toml = TOML.replace("[book]", f'[book]\nstore = "{redis_uri}"')
    with within(tmp_path / "club", toml=toml) as club:
        club.submit("asha", 50)
        first = club.ask(RANKING)
        bodies = club.served.bodies
        key = (RANKING.encode(), b"")
        kept = bodies.get(key)
        assert first.content == kept.body
        club.clock.us += 900_000
        assert bodies.get(key) is kept
        club.submit("asha", 60)
        changed = bodies.get(key)
        assert changed.body != kept.body
        club.clock.us += 1_000_000
        assert bodies.get(key) is not changed
        assert bodies.get(key).body == changed.body


def test_what_is_of_the_whole_store_is_made_again_by_the_router_alone(club):
    paths = [("/v1/players/asha", None), (RANKING, "made")]
    for path, _made in paths:
        club.ask(path)
    club.submit("cai", 45)
    for path, made in paths:
        found = club.served.bodies.get((path.encode(), b""))
        assert (found and "made") == made
        assert club.ask(path).status_code == 200


def test_what_is_answered_from_what_is_kept_is_counted_by_its_route(club):
    for player in ("asha", "bram"):
        for _again in range(3):
            club.ask(f"/v1/boards/speed/around/{player}")
            club.submit("cai", 45)
    counted = club.ask("/metrics").text
    route = 'method="GET",route="/v1/boards/{board}/around/{player}",status="200"'
    assert f"rankbook_http_requests_total{{{route}}} 6.0" in counted
    assert "asha" not in counted


def test_what_is_kept_is_not_shown_while_the_store_is_down(club, monkeypatch):
    club.ask(RANKING)

    def down(_store):
        raise StoreError("/some/path is down")

    monkeypatch.setattr(type(club.book.store), "writes", down)
    answer = club.ask(RANKING)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert "path" not in answer.text
    monkeypatch.undo()
    assert club.ask(RANKING).status_code == 200


def test_what_only_some_may_read_is_kept_by_no_shared_cache(tmp_path):
    with within(tmp_path / "club", read_open=False) as club:
        club.submit("asha", 50)
        _key, token = club.served.keys.create("reader", ["read"])
        headers = {"Authorization": f"Bearer {token}"}
        for _again in range(2):
            assert club.ask(RANKING).status_code == 401
            answer = club.ask(RANKING, headers=headers)
            assert answer.headers["cache-control"] == "private, no-cache"


def test_no_more_is_kept_than_there_is_room_for(club):
    bodies = club.served.bodies
    for number in range(MAX_BODIES + 10):
        bodies.get_or_make(number, list, lambda _views: Content("small"))
    assert list(bodies._bodies)[:: MAX_BODIES - 1] == [10, MAX_BODIES + 9]
    large = Content("x" * (MAX_BYTES // 9))
    for number in range(20):
        bodies.get_or_make(("large", number), list, lambda _views: large)
    assert sum(len(each.body) for each in bodies._bodies.values()) <= MAX_BYTES
    assert ("large", 19) in bodies._bodies


def test_a_tag_matches_itself_alone():
    assert matches(b'"1-a"', b'"1-a"')
    assert matches(b'W/"1-a"', b'"1-a"')
    assert not matches(b'"1-ab"', b'"1-a"')
    assert not matches(b"1-a", b'"1-a"')
