"""Periods: to which day a result belongs, when days close, and that they close exactly once."""

from threading import Barrier

import pytest

from rankbook import BookSpec, Event, Rankbook, Refused, SpecError
from rankbook.errors import NotFound
from tests.book.home import Clock, assert_agrees, board, players, result, when
from tests.book.test_together import in_threads
from tests.cases.saying import (
    ban,
    content,
    correct,
    forget,
    moves,
    refolds_alike,
    said,
    unban,
    void,
    whys,
)

IST = {"windows": ("all-time", "daily"), "zone": "+05:30", "seal": True, "grace_seconds": 5}
BOUNDARY = "2026-10-04T18:30:00Z"
CLOSES = "2026-10-04T18:30:05Z"


def ist(home, **more):
    home.clock.set("2026-10-04T12:00:00Z")
    return home.open(board(**{**IST, **more}))


def day(book, period=None):
    return book.ranking("speed", window="daily", period=period)


def closings(book):
    """A list that grows with every closing that the book tells of."""
    heard = []
    book.on_close(lambda closing: heard.append((closing.window, closing.period.id, closing.at)))
    return heard


def seals(home, book):
    return [each for each in book.log.read(0, 1_000_000) if each.kind == "seal"]


# --- to which period -----------------------------------------------------------------------------


def test_a_run_that_ended_before_the_boundary_and_came_within_the_grace_is_of_its_own_day(home):
    book = ist(home)
    home.clock.set("2026-10-04T18:30:02Z")
    receipt = book.submit(result("asha", 5, id="run", at="2026-10-04T18:29:59.900Z"))
    assert whys(receipt) == {"all-time/all-time": "new", "daily/2026-10-04": "new"}
    assert players(day(book, "2026-10-04").top()) == ["asha"]
    assert day(book, "2026-10-05").count() == 0


@pytest.mark.parametrize("late", [CLOSES, "2026-10-04T19:00:00Z", "2026-10-09T00:00:00Z"])
def test_after_the_seal_a_late_run_is_recorded_and_is_on_no_day(home, late):
    book = ist(home)
    book.submit(result("bram", 1))
    home.clock.set(late)
    receipt = book.submit(result("asha", 5, id="run", at="2026-10-04T18:29:59.900Z"))
    assert whys(receipt) == {"all-time/all-time": "new", "daily/2026-10-04": "period_closed"}
    assert moves(receipt)["daily/2026-10-04"] == ("period_closed", None, None)
    assert [each.id for each in book.log.find(["run"])] == ["run"]
    assert players(day(book, "2026-10-04").top()) == ["bram"]
    assert day(book, "2026-10-05").count() == 0
    assert book.ranking("speed").entry("asha").score == 5
    assert book.submit(result("asha", 5, id="run", at="2026-10-04T18:29:59.900Z")) == receipt
    refolds_alike(book, home)


def test_a_late_run_of_a_day_that_nobody_else_was_on_is_closed_too(home):
    book = ist(home)
    home.clock.set("2026-10-06T00:00:00Z")
    receipt = book.submit(result("asha", 5, at="2026-10-04T18:29:59.900Z"))
    assert whys(receipt)["daily/2026-10-04"] == "period_closed"
    assert day(book, "2026-10-04").count() == 0
    assert day(book, "2026-10-04").top().period.sealed


def test_the_last_microsecond_of_the_grace_is_in_and_the_next_is_out(home):
    book = ist(home)
    for received, why in (("18:30:04.999999", "new"), ("18:30:05", "period_closed")):
        home.clock.set(f"2026-10-04T{received}Z")
        receipt = book.submit(result(f"p{received}", 5, at="2026-10-04T18:29:59.999Z"))
        assert whys(receipt)["daily/2026-10-04"] == why


