"""A book in parts: each is folded on its own, and together they are the book."""

import sqlite3
from contextlib import closing

import msgspec
import pytest

from rankbook import StoreError
from tests.book.home import assert_agrees, board, players, result
from tests.book.parted import TWO, Part, part, spread_days
from tests.cases.saying import ban, content, forget, void, whys

# --- receipts as they fill -----------------------------------------------------------------------


def test_with_one_part_down_the_others_rank_and_the_receipt_names_it(boards):
    book = boards.open(*TWO)
    part(book, "high").down = True
    receipt = book.submit(result("asha", 20, id="a"))
    assert (receipt.status, receipt.pending_parts) == ("pending", ("high",))
    assert {each.board for each in receipt.rankings} == {"fast"}
    assert (whys(receipt), receipt.rankings[0].rank) == (
        {"all-time/all-time": "new", "daily/2026-11-30": "new"},
        1,
    )
    found = book.outcome("a")
    assert found.status == "recorded"
    assert (found.receipt.pending_parts, len(found.receipt.rankings)) == (("high",), 2)
    assert players(book.ranking("fast").top()) == ["asha"]


def test_when_the_part_is_back_the_same_event_gets_its_whole_receipt_once(boards):
    book = boards.open(*TWO)
    part(book, "high").down = True
    event = result("asha", 20, id="a")
    first = book.submit(event)
    part(book, "high").down = False
    receipt = book.submit(event)
    assert (receipt.status, receipt.pending_parts) == ("ranked", ())
    assert [each.board for each in receipt.rankings] == ["fast", "fast", "high", "high"]
    assert receipt.rankings[:2] == first.rankings
    assert book.submit(event) == book.outcome("a").receipt == receipt
    assert boards.open().submit(event) == receipt
    assert_agrees(book)


def test_a_result_that_has_no_ranking_in_the_part_that_is_down_is_ranked(boards):
    book = boards.open(*TWO)
    part(book, "high").down = True
    receipt = book.submit(result("asha", 5, id="a"))
    assert (receipt.status, receipt.pending_parts, len(receipt.rankings)) == ("ranked", (), 2)
    assert book.outcome("a").status == "ranked"


def test_with_every_part_down_the_receipt_is_pending_in_those_that_have_a_ranking(boards):
    book = boards.open(*TWO)
    for each in book.store.parts:
        each.down = True
    receipts = book.submit_many([result("asha", 20), result("bram", 5)])
    assert [each.status for each in receipts] == ["pending", "pending"]
    assert [each.pending_parts for each in receipts] == [("fast", "high"), ("fast",)]
    assert [each.rankings for each in receipts] == [(), ()]
    for each in book.store.parts:
        each.down = False
    book.fold()
    assert players(book.ranking("fast").top()) == ["asha", "bram"]


def test_what_is_no_result_is_pending_until_every_part_has_folded_it(boards):
    book = boards.open(*TWO)
    book.submit_many([result("asha", 20, id="a"), result("bram", 30, id="b")])
    part(book, "fast").down = True
    receipts = [book.submit(event) for event in (void("a", id="v"), ban("bram", id="x"))]
    assert [each.pending_parts for each in receipts] == [("fast",), ("fast",)]
    assert [each.board for each in receipts[0].rankings] == ["high", "high"]
    assert book.ranking("high").count() == 0
    part(book, "fast").down = False
    ranked = [book.outcome(id).receipt for id in ("v", "x")]
    assert [each.status for each in ranked] == ["pending", "pending"]
    book.fold()
    ranked = [book.outcome(id).receipt for id in ("v", "x")]
    assert [each.status for each in ranked] == ["ranked", "ranked"]
    assert [len(each.rankings) for each in ranked] == [4, 4]
    assert book.ranking("fast").count() == 0


def test_a_receipt_in_json_names_pending_parts_only_where_there_are_some(boards):
    book = boards.open(*TWO)
    ranked = book.submit(result("asha", 20))
    part(book, "high").down = True
    pending = book.submit(result("asha", 21))
    said = [msgspec.to_builtins(each) for each in (ranked, pending)]
    assert ["pending_parts" in each for each in said] == [False, True]
    assert all("rankings" in each for each in said)


def test_an_event_that_cannot_be_read_is_set_aside_in_every_part(parted):
    book = parted.open(*TWO)
    book.record(result("asha", 20, id="a"))
    with closing(sqlite3.connect(parted.path / "log.sqlite")) as connection, connection:
        connection.execute("UPDATE rankbook_event SET body = ? WHERE id = 'a'", (b"\xff",))
    book.fold()
    found = book.outcome("a")
    assert (found.status, found.receipt.pending_parts) == ("set_aside", ())
    assert found.reason
    assert (book.doctor().set_aside, book.verify().set_aside) == (1, 1)


# --- a process that is killed between parts ------------------------------------------------------


class Killed(BaseException):
    """As a kill, which nothing catches."""


class Mortal(Part):
    """Parts of which the process dies when it publishes the second one."""

    published = 0

    def publish(self, *words, **more):
        Mortal.published += 1
        if Mortal.published == 2:
            raise Killed
        super().publish(*words, **more)


def test_a_process_killed_between_two_parts_leaves_each_of_them_whole(parted):
    book = parted.open(board("fast", keep="total", windows=("all-time", "daily")), TWO[1])
    book.submit(result("asha", 20, id="a"))
    dying = parted.open(wrap=Mortal)
    Mortal.published = 0
    event = result("asha", 30, id="b")
    with pytest.raises(Killed):
        dying.submit(event)
    positions = [each.position() for each in parted.store.parts]
    assert sorted(set(positions)) == [1, 2]
    assert parted.store.position() == 1
    book = parted.open()
    assert (book.pending(), book.lag().events) == (1, 1)
    book.fold()
    assert book.ranking("fast").entry("asha").score == 50
    assert book.submit(event).status == "ranked"
    assert book.ranking("fast").entry("asha").score == 50
    assert_agrees(book)


