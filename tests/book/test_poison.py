"""Events whose bodies can no longer be read: set aside with a reason, visible, in nobody's way."""

import sqlite3

import pytest

from rankbook import LogError, SetAside
from rankbook.book import events
from rankbook.log.sqlite.schema import add_functions
from tests.book.home import Wrapped, assert_agrees, board, listed, result
from tests.cases.saying import ban, correct, forget, refolds_alike, renamed, unban, void

NO_JSON = "its body is no JSON"
NO_EVENT = "its body is not that of an event"
CHECKSUM = """checksum = rankbook_checksum(
    CAST(id AS BLOB), CAST(kind AS BLOB), CAST(player AS BLOB), at_us, received_us, body)"""


@pytest.fixture
def spoil(home):
    """Give events bodies that nothing can read, as logs have that were damaged before events had
    checksums."""

    def spoil(*ids, body=b"\x00"):
        with sqlite3.connect(home.path / "log.sqlite") as connection:
            add_functions(connection)
            for id in ids:
                connection.execute("UPDATE rankbook_event SET body = ? WHERE id = ?", (body, id))
                connection.execute(f"UPDATE rankbook_event SET {CHECKSUM} WHERE id = ?", (id,))
        connection.close()

    return spoil


def aside(book):
    return [(each.event_id, each.reason) for each in book.doctor().unreadable]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", NO_JSON),
        (b"\xff\xfe", NO_JSON),
        (b'{"values":', NO_JSON),
        (b"[]", NO_EVENT),
        (b'{"values":{"score":[]}}', NO_EVENT),
        (b'{"profile":{"name":1}}', NO_EVENT),
        (b'{"sequence":99999999999999999999}', NO_EVENT),
        (b'{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}", NO_JSON),
    ],
)
def test_a_body_that_cannot_be_read_is_set_aside_and_the_others_are_ranked(
    home, spoil, body, reason
):
    book = home.open(board())
    book.record([result("asha", 9, id="a"), result("bram", 8, id="b"), result("chidi", 7, id="c")])
    spoil("b", body=body)
    book.fold()
    assert book.pending() == 0
    assert listed(book.ranking("speed").top()) == [(1, "asha"), (2, "chidi")]
    examined = book.doctor()
    assert examined.set_aside == 1
    assert examined.unreadable == (SetAside(seq=2, event_id="b", reason=reason),)
    assert assert_agrees(book).set_aside == 1


def test_an_event_set_aside_has_an_outcome_that_says_so(home, spoil):
    book = home.open(board())
    book.record([result("asha", 9, id="a"), result("bram", 8, id="b")])
    spoil("a")
    book.fold()
    found = book.outcome("a")
    assert (found.status, found.reason) == ("set_aside", NO_JSON)
    assert (found.receipt.status, found.receipt.rankings) == ("set_aside", ())
    assert book.outcome("b").status == "ranked"


def test_an_event_alone_in_the_log_blocks_no_submission_after_it(home, spoil):
    book = home.open(board())
    book.record([result("asha", 9, id="a")])
    spoil("a")
    receipt = book.submit(result("bram", 5, id="b"))
    assert (receipt.status, receipt.rankings[0].rank) == ("ranked", 1)


@pytest.mark.parametrize(
    "other",
    [
        void("a", id="x"),
        correct("a", 1, id="x"),
        renamed("asha", "Asha", id="x"),
    ],
)
def test_an_unreadable_change_changes_nothing(home, spoil, other):
    book = home.open(board(profiles="player"))
    book.submit(result("asha", 9, id="a"))
    book.record([other])
    spoil("x")
    book.fold()
    assert aside(book) == [("x", NO_JSON)]
    assert book.ranking("speed").entry("asha").score == 9
    assert book.submit(result("bram", 8)).status == "ranked"
    refolds_alike(book, home)