def test_a_board_that_does_not_seal_takes_a_result_of_any_day_for_ever(home):
    book = ist(home, seal=False)
    heard = closings(book)
    home.clock.set("2027-10-04T00:00:00Z")
    assert whys(book.submit(result("asha", 5, at="2026-10-04T00:00:00Z"))) == {
        "all-time/all-time": "new",
        "daily/2026-10-04": "new",
    }
    assert not day(book, "2026-10-04").top().period.sealed
    book.close_due()
    assert heard == []


@pytest.mark.parametrize(
    ("window", "zone", "at", "period"),
    [
        ("daily", "+05:30", "2026-10-04T18:29:59.999Z", "2026-10-04"),
        ("daily", "+05:30", "2026-10-04T18:30:00.000Z", "2026-10-05"),
        ("daily", "Asia/Kathmandu", "2026-10-04T18:14:59.999Z", "2026-10-04"),
        ("daily", "Asia/Kathmandu", "2026-10-04T18:15:00.000Z", "2026-10-05"),
        ("weekly", "UTC", "2027-01-01T12:00:00Z", "2026-W53"),
        ("weekly", "UTC", "2023-01-01T12:00:00Z", "2022-W52"),
        ("weekly", "UTC", "2027-01-04T00:00:00Z", "2027-W01"),
        ("monthly", "UTC", "2028-02-29T23:59:59.999Z", "2028-02"),
        ("monthly", "+05:30", "2026-10-31T18:30:00Z", "2026-11"),
    ],
)
def test_receipts_and_reads_name_the_period_of_the_instant(home, window, zone, at, period):
    home.clock.set(at)
    book = home.open(board(windows=(window,), zone=zone))
    [placement] = book.submit(result("asha", 5)).rankings
    assert (placement.window, placement.period) == (window, period)
    shown = book.ranking("speed").top()
    assert (shown.period.id, players(shown)) == (period, ["asha"])
    assert shown.period.start <= when(at) < shown.period.end
    assert [each.period.id for each in book.periods("speed")] == [period]


@pytest.mark.parametrize(
    ("period", "hours"), [("2026-11-01", 25), ("2026-03-08", 23), ("2026-03-09", 24)]
)
def test_a_day_in_new_york_takes_results_for_as_long_as_it_lasts(home, period, hours):
    home.clock.set("2026-01-01T00:00:00Z")
    book = home.open(board(windows=("daily",), zone="America/New_York"))
    span = book.ranking("speed", period=period).top().period
    assert (span.end - span.start).total_seconds() == hours * 3600
    book.submit(Event(player="first", values={"score": 1}, at=span.start))
    book.submit(Event(player="next", values={"score": 1}, at=span.end))
    assert players(book.ranking("speed", period=period).top()) == ["first"]


def test_weeks_may_begin_on_sunday_and_are_named_by_it(home):
    home.clock.set("2026-11-28T23:59:59Z")
    book = home.open(board(windows=("weekly",), week_start="sunday"))
    assert book.submit(result("asha", 1)).rankings[0].period == "2026-11-22"
    home.clock.set("2026-11-29T00:00:00Z")
    assert book.submit(result("asha", 1)).rankings[0].period == "2026-11-29"


# --- closing -------------------------------------------------------------------------------------


def test_a_day_closes_once_at_its_boundary_and_says_so(home):
    book = ist(home)
    heard = closings(book)
    book.submit(result("asha", 5))
    assert not day(book).top().period.sealed
    home.clock.set("2026-10-04T18:30:04.999999Z")
    book.close_due()
    assert (heard, seals(home, book)) == ([], [])
    home.clock.set(CLOSES)
    assert day(book, "2026-10-04").top().period.sealed
    book.close_due()
    book.close_due()
    book.submit(result("asha", 6))
    assert heard == [("daily", "2026-10-04", when(CLOSES))]
    assert [(each.at_us, each.id) for each in seals(home, book)] == [
        (Clock(CLOSES).us, "seal:speed/daily/2026-10-04")
    ]
    assert not day(book).top().period.sealed


