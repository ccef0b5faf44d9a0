"""Which result counts: keep rules, limits, where, exact numbers, cooldown, repeats and reorders."""

from decimal import Decimal

import msgspec
import pytest

from rankbook import EventConflict, Refused
from rankbook.errors import StoreError
from tests.book.home import Wrapped, assert_agrees, board, listed, players, result
from tests.cases.saying import (
    agreed,
    ban,
    content,
    correct,
    forget,
    moves,
    refolds_alike,
    unban,
    void,
    whys,
)
from tests.cases.saying import said as event

SECOND = {
    "measures": {"score": "score", "accuracy": {"value": "accuracy", "type": "decimal(1)"}},
    "order_by": ("score desc", "accuracy desc"),
}


def kept(book, player="asha"):
    entry = book.ranking("speed").entry(player)
    return entry.score, entry.event_id


def run(player, score, accuracy, id, **more):
    return result(player, score, accuracy=accuracy, id=id, **more)


# --- best, with a second measure -----------------------------------------------------------------


def test_the_best_is_one_whole_run_and_never_a_mixture_of_columns(home):
    book = home.open(board(**SECOND))
    for score, accuracy, id, stands in (
        (90, 97.0, "run-1", (90, Decimal("97.0"), "run-1")),
        (89, 99.5, "run-2", (90, Decimal("97.0"), "run-1")),
        (90, 98.0, "run-3", (90, Decimal("98.0"), "run-3")),
        (90, 98.0, "run-4", (90, Decimal("98.0"), "run-3")),
    ):
        book.submit(run("asha", score, accuracy, id))
        entry = book.ranking("speed").entry("asha")
        assert (entry.score, entry.measures["accuracy"], entry.event_id) == stands


def test_where_low_is_better_a_slower_time_does_not_replace(home):
    timed = {"measures": {"time": {"value": "score", "type": "decimal(2)"}}}
    book = home.open(board(**timed, order_by=("time asc",)))
    book.submit(result("asha", 61.20, id="a"))
    [placement] = book.submit(result("asha", 61.25, id="b")).rankings
    assert (placement.why, placement.score) == ("not-better", Decimal("61.20"))
    assert kept(book) == (Decimal("61.20"), "a")


def test_another_avatar_leaves_score_time_and_rank_alone(home):
    book = home.open(board(profiles="player", **SECOND))
    book.submit(run("asha", 90, 97.0, "a", profile={"name": "Asha", "avatar": "owl"}))
    book.submit(run("bram", 90, 97.0, "b"))
    before = book.ranking("speed").entry("asha")
    book.submit(event("profile", "asha", profile={"name": "Asha", "avatar": "fox"}))
    after = book.ranking("speed").entry("asha")
    assert after.profile == {"name": "Asha", "avatar": "fox"}
    assert (after.rank, after.score, after.reached_at, after.event_id) == (
        before.rank,
        before.score,
        before.reached_at,
        before.event_id,
    )


def test_a_submission_without_the_value_it_needs_is_refused_and_nothing_is_written(home):
    book = home.open(board(**SECOND))
    with pytest.raises(Refused) as caught:
        book.submit_many([run("bram", 1, 1.0, "b"), result("asha", 90)])
    assert caught.value.field == "accuracy"
    assert (book.log.head(), home.store.position()) == (0, 0)


def test_an_ordinary_seventy_is_no_improvement_and_a_correction_to_seventy_is(home):
    book = home.open(board())
    book.submit_many([result("asha", 90, id="a"), result("bram", 80, id="b")])
    assert moves(book.submit(result("asha", 70, id="ordinary"))) == {
        "all-time/all-time": ("not-better", 1, 1)
    }
    receipt = book.submit(correct("a", 70, id="c"))
    [placement] = receipt.rankings
    assert (placement.why, placement.previous_score, placement.score) == ("replaced", 90, 70)
    assert (placement.previous_rank, placement.rank) == (1, 2)
    [logged] = book.log.find(["c"])
    assert (logged.kind, logged.player) == ("correct", "asha")
    assert book.ranking("speed").entry("asha").score == 70
    assert agreed(book.ranking("speed"))[0].player == "bram"
    refolds_alike(book, home)


