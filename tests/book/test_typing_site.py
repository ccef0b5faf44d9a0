"""The first article's behaviours, and its six boards that are never apart."""

import pytest

from rankbook import Refused
from tests.book.home import players
from tests.book.site import SPEC, typed


@pytest.fixture
def book(home):
    return home.open(spec=SPEC)


def placed(receipt):
    return {
        (p.window, p.tags.get("mode")): (p.why, p.previous_score, p.score) for p in receipt.rankings
    }


def test_one_test_is_four_possible_bests(book):
    receipt = book.submit(typed("asha", 100, 98))
    assert placed(receipt) == {
        ("all-time", None): ("new", None, 98),
        ("all-time", "time"): ("new", None, 98),
        ("daily", None): ("new", None, 98),
        ("daily", "time"): ("new", None, 98),
    }
    home_bundle = book.bundle("home")
    assert [standings.count for standings in home_bundle.rankings] == [1, 1, 0, 1, 1, 0]
    entry = home_bundle.rankings[0].entries[0]
    assert (entry.rank, entry.score) == (1, 98)
    assert entry.details == {"wpm": 100, "accuracy": 98, "mode": "time"}
    assert entry.profile == {"name": "Asha", "avatar": "owl"}


@pytest.mark.parametrize(
    ("wpm", "accuracy", "score"),
    [(145.13, 100, 145), (149.47, 97, 145), (100.5, 100, 101), (99.49, 100, 99), (0, 0, 0)],
)
def test_the_score_is_rounded_as_in_a_browser_and_the_details_are_not(book, wpm, accuracy, score):
    book.submit(typed("asha", wpm, accuracy))
    entry = book.ranking("speed").entry("asha")
    assert (entry.score, entry.details["wpm"]) == (score, wpm)


def test_equal_scores_do_not_replace_even_with_another_speed_and_accuracy(book):
    book.submit(typed("asha", 100, 98, id="a"))
    receipt = book.submit(typed("asha", 98, 100, id="b", avatar="fox"))
    assert {p.why for p in receipt.rankings} == {"not-better"}
    for standings in book.player("asha"):
        [entry] = standings.entries
        assert (entry.event_id, entry.details["wpm"], entry.profile["avatar"]) == ("a", 100, "owl")


def test_the_daily_best_can_improve_while_all_time_stays_and_details_stay_with_their_score(
    home, book
):
    book.submit(typed("asha", 120, id="old", at="2026-11-20T12:00:00Z", avatar="owl"))
    book.submit(typed("asha", 80, id="dull", at="2026-11-30T09:00:00Z", avatar="cat"))
    receipt = book.submit(typed("asha", 100, id="today", at="2026-11-30T10:00:00Z", avatar="fox"))
    assert placed(receipt) == {
        ("all-time", None): ("not-better", 120, 120),
        ("all-time", "time"): ("not-better", 120, 120),
        ("daily", None): ("better", 80, 100),
        ("daily", "time"): ("better", 80, 100),
    }
    ever = book.ranking("speed").entry("asha")
    today = book.ranking("speed", window="daily").entry("asha")
    assert (ever.score, ever.details["wpm"], ever.event_id) == (120, 120, "old")
    assert (today.score, today.details["wpm"], today.event_id) == (100, 100, "today")
    assert (ever.profile["avatar"], today.profile["avatar"]) == ("owl", "fox")


def test_a_mode_has_its_own_best(book):
    book.submit(typed("asha", 100, mode="time", id="t"))
    receipt = book.submit(typed("asha", 90, mode="words", id="w"))
    assert placed(receipt)["all-time", None] == ("not-better", 100, 100)
    assert placed(receipt)["all-time", "words"] == ("new", None, 90)
    assert book.ranking("speed", tags={"mode": "words"}).entry("asha").event_id == "w"
    assert book.ranking("speed", tags={"mode": "time"}).entry("asha").event_id == "t"
    assert book.ranking("speed").entry("asha").event_id == "t"


def test_midnight_in_india_starts_a_new_day(home, book):
    book.submit(typed("asha", 100, at="2026-11-30T18:29:59Z"))
    home.clock.set("2026-11-30T18:29:59.999999Z")
    assert [s.count for s in book.bundle("home").rankings] == [1, 1, 0, 1, 1, 0]
    home.clock.set("2026-11-30T18:30:00Z")
    bundle = book.bundle("home")
    assert [s.count for s in bundle.rankings] == [1, 1, 0, 0, 0, 0]
    assert [s.period.id for s in bundle.rankings] == ["all-time"] * 3 + ["2026-12-01"] * 3
    yesterday = book.ranking("speed", window="daily", period="2026-11-30")
    assert yesterday.top().entries[0].profile["avatar"] == "owl"


def test_every_entry_shows_the_name_and_avatar_of_its_own_event(book):
    for number, (player, avatar) in enumerate(
        [("asha", "owl"), ("bram", "owl"), ("asha", "fox"), ("bram", "cat")]
    ):
        book.submit(typed(player, 100 + number, avatar=avatar))
    shown = {e.player: e.profile for e in book.ranking("speed").top().entries}
    assert shown == {
        "asha": {"name": "Asha", "avatar": "fox"},
        "bram": {"name": "Bram", "avatar": "cat"},
    }


def test_the_page_shows_ten_of_each_board_and_counts_all(book):
    book.submit_many([typed(f"p{i:02}", 50 + i, mode="time") for i in range(12)])
    bundle = book.bundle("home")
    assert [len(s.entries) for s in bundle.rankings] == [10, 10, 0, 10, 10, 0]
    assert [s.count for s in bundle.rankings] == [12, 12, 0, 12, 12, 0]
    assert players(bundle.rankings[0])[:2] == ["p11", "p10"]


@pytest.mark.parametrize(
    ("field", "changes"),
    [
        ("accuracy", {"accuracy": 140}),
        ("wpm", {"wpm": float("nan")}),
        ("wpm", {"wpm": -1}),
        ("mode", {"mode": "zen"}),
        ("player", {"player": ""}),
        ("player", {"player": "x" * 10_000}),
    ],
)
def test_what_the_site_does_not_accept_is_refused_by_field(book, field, changes):
    with pytest.raises(Refused) as caught:
        book.submit(typed(**{"player": "asha", "wpm": 100, **changes}))
    assert caught.value.field == field
    assert book.log.head() == 0