def test_a_process_that_was_down_at_the_boundary_closes_once_when_it_starts_again(home):
    ist(home).submit(result("asha", 5))
    home.clock.set("2026-10-07T03:00:00Z")
    book, late = home.open(), home.open()
    told, others = closings(book), closings(late)
    book.catch_up()
    late.catch_up()
    assert told == [("daily", "2026-10-04", when(CLOSES))]
    assert others == []
    [seal] = seals(home, book)
    assert seal.at_us == Clock(CLOSES).us
    assert seal.received_us == home.clock.us


def test_a_result_that_was_recorded_and_not_ranked_before_the_stop_is_ranked_and_then_closed(home):
    ist(home).record([result("asha", 5)])
    home.clock.set("2026-10-07T03:00:00Z")
    book = home.open()
    heard = closings(book)
    book.catch_up()
    assert heard == [("daily", "2026-10-04", when(CLOSES))]
    assert players(day(book, "2026-10-04").top()) == ["asha"]


def test_a_closing_that_was_recorded_and_not_published_is_told_when_it_is(home):
    ist(home).submit(result("asha", 5))
    home.clock.set("2026-10-07T03:00:00Z")
    stopped, book = home.open(), home.open()
    stopped.record([result("asha", 7)])
    heard = closings(book)
    book.close_due()
    assert heard == [("daily", "2026-10-04", when(CLOSES))]
    assert book.pending() == 0


def test_many_days_that_passed_while_nobody_was_there_all_close_in_order(home):
    book = ist(home)
    days = [f"2026-{month:02}-{day:02}" for month in (4, 5, 6, 7, 8) for day in range(1, 29)]
    home.clock.set("2026-04-01T00:00:00Z")
    book.submit_many([result("asha", n, at=f"{day}T12:00:00Z") for n, day in enumerate(days)])
    home.clock.set("2026-10-07T03:00:00Z")
    book = home.open()
    heard = closings(book)
    book.close_due()
    assert [period for _window, period, _at in heard] == days
    assert len(seals(home, book)) == len(days)


def test_two_processes_that_close_at_the_same_time_close_once(home):
    books = [ist(home), home.open()]
    books[0].submit_many([result(f"p{n}", n) for n in range(5)])
    heard = [closings(book) for book in books]
    together = Barrier(2)

    def closing(book):
        for hour in range(20):
            together.wait()
            if book is books[0]:
                home.clock.set(f"2026-10-{5 + hour:02}T18:31:00Z")
            together.wait()
            book.close_due()
            book.submit(result("asha", hour))

    in_threads(lambda: closing(books[0]), lambda: closing(books[1]))
    books[0].close_due()
    told = sorted(heard[0] + heard[1])
    days = ["2026-10-04", *[f"2026-10-{6 + day:02}" for day in range(19)]]
    assert [period for _window, period, _at in told] == days
    assert len(seals(home, books[0])) == len(days)


def test_a_listener_hears_of_every_ranking_of_a_period_once(home):
    book = home.open(board(**IST, splits=((), ("mode",))))
    heard = closings(book)
    book.submit_many([result("asha", 1, mode="x"), result("bram", 1, mode="y")])
    home.clock.set("2026-12-01T00:00:00Z")
    book.close_due()
    assert [period for _window, period, _at in heard] == ["2026-11-30"]


# --- what still happens to a sealed period -------------------------------------------------------


@pytest.fixture
def sealed(home):
    """Asha 50, Bram 40, Chidi 30 on a day that has been sealed."""
    book = ist(home)
    for player, score in (("asha", 50), ("bram", 40), ("chidi", 30)):
        book.submit(result(player, score, id=f"e-{player}"))
    home.clock.set("2026-10-05T12:00:00Z")
    book.close_due()
    return book


def on_the_day(book):
    return [(e.rank, e.player, e.score) for e in day(book, "2026-10-04").top().entries]