def test_a_correction_below_the_next_best_falls_back_to_it(home):
    book = home.open(board())
    book.submit_many([result("asha", score, id=f"e{score}") for score in (80, 90, 60)])
    book.submit(correct("e90", 70))
    assert kept(book) == (80, "e80")


def test_a_voided_best_falls_back_to_the_next_best_and_to_nothing(home):
    book = home.open(board(windows=("all-time", "daily")))
    book.submit_many([result("asha", score, id=f"e{score}") for score in (80, 90, 60)])
    for voided, stands in (("e90", (80, "e80")), ("e80", (60, "e60"))):
        receipt = book.submit(void(voided))
        assert set(whys(receipt).values()) == {"replaced"}
        assert kept(book) == stands
    assert set(whys(book.submit(void("e60"))).values()) == {"removed"}
    assert book.ranking("speed").entry("asha") is None
    assert book.ranking("speed").count() == 0


# --- exact numbers -------------------------------------------------------------------------------


def test_integers_past_what_a_double_holds_stand_and_read_back_exactly(home):
    book = home.open(board())
    book.submit(result("asha", 9007199254740992))
    book.submit(result("bram", 9007199254740993))
    view = book.ranking("speed")
    assert [(e.player, e.score) for e in agreed(view)] == [
        ("bram", 9007199254740993),
        ("asha", 9007199254740992),
    ]


def test_one_more_than_a_total_of_two_to_the_53_is_one_more(home):
    book = home.open(board(keep="total"))
    book.submit(result("asha", 9007199254740992))
    [placement] = book.submit(result("asha", 1)).rankings
    assert (placement.previous_score, placement.score) == (9007199254740992, 9007199254740993)
    assert book.ranking("speed").entry("asha").score == 9007199254740993


@pytest.mark.parametrize(
    "number", [float("nan"), float("inf"), -float("inf"), 1e309, 1 << 63, -(1 << 63) - 1, True]
)
def test_what_no_number_type_holds_is_refused_also_beside_a_void(home, number):
    book = home.open(board())
    book.submit(result("asha", 1, id="a"))
    for batch in ([result("bram", number)], [result("bram", number), void("a")]):
        with pytest.raises(Refused):
            book.submit_many(batch)
    with pytest.raises(Refused):
        book.submit(correct("a", number))
    assert book.log.head() == 1
    assert kept(book) == (1, "a")


def test_a_total_that_would_leave_64_bits_does_not_count_and_says_so(home):
    book = home.open(board(keep="total"))
    top = (1 << 63) - 1
    book.submit(result("asha", top, id="a"))
    assert whys(book.submit(result("asha", 1, id="b"))) == {"all-time/all-time": "overflow"}
    book.submit(void("a"))
    assert book.ranking("speed").entry("asha").score == 1
    refolds_alike(book, home)


# --- repeat, reorder, partial failure ------------------------------------------------------------


def test_a_total_counts_every_event_once_however_it_is_delivered(home):
    book = home.open(board(keep="total"))
    events = {n: result("asha", s, id=f"e{n}") for n, s in ((1, 10), (2, 5), (3, -3))}
    for number in (3, 1, 1, 2, 3):
        book.submit(events[number])
    assert book.ranking("speed").entry("asha").score == 12
    assert book.log.head() == 3
    with pytest.raises(EventConflict):
        book.submit(result("asha", 11, id="e1"))
    assert book.ranking("speed").entry("asha").score == 12


def test_the_latest_is_by_sequence_and_a_late_older_one_stays_out(home):
    book = home.open(board(keep="latest"))
    for sequence, score in ((7, 40), (6, 90)):
        book.submit(
            msgspec.structs.replace(result("asha", score, id=f"s{sequence}"), sequence=sequence)
        )
    assert kept(book) == (40, "s7")
    assert whys(book.submit(void("s7"))) == {"all-time/all-time": "replaced"}
    assert kept(book) == (90, "s6")