@pytest.mark.parametrize("folded_by", ["fold", "submit"])
def test_an_unreadable_seal_of_a_boundary_seals_by_its_id_and_stops_nobody(home, spoil, folded_by):
    book = home.open(board(windows=("daily",), seal=True))
    heard = []
    book.on_close(heard.append)
    book.submit(result("asha", 9, id="a"))
    home.clock.set("2026-12-01T12:00:00Z")
    assert book._record_due_seals(home.clock())
    spoil("seal:speed/daily/2026-11-30")
    if folded_by == "fold":
        book.fold()
    assert book.submit(result("bram", 8)).status == "ranked"
    assert (heard, book.log.head()) == ([], 3)
    assert [id for id, _ in aside(book)] == ["seal:speed/daily/2026-11-30"]
    assert book.ranking("speed", period="2026-11-30").top().period.sealed
    late = book.submit(result("asha", 99, at="2026-11-30T13:00:00Z"))
    assert late.rankings[0].why == "period_closed"
    refolds_alike(book, home)


@pytest.mark.parametrize("taken_back", [void("a"), ban("asha"), forget("asha")])
def test_a_player_with_unreadable_events_is_folded_anew_without_them(home, spoil, taken_back):
    book = home.open(board(windows=("all-time", "daily")))
    book.record(
        [
            result("asha", 9, id="a"),
            result("asha", 12, id="bad"),
            void("bad", id="bad-void"),
            correct("a", 10, id="bad-correction"),
            result("asha", 5, id="b"),
        ]
    )
    spoil("bad", "bad-void", "bad-correction")
    book.fold()
    assert book.ranking("speed").entry("asha").score == 9
    assert book.submit(taken_back).status == "ranked"
    entry = book.ranking("speed").entry("asha")
    if taken_back.kind == "void":
        assert entry.score == 5
    else:
        assert entry is None
    if taken_back.kind == "ban":
        book.submit(unban("asha"))
        assert book.ranking("speed").entry("asha").score == 9
    assert_agrees(book)
    refolds_alike(book, home)


def test_what_is_known_of_an_unreadable_event_goes_with_its_forgotten_player(home, spoil):
    book = home.open(board())
    book.record([result("asha", 9, id="a"), result("bram", 9, id="b")])
    spoil("a", "b")
    book.fold()
    book.submit(forget("asha"))
    assert [id for id, _ in aside(book)] == ["b"]
    assert book.outcome("a").status == "set_aside"
    refolds_alike(book, home)


def test_a_body_that_was_lost_after_it_was_ranked_is_a_disagreement_until_repaired(home, spoil):
    book = home.open(board(), wrap=lambda store: store)
    book.submit_many([result("asha", 9, id="a"), result("bram", 8, id="b")])
    spoil("a")
    found = book.verify()
    assert {each.ranking for each in found.disagreements} == {
        "speed/all-time/all-time",
        "~poison",
    }
    if hasattr(home.store, "promote"):
        book.repair()
        assert listed(book.ranking("speed").top()) == [(1, "bram")]
        assert assert_agrees(book).set_aside == 1
        assert aside(book) == [("a", NO_JSON)]
    else:
        home.agrees = False


def test_an_unreadable_result_moves_the_horizon_by_its_time_as_it_would_when_forgotten(home, spoil):
    book = home.open(board(windows=("daily",), keep_periods=1))
    book.submit(result("asha", 9, id="a", at="2026-11-29T12:00:00Z"))
    book.record([result("bram", 9, id="b", at="2026-11-30T12:00:00Z")])
    spoil("b")
    book.fold()
    assert book.ranking("speed", period="2026-11-29").count() == 0
    refolds_alike(book, home)
    book.submit(forget("bram"))
    refolds_alike(book, home)


def test_a_step_with_an_unreadable_event_is_published_once_though_the_store_fails(home, spoil):
    class FailsOnce(Wrapped):
        failures = 1

        def publish(self, *arguments, **keywords):
            if self.failures:
                self.failures -= 1
                raise LogError("down")
            super().publish(*arguments, **keywords)

    book = home.open(board(), wrap=FailsOnce)
    book.record([result("asha", 9, id="a"), result("bram", 8, id="b")])
    spoil("a")
    with pytest.raises(LogError):
        book.fold()
    book.fold()
    assert (book.pending(), len(aside(book))) == (0, 1)


def test_an_unreadable_event_is_an_error_of_the_log_for_who_reads_it(home, spoil):
    book = home.open(board())
    book.record([result("asha", 9, id="a")])
    spoil("a")
    [recorded] = book.log.find(["a"])
    assert not events.readable(recorded)
    with pytest.raises(LogError, match=r"'a' \(seq 1\) cannot be read: its body is no JSON"):
        events.body(recorded)