def test_a_ban_takes_a_player_out_of_a_sealed_period_and_lifting_it_brings_them_back(sealed):
    before = on_the_day(sealed)
    assert moves(sealed.submit(ban("bram")))["daily/2026-10-04"] == ("removed", 2, None)
    assert on_the_day(sealed) == [(1, "asha", 50), (2, "chidi", 30)]
    sealed.submit(result("bram", 99))
    assert moves(sealed.submit(unban("bram")))["daily/2026-10-04"] == ("restored", None, 2)
    assert on_the_day(sealed) == before
    assert "bram" not in players(day(sealed, "2026-10-05").top())


def test_a_void_and_a_correction_reach_a_sealed_period(sealed):
    assert whys(sealed.submit(void("e-asha")))["daily/2026-10-04"] == "removed"
    assert whys(sealed.submit(correct("e-chidi", 45)))["daily/2026-10-04"] == "replaced"
    assert on_the_day(sealed) == [(1, "chidi", 45), (2, "bram", 40)]


def test_folding_a_player_anew_does_not_let_a_late_result_in(home, sealed):
    receipt = sealed.submit(result("bram", 99, id="late", at="2026-10-04T12:00:00Z"))
    assert whys(receipt)["daily/2026-10-04"] == "period_closed"
    for event in (ban("bram"), unban("bram"), correct("late", 98), void("late")):
        sealed.submit(event)
    assert on_the_day(sealed) == [(1, "asha", 50), (2, "bram", 40), (3, "chidi", 30)]
    sealed.submit(void("e-bram"))
    assert on_the_day(sealed) == [(1, "asha", 50), (2, "chidi", 30)]
    refolds_alike(sealed, home)


def test_a_forgotten_player_leaves_a_sealed_period_too(sealed):
    sealed.submit(forget("asha"))
    assert on_the_day(sealed) == [(1, "bram", 40), (2, "chidi", 30)]
    assert day(sealed, "2026-10-04").top().period.sealed


# --- seals by hand -------------------------------------------------------------------------------


def test_a_seal_by_hand_before_the_boundary_is_refused_and_keeps_nobody_out(home):
    book = ist(home)
    book.submit(result("bram", 40))
    with pytest.raises(Refused, match="not over"):
        book.submit(said("seal", target="speed/daily/2026-10-04", id="s1"))
    assert whys(book.submit(result("asha", 9)))["daily/2026-10-04"] == "new"
    assert on_the_day(book) == [(1, "bram", 40), (2, "asha", 9)]


@pytest.mark.parametrize(
    "event",
    [
        said("seal", target="speed/daily"),
        said("seal", target="nope/daily/2026-10-04"),
        said("seal", target="speed/weekly/2026-W01"),
        said("seal", target="speed/daily/2026-02-30"),
        said("seal", target="speed/all-time/all-time"),
        said("seal", target="sp%65ed/daily/2026-10-04"),
        said("seal", "asha", target="speed/daily/2026-10-04"),
        said("seal", target="speed/daily/2026-10-04", x=float("nan")),
        said("seal", target="speed/daily/2026-10-04", x=1 << 70),
    ],
)
def test_a_seal_that_could_not_be_folded_as_it_says_is_refused(home, event):
    book = ist(home)
    with pytest.raises(Refused):
        book.submit(event)
    assert book.log.head() == 0


def test_a_board_that_does_not_seal_refuses_a_seal(home):
    book = ist(home, seal=False)
    with pytest.raises(Refused, match="does not seal"):
        book.submit(said("seal", target="speed/daily/2026-10-04"))


# --- seasons -------------------------------------------------------------------------------------

SEASONS = (
    {"name": "Spring-26", "start": "2026-03-01", "end": "2026-06-01"},
    {"name": "Sommer_26", "start": "2026-06-01", "end": "2026-09-01"},
    {"name": "winter", "start": "2026-12-01T12:00:00Z", "end": "2027-03-01"},
)


def seasons(home, **more):
    return home.open(board(windows=("all-time", "season"), seasons=SEASONS, **more))