def test_the_latest_by_time_and_the_first_are_by_the_time_of_the_event(home):
    book = home.open(
        board("latest", keep="latest", latest_by="at"),
        board("first", keep="first"),
    )
    for hour, score in ((10, 1), (12, 2), (9, 3), (11, 4)):
        book.submit(result("asha", score, id=f"h{hour}", at=f"2026-11-30T{hour:02}:00:00Z"))
    assert book.ranking("latest").entry("asha").event_id == "h12"
    assert book.ranking("first").entry("asha").event_id == "h9"
    book.submit_many([void("h9"), void("h12")])
    assert book.ranking("latest").entry("asha").event_id == "h11"
    assert book.ranking("first").entry("asha").event_id == "h10"


def test_a_retry_of_any_kind_of_event_gives_its_first_receipt(home):
    book = home.open(board(windows=("all-time", "daily")))
    events = [
        result("asha", 50, id="a"),
        result("bram", 40, id="b"),
        correct("a", 30, id="c"),
        void("b", id="v"),
        ban("asha", id="ban"),
        unban("asha", id="unban"),
        event("profile", "asha", id="p", profile={"name": "A"}),
        forget("bram", id="f"),
    ]
    receipts = [book.submit(each) for each in events]
    head = book.log.head()
    home.clock.set("2026-12-25T00:00:00Z")
    for each, receipt in zip(events, receipts, strict=True):
        if each.kind == "forget":
            assert book.submit(each).rankings == receipt.rankings
        elif each.id not in ("b", "v"):  # of the forgotten player nothing is left to compare
            assert book.submit(each) == receipt
    assert book.log.head() == head


class Failing(Wrapped):
    """Fails one publish after having been told to."""

    failing = False

    def publish(self, *arguments, **more):
        if self.failing:
            raise StoreError("the disk is full")
        super().publish(*arguments, **more)


def test_a_store_that_fails_leaves_all_four_rankings_and_the_next_fold_applies_once(home):
    book = home.open(
        board(splits=((), ("mode",)), windows=("all-time", "daily"), keep="total"), wrap=Failing
    )
    book.submit(result("asha", 10, id="a", mode="x"))
    for change in (result("asha", 5, id="b", mode="x"), void("a", id="v"), ban("asha", id="ban")):
        before = content(home.store)
        book.store.failing = True
        receipt = book.submit(change)
        assert (receipt.status, receipt.rankings) == ("pending", ())
        assert content(home.store) == before
        book.store.failing = False
        retried = book.submit(change)
        assert retried.status == "ranked"
        assert len(retried.rankings) == 4
        assert book.submit(change) == retried
    book.submit(unban("asha"))
    assert book.ranking("speed").entry("asha").score == 5
    refolds_alike(book, home)


# --- best of n, limits, where --------------------------------------------------------------------


def test_a_total_of_the_two_best_takes_the_two_best_in_any_order(home):
    book = home.open(board(keep="total", best_of=2))
    seen = []
    for number, score in enumerate((10, 30, 5, 20)):
        [line] = book.submit(result("asha", score, id=f"e{number}")).rankings
        seen.append((line.why, line.score))
    assert seen == [("new", 10), ("added", 40), ("not-better", 40), ("added", 50)]
    book.submit(void("e1"))
    assert book.ranking("speed").entry("asha").score == 30
    book.submit(void("e0"))
    assert book.ranking("speed").entry("asha").score == 25
    refolds_alike(book, home)


@pytest.mark.parametrize("score", [-1, 101])
def test_a_score_outside_the_limits_is_refused_with_a_reason_and_nothing_is_written(home, score):
    book = home.open(board(min=0, max=100))
    book.submit(result("asha", 100, id="a"))
    book.submit(result("asha", 0, id="zero"))
    for wrong in (result("bram", score), correct("a", score)):
        with pytest.raises(
            Refused, match="less than 0" if score < 0 else "more than 100"
        ) as caught:
            book.submit_many([result("chidi", 5), wrong])
        assert caught.value.field == "score"
    assert book.log.head() == 2
    assert players(book.ranking("speed").top()) == ["asha"]


