"""Events that were changed in the log after they were recorded are set aside, and not used."""

import pytest

from rankbook import Refused, SetAside
from tests.book.home import assert_agrees, board, listed, result
from tests.cases.saying import ban, correct, forget, refolds_alike, renamed, unban, void

REASON = "its checksum does not match"
FAR = 4_070_908_800_000_000  # the year 2099


def aside(book):
    return [(each.event_id, each.reason) for each in book.doctor().unreadable]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("body", b'{"values":{"score":88}}'),
        ("player", "bran"),
        ("kind", "void"),
        ("kind", "anything"),
        ("at_us", FAR),
        ("received_us", FAR),
        ("checksum", b""),
    ],
)
def test_a_changed_result_is_set_aside_though_it_can_be_read_and_the_others_are_ranked(
    home, change, column, value
):
    book = home.open(board())
    book.record([result("asha", 9, id="a"), result("bram", 8, id="b"), result("chidi", 7, id="c")])
    change("b", column, value)
    book.fold()
    assert book.pending() == 0
    assert listed(book.ranking("speed").top()) == [(1, "asha"), (2, "chidi")]
    assert book.doctor().unreadable == (SetAside(seq=2, event_id="b", reason=REASON),)
    assert (book.outcome("b").status, book.outcome("b").reason) == ("set_aside", REASON)
    assert assert_agrees(book).set_aside == 1


@pytest.mark.parametrize(
    "other", [ban("bram", id="x"), unban("asha", id="x"), void("a", id="x"), forget("asha", id="x")]
)
def test_a_changed_event_of_another_kind_does_nothing_to_anybody(home, change, other):
    book = home.open(board())
    book.submit_many([result("asha", 9, id="a"), result("bram", 8, id="b")])
    book.record([other])
    change("x", "player", "asha" if other.kind == "ban" else "bram")
    book.fold()
    assert listed(book.ranking("speed").top()) == [(1, "asha"), (2, "bram")]
    assert aside(book) == [("x", REASON)]
    assert all(book.log.find(["a", "b"]))
    assert [each.player for each in book.log.find(["a", "b"])] == ["asha", "bram"]
    refolds_alike(book, home)


def test_a_changed_time_moves_no_horizon(home, change):
    book = home.open(board(windows=("daily",), keep_periods=2))
    book.submit(result("asha", 9, id="a"))
    book.record([result("bram", 8, id="b")])
    change("b", "at_us", FAR)
    book.fold()
    assert listed(book.ranking("speed").top()) == [(1, "asha")]
    refolds_alike(book, home)


def test_a_right_ranking_whose_event_was_changed_is_a_disagreement_until_repaired(home, change):
    book = home.open(board(), wrap=lambda store: store)
    book.submit_many([result("asha", 9, id="a"), result("bram", 8, id="b")])
    change("a", "body", b'{"values":{"score":7}}')
    found = book.verify()
    assert {each.ranking for each in found.disagreements} == {"speed/all-time/all-time", "~poison"}
    assert book.ranking("speed").entry("asha").score == 9
    if hasattr(home.store, "promote"):
        book.repair()
        assert listed(book.ranking("speed").top()) == [(1, "bram")]
        assert aside(book) == [("a", REASON)]
        assert_agrees(book)
    else:
        home.agrees = False


@pytest.mark.parametrize("change_of", [void("a"), correct("a", 10)])
def test_a_changed_result_can_be_no_target(home, change, change_of):
    book = home.open(board())
    book.record([result("asha", 9, id="a")])
    change("a", "player", "bram")
    with pytest.raises(Refused, match=r"^target: is 'a', which was damaged in the log"):
        book.submit(change_of)


@pytest.mark.parametrize("taken_back", [void("b"), ban("asha"), forget("asha")])
def test_a_player_is_folded_anew_without_the_events_that_were_changed(home, change, taken_back):
    book = home.open(board())
    book.record(
        [
            result("asha", 9, id="a"),
            result("asha", 5, id="b"),
            result("asha", 12, id="bad"),
            void("a", id="bad-void"),
            forget("asha", id="bad-forget"),
        ]
    )
    for id in ("bad", "bad-void", "bad-forget"):
        change(id, "received_us", FAR)
    book.fold()
    assert book.ranking("speed").entry("asha").score == 9
    book.submit(taken_back)
    entry = book.ranking("speed").entry("asha")
    if taken_back.kind == "void":
        assert entry.score == 9
    else:
        assert entry is None
    assert_agrees(book)
    refolds_alike(book, home)


def test_a_changed_event_stays_set_aside_when_its_player_is_forgotten(home, change):
    book = home.open(board(windows=("daily",), keep_periods=1, profiles="player"))
    book.record([result("asha", 9, id="a"), result("bram", 8, id="b"), renamed("asha", "A")])
    change("a", "at_us", FAR)
    book.fold()
    book.submit(forget("asha"))
    assert aside(book) == [("a", REASON)]
    [erased] = book.log.find(["a"])
    assert (erased.player, erased.body) == ("", b"{}")
    assert listed(book.ranking("speed").top()) == [(1, "bram")]
    refolds_alike(book, home)