def test_a_result_is_of_the_season_that_runs_and_of_none_between_them(home):
    book = seasons(home)
    for at, period in (
        ("2026-03-01T00:00:00Z", "Spring-26"),
        ("2026-05-31T23:59:59.999999Z", "Spring-26"),
        ("2026-06-01T00:00:00Z", "Sommer_26"),
        ("2026-09-01T00:00:00Z", None),
        ("2026-12-01T11:59:59Z", None),
        ("2026-12-01T12:00:00Z", "winter"),
    ):
        receipt = book.submit(result(f"p{at}", 5, at=at))
        named = [each.period for each in receipt.rankings if each.window == "season"]
        assert named == ([] if period is None else [period])
    counts = {each.period.id: each.entries for each in book.periods("speed", "season")}
    assert counts == {"winter": 1, "Sommer_26": 1, "Spring-26": 2}
    assert [each.period.id for each in book.periods("speed", "season")] == [
        "winter",
        "Sommer_26",
        "Spring-26",
    ]


def test_between_seasons_the_one_that_ended_last_is_shown_and_before_all_the_first(home):
    book = seasons(home)
    for now, shown in (
        ("2026-01-01T00:00:00Z", "Spring-26"),
        ("2026-10-01T00:00:00Z", "Sommer_26"),
        ("2026-12-01T12:00:00Z", "winter"),
        ("2030-01-01T00:00:00Z", "winter"),
    ):
        home.clock.set(now)
        assert book.ranking("speed", window="season").top().period.id == shown
    with pytest.raises(NotFound, match="winter"):
        book.ranking("speed", window="season", period="autumn")


def test_seasons_are_sealed_by_name(home):
    home.clock.set("2026-08-31T00:00:00Z")
    book = seasons(home, seal=True)
    heard = closings(book)
    book.submit(result("asha", 5))
    home.clock.set("2026-09-01T00:00:00Z")
    book.close_due()
    assert heard == [("season", "Sommer_26", when("2026-09-01T00:00:00Z"))]
    receipt = book.submit(result("bram", 5, at="2026-08-31T00:00:00Z"))
    assert whys(receipt) == {
        "all-time/all-time": "new",
        "season/Sommer_26": "period_closed",
    }


def test_the_longest_season_name_is_sealed_as_any_other(home):
    name = "Z" * 64
    home.clock.set("2026-08-31T00:00:00Z")
    named = ({"name": name, "start": "2026-06-01", "end": "2026-09-01"},)
    book = home.open(board(windows=("season",), seasons=named, seal=True))
    heard = closings(book)
    book.submit(result("asha", 5))
    home.clock.set("2026-09-01T00:00:00Z")
    book.close_due()
    assert [period for _window, period, _at in heard] == [name]


def test_seasons_that_overlap_end_before_they_start_or_share_a_name_are_refused(home):
    for wrong, field in (
        (
            [("a", "2026-01-01", "2026-03-01"), ("b", "2026-02-28", "2026-04-01")],
            "seasons[1].start",
        ),
        ([("a", "2026-03-01", "2026-01-01")], "seasons[0].end"),
        ([("a", "2026-01-01", "2026-01-01")], "seasons[0].end"),
        ([("a", "2026-01-01", "2026-02-01"), ("a", "2026-03-01", "2026-04-01")], "seasons[1].name"),
        ([("a", "2026-01-01T00:00:00", "2026-02-01")], "seasons[0].start"),
        ([("a", "soon", "2026-02-01")], "seasons[0].start"),
        ([], "seasons"),
    ):
        named = [dict(zip(("name", "start", "end"), each, strict=True)) for each in wrong]
        with pytest.raises(SpecError) as caught:
            board(windows=("season",), seasons=named)
        assert caught.value.field == field