def test_a_board_counts_only_where_it_says(home):
    book = home.open(
        board("easy", where='mode == "easy"'), board("long", where='mode == "hard" and score > 5')
    )
    assert [r.board for r in book.submit(result("asha", 9, mode="easy")).rankings] == ["easy"]
    assert [r.board for r in book.submit(result("bram", 9, id="b", mode="hard")).rankings] == [
        "long"
    ]
    for wrong in (result("chidi", 5, mode="hard"), result("chidi", 5, mode="other")):
        with pytest.raises(Refused, match="no board"):
            book.submit(wrong)
    receipt = book.submit(correct("b", 9, mode="easy"))
    assert {r.board: r.why for r in receipt.rankings} == {"easy": "restored", "long": "removed"}
    assert listed(book.ranking("easy").top()) == [(1, "asha"), (1, "bram")]
    assert book.ranking("long").count() == 0
    refolds_alike(book, home)


# --- cooldown ------------------------------------------------------------------------------------

COOL = {"cooldown_seconds": 10, "windows": ("all-time", "daily")}


def at(second, player="asha", score=1, id=""):
    return result(
        player, score, id=id or f"{player}-{second}", at=f"2026-11-30T12:00:{second:06.3f}Z"
    )


def test_a_result_within_the_cooldown_is_recorded_and_not_ranked_and_its_receipt_says_so(home):
    book = home.open(board(**COOL))
    answers = []
    for number, second in enumerate((0, 9.999, 10, 19.999, 20)):
        answers.append(set(whys(book.submit(at(second, score=number))).values()))
    assert answers == [{"new"}, {"cooldown"}, {"better"}, {"cooldown"}, {"better"}]
    assert book.log.head() == 5
    assert kept(book) == (4, "asha-20")
    assert_agrees(book)
    refolds_alike(book, home)


def test_a_cooldown_is_of_one_player_on_one_board(home):
    book = home.open(board(cooldown_seconds=10), board("free"))
    book.submit_many([at(0), at(1, "bram"), at(2, score=7)])
    assert book.ranking("speed").entry("asha").score == 1
    assert book.ranking("speed").rank("bram") == 1
    assert book.ranking("free").entry("asha").score == 7


def test_a_first_result_within_the_cooldown_has_no_rank_in_another_ranking(home):
    book = home.open(board(cooldown_seconds=10, splits=((), ("mode",))))
    book.submit(result("asha", 1, mode="x"))
    receipt = book.submit(result("asha", 2, mode="y"))
    assert moves(receipt) == {
        "all-time/all-time": ("cooldown", 1, 1),
        "all-time/all-time/mode=y": ("cooldown", None, None),
    }


def test_folding_anew_keeps_out_what_the_cooldown_kept_out(home):
    book = home.open(board(cooldown_seconds=10))
    book.submit_many([at(0, score=1), at(5, score=9), at(11, score=2), at(12, score=8)])
    for change in (void("asha-0"), correct("asha-11", 3), ban("asha"), unban("asha")):
        book.submit(change)
    assert kept(book) == (3, "asha-11")
    book.submit(correct("asha-5", 50))
    assert kept(book) == (3, "asha-11")
    refolds_alike(book, home)


def test_what_comes_during_a_ban_starts_no_cooldown(home):
    book = home.open(board(cooldown_seconds=10))
    book.submit(at(0))
    book.submit(ban("asha"))
    assert whys(book.submit(at(11, score=5))) == {"all-time/all-time": "banned"}
    book.submit(unban("asha"))
    assert whys(book.submit(at(12, score=3))) == {"all-time/all-time": "better"}
    assert whys(book.submit(at(13, score=4))) == {"all-time/all-time": "cooldown"}
    assert kept(book) == (3, "asha-12")
    refolds_alike(book, home)


def test_a_ban_within_a_cooldown_does_not_end_it(home):
    book = home.open(board(cooldown_seconds=10))
    book.submit_many([at(0), ban("asha"), unban("asha")])
    assert whys(book.submit(at(5, score=3))) == {"all-time/all-time": "cooldown"}
    refolds_alike(book, home)


def test_a_forgotten_player_begins_without_a_cooldown(home):
    book = home.open(board(cooldown_seconds=10))
    book.submit_many([at(0), forget("asha")])
    assert whys(book.submit(at(5, score=3))) == {"all-time/all-time": "new"}
    refolds_alike(book, home)


def test_without_a_cooldown_no_better_score_is_ever_lost(home):
    book = home.open(board())
    book.submit_many([at(second / 1000, score=second) for second in range(200)])
    assert book.ranking("speed").entry("asha").score == 199