def test_the_part_that_was_published_keeps_its_receipt_as_it_was(boards):
    book = boards.open(*TWO)
    dying = boards.open(wrap=Mortal)
    Mortal.published = 0
    with pytest.raises(Killed):
        dying.submit(result("asha", 20, id="a"))
    [before] = part(book, "fast").receipts([1])
    book.submit(result("asha", 25, id="b"))
    assert part(book, "fast").receipts([1]) == [before]
    assert [each.previous_score for each in book.outcome("b").receipt.rankings] == [20] * 4


# --- folding, following, closing and forgetting --------------------------------------------------


def test_a_fold_goes_on_with_the_other_parts_and_then_says_what_failed(boards):
    book = boards.open(*TWO)
    book.record([result("asha", 20), result("bram", 30)])
    part(book, "fast").down = True
    told = []
    with pytest.raises(StoreError):
        book.fold(progress=told.append)
    assert players(book.ranking("high").top()) == ["bram", "asha"]
    with pytest.raises(StoreError):
        book.ranking("fast").top()
    part(book, "fast").down = False
    assert (book.store.position(), book.pending()) == (0, 2)
    book.fold(progress=told.append)
    assert (book.store.position(), book.pending()) == (2, 0)
    assert sum(told) == 4


def test_progress_counts_each_event_once_however_many_parts_fold_it(parted):
    book = parted.open(*TWO)
    book.record([result(f"p{n}", n, id=f"e{n}") for n in range(2500)])
    told = []
    book.fold(progress=told.append)
    assert sum(told) == 2500


def test_a_book_opens_while_a_part_is_down_and_not_while_all_are(boards):
    book = boards.open(*TWO)
    book.submit(result("asha", 20))

    class HalfDown(Part):
        def part(self, name):
            made = super().part(name)
            made.down = name in self.wanted
            return made

    HalfDown.wanted = ("high",)
    assert boards.open(wrap=HalfDown).ranking("fast").count() == 1
    HalfDown.wanted = ("high", "fast")
    with pytest.raises(StoreError):
        boards.open(wrap=HalfDown)


def test_a_forgotten_player_is_erased_from_the_log_when_all_parts_have_folded_it(boards):
    book = boards.open(*TWO)
    book.submit_many([result("asha", 20, id="a"), result("bram", 20, id="b")])
    part(book, "fast").down = True
    receipt = book.submit(forget("asha", id="f"))
    assert (receipt.status, receipt.pending_parts) == ("pending", ("fast",))
    assert [each.player for each in book.log.find(["a", "f"])] == ["asha", "asha"]
    book.submit(result("bram", 25))
    assert [each.player for each in book.log.find(["a", "f"])] == ["asha", "asha"]
    part(book, "fast").down = False
    book.submit(result("bram", 26))
    assert [each.player for each in book.log.find(["a", "f"])] == ["", ""]
    assert [book.ranking(name).entry("asha") for name in ("fast", "high")] == [None, None]
    assert "asha" not in str(content(boards.store, hints=True))


def test_what_follows_a_forget_in_its_batch_says_nothing_of_the_player_before(parted):
    book = parted.open(*TWO)
    book.submit(result("asha", 20, id="a"))
    receipts = book.submit_many([forget("asha", id="f"), ban("asha", id="x")])
    assert [len(each.rankings) for each in receipts] == [4, 0]
    assert [each.why for each in receipts[0].rankings] == ["removed"] * 4


def test_every_part_that_is_closed_is_told_of_once_in_order(periods):
    book = periods.open(board("fast", windows=("daily",), seal=True, grace_seconds=5))
    periods.clock.set("2026-11-01T00:00:00Z")
    views = spread_days(book)
    assert len({book.store.partition.of(view.ranking.name) for view in views}) == 3
    heard = []
    book.on_close(lambda closing: heard.append(closing.period.id))
    periods.clock.set("2026-12-01T00:00:00Z")
    book.close_due()
    assert heard == [view.ranking.period for view in views]
    assert [each.kind for each in book.log.read(0, 100)].count("seal") == 12


def test_a_period_that_is_past_the_horizon_goes_whichever_part_has_it(periods):
    book = periods.open(board("fast", windows=("daily",), keep_periods=2))
    periods.clock.set("2026-11-12T23:00:00Z")
    views = spread_days(book)
    assert [view.count() for view in views] == [0] * 10 + [1] * 2
    assert [each.period.id for each in book.periods("fast")] == ["2026-11-12", "2026-11-11"]


def test_a_cooldown_holds_over_parts(periods):
    book = periods.open(board("fast", windows=("daily",), cooldown_seconds=7200))
    of = book.store.partition.of
    day = next(
        n
        for n in range(1, 9)
        if of(f"fast/daily/2026-11-0{n}") != of(f"fast/daily/2026-11-0{n + 1}")
    )
    events = [
        result("asha", 5, at=f"2026-11-0{day}T23:30:00Z"),
        result("asha", 6, at=f"2026-11-0{day + 1}T00:30:00Z"),
        result("asha", 7, at=f"2026-11-0{day + 1}T02:00:00Z"),
    ]
    found = [book.submit(event).rankings[0].why for event in events]
    assert found == ["new", "cooldown", "new"]