def test_a_players_seasons_stand_side_by_side(home):
    book = seasons(home)
    book.submit(result("asha", 50, at="2026-04-01T00:00:00Z"))
    book.submit(result("bram", 70, at="2026-04-01T00:00:00Z"))
    book.submit(result("asha", 80, at="2026-07-01T00:00:00Z"))
    book.submit(result("bram", 10, at="2027-01-01T00:00:00Z"))
    found = book.player_periods("asha", "speed", "season")
    assert [(p.period.id, p.rank, p.score, p.count, p.percentile) for p in found] == [
        ("winter", None, None, 1, None),
        ("Sommer_26", 1, 80, 1, 100.0),
        ("Spring-26", 2, 50, 2, 0.0),
    ]
    assert [each.rank for each in book.player_periods("nobody", "speed", "season")] == [None] * 3


# --- how many periods are kept -------------------------------------------------------------------


def daily(book, *periods):
    return {period: players(day(book, period).top()) for period in periods}


def kept(home, number=2, **more):
    return home.open(board(windows=("all-time", "daily"), keep_periods=number, **more))


def test_old_periods_are_dropped_when_new_ones_are_reached(home):
    book = kept(home)
    for number in range(1, 6):
        book.submit(result(f"p{number}", 5, at=f"2026-11-0{number}T12:00:00Z"))
    days = [f"2026-11-0{number}" for number in range(1, 6)]
    assert daily(book, *days) == dict(zip(days, [[], [], [], ["p4"], ["p5"]], strict=True))
    assert [each.period.id for each in book.periods("speed", "daily")] == days[:2:-1]
    assert book.ranking("speed").count() == 5
    names = [name for name in content(home.store) if name.startswith("speed/daily")]
    assert len(names) == 2
    refolds_alike(book, home)


def test_a_late_result_of_a_period_that_is_kept_no_more_is_answered_expired(home):
    book = kept(home)
    book.submit(result("asha", 5, at="2026-11-10T12:00:00Z"))
    for at, why in (("2026-11-09", "new"), ("2026-11-08", "expired"), ("2020-01-01", "expired")):
        receipt = book.submit(result(f"p{at}", 5, id=at, at=f"{at}T12:00:00Z"))
        assert whys(receipt) == {"all-time/all-time": "new", f"daily/{at}": why}
    assert_agrees(book)
    refolds_alike(book, home)


def test_dropping_within_one_batch_gives_what_single_steps_give(home):
    events = [
        result(f"p{n % 3}", n, id=f"e{n}", at=f"2026-11-{day:02}T12:00:00Z")
        for n, day in enumerate([1, 2, 2, 9, 1, 8, 9, 3, 10, 9, 8, 11, 1])
    ]
    book = kept(home)
    receipts = book.submit_many(events)
    assert [whys(each)[f"daily/{e.at.date()}"] for each, e in zip(receipts, events, strict=True)][
        4:9
    ] == ["expired", "new", "better", "expired", "new"]
    gone = {line.period: line for line in receipts[4].rankings if line.window == "daily"}
    assert gone["2026-11-01"].score is None
    assert gone["2026-11-01"].previous_score is None
    assert daily(book, "2026-11-10", "2026-11-11") == {"2026-11-10": ["p2"], "2026-11-11": ["p2"]}
    refolds_alike(book, home)


def test_a_dropped_period_stays_dropped_when_a_player_is_folded_anew(home):
    book = kept(home, 1)
    book.submit(result("asha", 5, id="old", at="2026-11-01T12:00:00Z"))
    book.submit(result("bram", 5, at="2026-11-09T12:00:00Z"))
    for event in (ban("asha"), unban("asha"), correct("old", 7)):
        assert whys(book.submit(event))["daily/2026-11-01"] == "unchanged"
    assert daily(book, "2026-11-01", "2026-11-09") == {"2026-11-01": [], "2026-11-09": ["bram"]}
    refolds_alike(book, home)


@pytest.mark.parametrize("end", [ban, forget])
def test_what_was_dropped_because_of_a_player_stays_dropped_without_them(home, end):
    book = kept(home, 1)
    book.submit(result("asha", 5, at="2026-11-01T12:00:00Z"))
    book.submit(result("bram", 5, id="b", at="2026-11-09T12:00:00Z"))
    book.submit(void("b"))
    book.submit(end("bram"))
    book.submit(result("chidi", 5, at="2026-11-01T12:00:00Z"))
    assert daily(book, "2026-11-01", "2026-11-09") == {"2026-11-01": [], "2026-11-09": []}
    refolds_alike(book, home)


