"""Verify: agreement is found where it is, and every damage is named by index and player."""

import pytest

from rankbook import Rankbook, RebuildNeeded, StoreError
from rankbook.book.upkeep import compare
from rankbook.log import open_log
from rankbook.store.base import Change, RankingId, Stored
from tests.book import damage
from tests.book.home import Home, Wrapped, assert_agrees, board, result
from tests.book.site import SPEC, typed
from tests.book.test_together import in_threads

SHAPE = {"splits": ((), ("mode",)), "details": ("note",)}
RANKING = "speed/all-time/all-time"
both = pytest.mark.parametrize("kind", ["memory", "trees"])


@pytest.fixture
def book(home):
    """Forty players; the test damages what is stored."""
    home.agrees = False
    book = home.open(board(**SHAPE))
    book.submit_many(
        [result(f"p{n:02}", n // 2, id=f"e{n}", mode="x", note="n") for n in range(40)]
    )
    return book


def view(book):
    return book.ranking("speed")


def stored(book, player, id=None):
    [entry] = book.store.entries([(id or view(book).id, player.encode())])[1]
    return entry


def publish(book, *changes):
    """Change both indexes behind the log's back."""
    position = book.store.position()
    book.store.publish(list(changes), [], expect=position, then=position)


def change(book, player, entry, id=None):
    key, value = (None, b"") if entry is None else entry
    return Change(id or view(book).id, player.encode(), key, value)


def found(book):
    verification = book.verify()
    assert not verification.agrees
    return sorted((d.ranking, d.index, d.kind, d.player) for d in verification.disagreements)


# --- agreement -----------------------------------------------------------------------------------


def test_an_empty_book_agrees_and_so_does_a_recorded_one_that_is_not_ranked_yet(home):
    book = home.open(spec=SPEC)
    for recorded in (0, 1):
        verification = book.verify()
        assert verification.agrees
        assert (verification.position, verification.rankings, verification.entries) == (0, 0, 0)
        book.record([typed("asha", 100, id=f"e{recorded}")])


def test_agreement_counts_the_rankings_and_entries_that_were_held_against_the_log(home):
    book = home.open(spec=SPEC)
    book.submit_many([typed(f"p{n}", 50 + n, mode=("time", "words")[n % 2]) for n in range(10)])
    verification = assert_agrees(book)
    assert (verification.position, verification.rankings, verification.entries) == (10, 6, 40)


def test_verifying_tells_its_progress_in_events_and_entries(home):
    book = home.open(board())
    book.submit_many([result(f"p{n}", n) for n in range(1500)])
    told = []
    assert book.verify(progress=told.append).agrees
    assert told[:2] == [1000, 500]
    assert sum(told) == 1500 + 1500
    assert all(number > 0 for number in told)


def test_verifying_changes_nothing_and_leaves_nothing_behind(home, place, monkeypatch):
    book = home.open(spec=SPEC)
    book.submit(typed("asha", 100))
    before = book.bundle("home")
    (place / "beside").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place / "beside"))
    assert_agrees(book)
    assert book.bundle("home") == before
    assert list((place / "beside").iterdir()) == []


def test_verifying_agrees_while_submissions_go_on(home):
    book, writer = home.open(board(**SHAPE)), home.open()
    positions = []

    def write():
        for number in range(400):
            event = result(f"p{number % 90}", number, mode="xy"[number % 2])
            assert writer.submit(event).status == "ranked"

    def check():
        for _ in range(8):
            verification = book.verify()
            assert verification.disagreements == ()
            assert verification.faults == ()
            positions.append(verification.position)

    in_threads(write, check)
    assert positions == sorted(positions)
    assert assert_agrees(book).position == 400


def test_a_store_that_cannot_be_walked_cannot_be_verified(home):
    class Opaque:
        remote = False

        def __init__(self, store):
            for name in ("position", "entries", "publish", "read", "receipts"):
                setattr(self, name, getattr(store, name))

        def close(self):
            pass

    with pytest.raises(StoreError, match="cannot be verified"):
        home.open(board(), wrap=Opaque).verify()


# --- damage to both indexes at once --------------------------------------------------------------


def test_an_entry_nobody_earned_is_extra_in_both_indexes(book):
    publish(book, change(book, "mallory", stored(book, "p39")))
    assert found(book) == [
        (RANKING, "members", "extra", "mallory"),
        (RANKING, "order", "extra", "mallory"),
    ]
    order, members = sorted(book.verify().disagreements, key=lambda d: d.index, reverse=True)
    assert (order.expected, order.found) == (None, 19)
    assert members.expected is None
    assert members.found[0] == [19]


