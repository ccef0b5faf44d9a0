"""A jury that changes its mind: voids that are undone, and corrections to and fro."""

import itertools

import pytest

from rankbook import Event, EventConflict, Refused
from tests.book.home import assert_agrees, board, players, result
from tests.cases.saying import (
    ban,
    content,
    correct,
    forget,
    moves,
    refolds_alike,
    unban,
    unvoid,
    void,
    whys,
)

SHAPE = {"splits": ((), ("mode",)), "windows": ("all-time", "daily")}
VALID = {"where": "valid == 1"}


def two(home, **more):
    """asha has 50 and, better, 90; bram has 70."""
    book = home.open(board(**{**SHAPE, **more}))
    book.submit(result("asha", 50, id="a1", at="2026-11-30T10:00:00Z", mode="x"))
    book.submit(result("asha", 90, id="a2", at="2026-11-30T11:00:00Z", mode="y"))
    book.submit(result("bram", 70, id="b1", at="2026-11-30T12:00:00Z", mode="x"))
    return book


def scores(book):
    return [(entry.player, entry.score) for entry in book.ranking("speed").top().entries]


def test_an_unvoid_brings_back_what_the_void_took_in_every_ranking(home):
    book = two(home)
    before = content(home.store)
    assert set(whys(book.submit(void("a2"))).values()) == {"replaced", "removed", "unchanged"}
    assert scores(book) == [("bram", 70), ("asha", 50)]
    receipt = book.submit(unvoid("a2"))
    assert (receipt.player, receipt.status) == ("asha", "ranked")
    assert moves(receipt)["all-time/all-time"] == ("replaced", 2, 1)
    assert moves(receipt)["all-time/all-time/mode=y"] == ("restored", None, 1)
    assert moves(receipt)["all-time/all-time/mode=x"] == ("unchanged", 2, 2)
    assert content(home.store) == before
    refolds_alike(book, home)


def test_the_last_word_counts_however_often_the_jury_changes_its_mind(home):
    book = two(home)
    whole, voided = [("asha", 90), ("bram", 70)], [("bram", 70), ("asha", 50)]
    for turn in range(3):
        book.submit(void("a2", id=f"void-{turn}"))
        assert scores(book) == voided
        book.submit(unvoid("a2", id=f"unvoid-{turn}"))
        assert scores(book) == whole
    book.submit_many([void("a2"), unvoid("a2"), void("a2")])
    assert scores(book) == voided
    refolds_alike(book, home)


def test_an_unvoid_of_what_is_not_void_changes_nothing(home):
    book = two(home)
    assert set(whys(book.submit(unvoid("a2"))).values()) == {"unchanged"}
    book.submit(void("a2"))
    assert scores(book) == [("bram", 70), ("asha", 50)]


def test_an_unvoid_is_of_a_recorded_result_of_that_player(home):
    book = two(home)
    book.submit(void("a2", id="v"))
    head = book.log.head()
    for target in ("nothing", "v", ""):
        with pytest.raises(Refused) as caught:
            book.submit(unvoid(target))
        assert caught.value.field == "target"
    with pytest.raises(Refused) as caught:
        book.submit(Event(kind="unvoid", player="bram", target="a2"))
    assert caught.value.field == "player"
    assert book.log.head() == head


def test_a_retry_of_an_unvoid_is_known_and_other_content_is_a_conflict(home):
    book = two(home)
    book.submit(void("a2"))
    first = book.submit(unvoid("a2", id="u"))
    assert book.submit(unvoid("a2", id="u")) == first
    assert book.outcome(unvoid("a2", id="u")).receipt == first
    for other in (unvoid("a1", id="u"), void("a2", id="u")):
        with pytest.raises(EventConflict):
            book.submit(other)


def test_a_correction_of_a_voided_result_counts_when_the_void_is_undone(home):
    book = two(home)
    book.submit(void("a2"))
    book.submit(correct("a2", 60, mode="y"))
    assert scores(book) == [("bram", 70), ("asha", 50)]
    book.submit(unvoid("a2"))
    assert scores(book) == [("bram", 70), ("asha", 60)]
    refolds_alike(book, home)


def test_a_sum_is_exact_after_any_void_and_unvoid(home):
    book = two(home, keep="total")
    assert scores(book) == [("asha", 140), ("bram", 70)]
    for taken, left in (("a1", 90), ("a2", 50)):
        book.submit(void(taken))
        assert dict(scores(book))["asha"] == left
        book.submit(unvoid(taken))
        assert dict(scores(book))["asha"] == 140
    refolds_alike(book, home)