def test_periods_are_kept_by_window_where_the_board_says_so(home):
    book = home.open(board(windows=("daily", "monthly"), keep_periods={"daily": 1}))
    for at in ("2026-09-01", "2026-10-01", "2026-11-01"):
        book.submit(result("asha", 5, at=f"{at}T12:00:00Z"))
    assert [each.period.id for each in book.periods("speed", "daily")] == ["2026-11-01"]
    assert len(book.periods("speed", "monthly")) == 3


def test_periods_are_kept_while_they_are_sealed(home):
    book = ist(home, keep_periods=2)
    heard = closings(book)
    for number in range(4, 9):
        home.clock.set(f"2026-10-0{number}T12:00:00Z")
        book.submit(result("asha", number))
    assert [period for _w, period, _at in heard] == [f"2026-10-0{n}" for n in (4, 5, 6, 7)]
    assert [(e.period.id, e.period.sealed) for e in book.periods("speed", "daily")] == [
        ("2026-10-08", False),
        ("2026-10-07", True),
    ]
    refolds_alike(book, home)


def test_keeping_seasons_counts_seasons_and_not_the_time_between_them(home):
    book = home.open(board(windows=("season",), seasons=SEASONS, keep_periods=2))
    home.clock.set("2027-01-01T00:00:00Z")
    for at in ("2026-04-01", "2026-07-01", "2027-01-01"):
        book.submit(result("asha", 5, at=f"{at}T00:00:00Z"))
    shown = [each.period.id for each in book.periods("speed")]
    assert shown == ["winter", "Sommer_26"]
    [placement] = book.submit(result("bram", 5, at="2026-04-01T00:00:00Z")).rankings
    assert placement.why == "expired"


def test_a_period_that_nobody_is_in_any_more_is_not_listed(home):
    book = home.open(board(windows=("daily",)))
    book.submit(result("asha", 5, id="a", at="2026-11-01T12:00:00Z"))
    book.submit(result("bram", 5, id="b", at="2026-11-02T12:00:00Z"))
    book.submit(void("a"))
    assert [each.period.id for each in book.periods("speed")] == ["2026-11-02"]
    assert [each.period.id for each in book.player_periods("bram", "speed")] == ["2026-11-02"]


def test_every_reply_carries_its_period_and_whether_it_is_sealed(home):
    book = ist(home)
    book.submit_many([result("asha", 5), result("bram", 4)])
    for now, is_sealed in (("2026-10-04T12:00:00Z", False), (CLOSES, True)):
        home.clock.set(now)
        view = day(book, "2026-10-04")
        replies = [view.top(), view.page(1), view.around("asha"), view.among(["asha", "bram"])]
        assert [(r.period.id, r.period.sealed) for r in replies] == [
            ("2026-10-04", is_sealed)
        ] * len(replies)
        [mine] = book.player_periods("asha", "speed", "daily")
        assert (mine.period.id, mine.period.sealed) == ("2026-10-04", is_sealed)
        assert book.periods("speed", "daily")[0].period.sealed is is_sealed
        assert not book.ranking("speed").top().period.sealed


def test_a_book_opened_after_downtime_closes_by_itself(place):
    clock = Clock("2026-10-04T12:00:00Z")
    spec = BookSpec(name="book", boards=(board(**IST),))
    with Rankbook.open(place, spec=spec, clock=clock) as book:
        book.submit(result("asha", 5))
    clock.set("2026-10-07T03:00:00Z")
    for _time in range(2):
        with Rankbook.open(place, spec=spec, clock=clock) as book:
            [seal] = seals(None, book)
            assert (seal.at_us, book.pending()) == (Clock(CLOSES).us, 0)
            assert_agrees(book)