def test_an_entry_that_is_gone_is_missing_in_both_indexes(book):
    publish(book, change(book, "p07", None))
    assert found(book) == [
        (RANKING, "members", "missing", "p07"),
        (RANKING, "order", "missing", "p07"),
    ]
    order, members = sorted(book.verify().disagreements, key=lambda d: d.index, reverse=True)
    assert (order.expected, order.found) == (3, None)
    assert (members.expected[0], members.found) == ([3], None)


def test_other_details_under_the_same_score_are_different_in_the_members(book):
    entry = stored(book, "p07")
    publish(book, change(book, "p07", Stored(entry.key, stored(book, "p06").value)))
    assert found(book) == [(RANKING, "members", "different", "p07")]
    [disagreement] = book.verify().disagreements
    assert disagreement.expected[2] == "e7"
    assert disagreement.found[2] == "e6"


def test_another_score_is_different_in_the_members_and_two_places_in_the_order(book):
    publish(book, change(book, "p07", stored(book, "p30")))
    assert found(book) == [
        (RANKING, "members", "different", "p07"),
        (RANKING, "order", "extra", "p07"),
        (RANKING, "order", "missing", "p07"),
    ]
    order = {d.kind: (d.expected, d.found) for d in book.verify().disagreements}
    assert (order["missing"], order["extra"]) == ((3, None), (None, 15))


def test_every_damaged_ranking_is_named_and_the_others_are_not(book):
    mode = book.ranking("speed", tags={"mode": "x"}).id
    publish(book, change(book, "p07", None), change(book, "eve", stored(book, "p00"), mode))
    assert found(book) == [
        (RANKING, "members", "missing", "p07"),
        (RANKING, "order", "missing", "p07"),
        (f"{RANKING}/mode=x", "members", "extra", "eve"),
        (f"{RANKING}/mode=x", "order", "extra", "eve"),
    ]