def test_an_unvoid_does_not_lift_a_ban_nor_let_a_result_of_a_ban_count(home):
    book = two(home)
    book.submit(ban("asha"))
    book.submit(result("asha", 99, id="during", mode="x"))
    for target in ("a2", "during"):
        book.submit_many([void(target), unvoid(target)])
    assert scores(book) == [("bram", 70)]
    book.submit(unban("asha"))
    assert scores(book) == [("asha", 90), ("bram", 70)]


def test_a_forgotten_result_cannot_be_brought_back(home):
    book = two(home)
    book.submit_many([void("a2"), forget("asha")])
    with pytest.raises(Refused, match="no recorded result"):
        book.submit(unvoid("a2"))
    assert scores(book) == [("bram", 70)]


def test_a_result_comes_back_into_a_closed_period_in_time_and_one_too_late_does_not(home):
    book = home.open(board(windows=("daily",), seal=True))
    book.submit(result("asha", 50, id="a1", at="2026-11-30T10:00:00Z"))
    home.clock.set("2026-12-01T12:00:00Z")
    book.close_due()
    book.submit(result("asha", 90, id="late", at="2026-11-30T11:00:00Z"))
    day = book.ranking("speed", period="2026-11-30")
    for target in ("a1", "late"):
        book.submit(void(target))
        book.submit(unvoid(target))
        assert [(each.player, each.score) for each in day.top().entries] == [("asha", 50)]
    refolds_alike(book, home)


def test_a_cooldown_that_a_voided_result_started_stays_as_it_was(home):
    book = home.open(board(cooldown_seconds=3600))
    book.submit(result("asha", 50, id="a1", at="2026-11-30T10:00:00Z"))
    book.submit(result("asha", 90, id="soon", at="2026-11-30T10:30:00Z"))
    for event in (void("a1"), unvoid("a1"), void("soon"), unvoid("soon")):
        book.submit(event)
        assert "soon" not in [entry.event_id for entry in book.ranking("speed").top().entries]
    assert scores(book) == [("asha", 50)]
    refolds_alike(book, home)


# --- corrections to and fro ----------------------------------------------------------------------


def test_a_result_may_be_corrected_so_that_no_board_counts_it_and_back(home):
    book = home.open(board(**SHAPE, **VALID))
    book.submit(result("asha", 50, id="a", mode="x", valid=1))
    before = content(home.store)
    for turn in range(3):
        receipt = book.submit(correct("a", 50, id=f"out-{turn}", mode="x", valid=0))
        assert set(whys(receipt).values()) == {"removed"}
        assert players(book.ranking("speed").top()) == []
        receipt = book.submit(correct("a", 50, id=f"back-{turn}", mode="x", valid=1))
        assert set(whys(receipt).values()) == {"restored"}
        assert content(home.store) == before
    refolds_alike(book, home)


def test_a_correction_that_a_board_counts_and_cannot_rank_is_still_refused(home):
    book = home.open(board(**SHAPE, **VALID))
    book.submit(result("asha", 50, id="a", mode="x", valid=1))
    for wrong in ({"valid": 1}, {"valid": "yes", "mode": "x"}):
        with pytest.raises(Refused):
            book.submit(correct("a", 50, **wrong))
    assert book.log.head() == 1


def test_a_result_that_no_board_counts_is_still_refused_when_it_is_submitted(home):
    book = home.open(board(**SHAPE, **VALID))
    with pytest.raises(Refused, match="no board"):
        book.submit(result("asha", 50, mode="x", valid=0))


STEPS = {
    "void": lambda: void("a"),
    "unvoid": lambda: unvoid("a"),
    "out": lambda: correct("a", 80, mode="x", valid=0),
    "low": lambda: correct("a", 10, mode="y", valid=1),
    "high": lambda: correct("a", 80, mode="x", valid=1),
}


@pytest.mark.parametrize("order", list(itertools.permutations(STEPS, 4)), ids="-".join)
def test_the_last_void_or_unvoid_and_the_last_correction_decide(home, order):
    book = home.open(board(**SHAPE, **VALID))
    book.submit(result("asha", 50, id="a", mode="x", valid=1))
    voided, score = False, 50
    for name in order:
        book.submit(STEPS[name]())
        if name in ("void", "unvoid"):
            voided = name == "void"
        else:
            score = {"out": None, "low": 10, "high": 80}[name]
        wanted = [] if voided or score is None else [("asha", score)]
        assert scores(book) == wanted
    assert_agrees(book)