@pytest.mark.parametrize(
    "name", ["speed/all-time/all-time/mode=z", "gone/all-time/all-time", "junk", "", "a/b/%zz"]
)
@pytest.mark.parametrize("key_bytes", [2, 16])
def test_a_whole_ranking_nobody_earned_is_extra_whatever_it_is_called(book, name, key_bytes):
    id = RankingId(name, key_bytes, key_bytes // 2)
    publish(book, Change(id, b"mallory", b"k" * key_bytes, b"no entry at all"))
    assert found(book) == [
        (name, "members", "extra", "mallory"),
        (name, "order", "extra", "mallory"),
    ]


def test_a_whole_ranking_that_is_gone_is_missing(book):
    publish(book, *[change(book, f"p{n:02}", None) for n in range(40)])
    assert len(found(book)) == 80
    assert {kind for _, _, kind, _ in found(book)} == {"missing"}
    assert book.verify().rankings == 2


def test_a_value_that_is_no_entry_at_all_is_shown_as_its_bytes(book):
    publish(book, change(book, "p07", Stored(stored(book, "p07").key, b"\xc1\x00")))
    [disagreement] = book.verify().disagreements
    assert (disagreement.kind, disagreement.found) == ("different", "c100")


def test_a_log_that_lost_events_is_told_from_the_rankings_it_no_longer_gives(home, book, place):
    empty = open_log("sqlite:other.sqlite", place)
    with pytest.raises(RebuildNeeded, match="ends at 0 and the rankings are made up to 40"):
        Rankbook(home.spec, empty, home.store, clock=home.clock)
    other = Rankbook(home.spec, empty, Wrapped(home.store), clock=home.clock, outdated=True)
    with pytest.raises(RebuildNeeded):
        other.submit(result("asha", 1))
    verification = other.verify()
    assert not verification.agrees
    assert verification.position == 40
    assert {d.kind for d in verification.disagreements} == {"extra"}
    assert len(verification.disagreements) == 160
    other.close()


# --- damage to one index -------------------------------------------------------------------------


@pytest.fixture
def damaged(kind, place, clock):
    """Forty players on a store whose member index is apart from its order."""
    home = Home(kind, place, clock)
    home.agrees = False
    book = home.open(board(**SHAPE))
    book.submit_many(
        [result(f"p{n:02}", n // 2, id=f"e{n}", mode="x", note="n") for n in range(40)]
    )
    yield book
    home.end()


@both
def test_a_member_record_that_is_gone_is_missing_in_the_members_alone(damaged):
    damage.take(damaged.store.inner, view(damaged).id, "p07")
    assert found(damaged) == [(RANKING, "members", "missing", "p07")]
    assert damaged.verify().faults


@both
def test_an_altered_record_with_a_right_checksum_is_different_in_the_members_alone(damaged):
    store, id = damaged.store.inner, view(damaged).id
    other = Stored(stored(damaged, "p07").key, stored(damaged, "p06").value)
    damage.put(store, id, "p07", damage.packed(store, "p07", other))
    assert found(damaged) == [(RANKING, "members", "different", "p07")]


@both
def test_a_record_with_the_key_of_another_score_is_different_in_the_members_alone(damaged):
    store, id = damaged.store.inner, view(damaged).id
    other = Stored(stored(damaged, "p30").key, stored(damaged, "p07").value)
    damage.put(store, id, "p07", damage.packed(store, "p07", other))
    assert found(damaged) == [(RANKING, "members", "different", "p07")]
    assert damaged.verify().faults


@both
def test_a_record_of_nobody_is_extra_in_the_members_alone(damaged):
    store, id = damaged.store.inner, view(damaged).id
    damage.put(store, id, "mallory", damage.packed(store, "mallory", stored(damaged, "p07")))
    assert found(damaged) == [(RANKING, "members", "extra", "mallory")]
    assert damaged.verify().faults


@both
def test_a_place_that_nobody_has_is_extra_in_the_order_alone(damaged):
    publish(damaged, change(damaged, "mallory", stored(damaged, "p39")))
    damage.take(damaged.store.inner, view(damaged).id, "mallory")
    assert found(damaged) == [(RANKING, "order", "extra", "mallory")]
    assert damaged.verify().faults


@both
def test_a_place_that_is_gone_is_missing_in_the_order_alone(damaged):
    store, id = damaged.store.inner, view(damaged).id
    record = damage.packed(store, "p07", stored(damaged, "p07"))
    publish(damaged, change(damaged, "p07", None))
    damage.put(store, id, "p07", record)
    assert found(damaged) == [(RANKING, "order", "missing", "p07")]
    assert damaged.verify().faults


@both
def test_a_player_at_the_wrong_place_is_missing_at_one_and_extra_at_the_other(damaged):
    store, id = damaged.store.inner, view(damaged).id
    record = damage.packed(store, "p07", stored(damaged, "p07"))
    publish(damaged, change(damaged, "p07", stored(damaged, "p30")))
    damage.put(store, id, "p07", record)
    assert found(damaged) == [
        (RANKING, "order", "extra", "p07"),
        (RANKING, "order", "missing", "p07"),
    ]
    assert damaged.verify().faults


@pytest.mark.parametrize("kind", ["trees"])
def test_a_record_that_fails_its_checksum_is_a_fault_and_the_rest_is_still_compared(damaged):
    store, id = damaged.store.inner, view(damaged).id
    record = damage.take(store, id, "p07")
    damage.put(store, id, "p07", record[:-1] + bytes([record[-1] ^ 1]))
    mode = damaged.ranking("speed", tags={"mode": "x"}).id
    publish(damaged, change(damaged, "p30", None, mode))
    verification = damaged.verify()
    assert not verification.agrees
    assert any("checksum" in fault and "p07" in fault for fault in verification.faults)
    assert any(fault.startswith(f"{RANKING}: ") for fault in verification.faults)
    assert [(d.ranking, d.player) for d in verification.disagreements] == [
        (f"{RANKING}/mode=x", "p30")
    ] * 2


@pytest.mark.parametrize("kind", ["trees"])
def test_a_ranking_whose_own_record_is_damaged_is_a_fault_and_the_rest_is_still_compared(damaged):
    def work(transaction):
        place = b"n" + RANKING.encode()
        record = transaction.set_record(place)
        transaction.put_set_record(place, record[:-1] + bytes([record[-1] ^ 1]))

    damaged.store.inner._environment.update(work)
    verification = damaged.verify()
    assert not verification.agrees
    assert any(fault.startswith(f"{RANKING}: ") for fault in verification.faults)
    assert {d.ranking for d in verification.disagreements} <= {RANKING}


@both
def test_many_faults_are_counted_but_only_the_first_are_listed(damaged, monkeypatch):

    monkeypatch.setattr(compare, "MOST_LISTED", 5)
    publish(damaged, *[change(damaged, f"p{n:02}", None) for n in range(30)])
    verification = damaged.verify()
    assert not verification.agrees
    assert len(verification.disagreements) == 5


def test_the_longest_players_there_can_be_are_ranked_and_verified_like_others(home):
    home.agrees = False
    book = home.open(board(numbering="ordinal"))
    longest = "\U0001f600" * 255
    events = [result(longest + last, 5, id=last) for last in "az\U0001f600"]
    receipts = book.submit_many([result("asha", 5), *events])
    view = book.ranking("speed")
    read = [view.rank(event.player) for event in events]
    assert [receipt.rankings[0].rank for receipt in receipts[1:]] == read == [2, 3, 4]
    assert book.verify().agrees
