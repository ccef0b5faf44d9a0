"""A book in parts, read, checked and specified: as one book."""

import msgspec
import pytest

from rankbook import BookSpec, Bundle, BundleRanking, Rankbook, RebuildNeeded, SpecError, StoreError
from rankbook.book import state
from rankbook.book.parts.partition import Partition
from rankbook.store.base import ByPosition, Change, CountBefore
from rankbook.store.memory import MemoryStore
from tests.book.home import Home, players, result
from tests.book.parted import TWO, part, spread_days
from tests.book.toml import write_book
from tests.cases.saying import renamed

HOME = Bundle("home", tuple([BundleRanking(each.name, "all-time") for each in TWO]))


def test_a_bundle_asks_each_part_once_and_stands_at_the_least_position(boards):
    book = boards.open(*TWO, bundles=(HOME,))
    book.submit(result("asha", 20))
    part(book, "high").down = True
    book.submit(result("bram", 30))
    part(book, "high").down = False
    for each in book.store.parts:
        each.calls.clear()
    reading = book.bundle("home")
    assert [each.calls for each in book.store.parts] == [["read"], ["read"]]
    assert reading.position == 1
    assert [players(each) for each in reading.rankings] == [["bram", "asha"], ["asha"]]


def test_a_change_in_one_part_shows_in_a_bundle_while_another_part_stands_still(boards):
    book, other = boards.open(*TWO, bundles=(HOME,)), boards.open()
    book.submit(result("asha", 20))
    before = book.bundle("home")
    part(other, "high").down = True
    other.submit(result("bram", 30))
    after = book.bundle("home")
    assert [each.count for each in before.rankings] == [1, 1]
    assert [each.count for each in after.rankings] == [2, 1]
    assert book.bundle("home") is after


def test_a_player_is_read_from_every_part_with_two_calls_to_each(parted):
    book = parted.open(*TWO)
    book.submit_many([result("asha", 20), result("bram", 30)])
    for each in book.store.parts:
        each.calls.clear()
    found = book.player("asha")
    assert [(each.board, each.window, each.entries[0].rank) for each in found] == [
        ("fast", "all-time", 2),
        ("fast", "daily", 2),
        ("high", "all-time", 2),
        ("high", "daily", 2),
    ]
    assert all(set(each.calls) == {"read"} for each in book.store.parts)
    assert max(len(each.calls) for each in book.store.parts) == 2


def test_profiles_are_those_of_the_part_that_the_ranking_is_in(parted):
    book = parted.open(*[msgspec.structs.replace(each, profiles="player") for each in TWO])
    book.submit(result("asha", 20))
    book.submit(renamed("asha", "Asha"))
    for standings in book.player("asha"):
        assert standings.entries[0].profile == {"name": "Asha"}


def test_what_is_shared_out_is_read_by_position_only(periods):
    book = periods.open(*TWO)
    spread_days(book, 9)
    catalog = state.catalog("fast", "daily")
    whole = book.store.read([ByPosition(catalog, 0, 100)]).answers[0]
    assert (whole.count, len(whole.rows)) == (9, 9)
    pieces = [
        row
        for start in range(0, 9, 2)
        for row in book.store.read([ByPosition(catalog, start, 2)]).answers[0].rows
    ]
    assert pieces == whole.rows
    with pytest.raises(StoreError):
        book.store.read([CountBefore(catalog, (b"",))])
    with pytest.raises(StoreError):
        book.store.publish([], [], expect=0, then=0)


# --- checking ------------------------------------------------------------------------------------


def test_verify_finds_what_was_changed_in_one_part_and_names_its_ranking(boards):
    book = boards.open(*TWO)
    book.submit_many([result("asha", 20), result("bram", 30)])
    id, store = book.ranking("high").id, part(book, "high")
    store.publish([Change(id, b"asha", None)], [], expect=2, then=2)
    found = book.verify()
    assert {(each.ranking, each.player, each.kind) for each in found.disagreements} == {
        ("high/all-time/all-time", "asha", "missing")
    }
    assert (found.agrees, found.position, found.rankings, found.entries) == (False, 2, 4, 7)
    boards.agrees = False


def test_verify_compares_each_part_at_its_own_position(boards):
    book = boards.open(*TWO)
    book.submit(result("asha", 20))
    part(book, "high").down = True
    book.submit(result("bram", 30))
    part(book, "high").down = False
    found = book.verify()
    assert (found.agrees, found.position, found.pending) == (True, 1, 1)


def test_doctor_counts_what_all_parts_hold(parted):
    book = parted.open(*TWO)
    book.submit(result("asha", 20))
    found = book.doctor()
    assert (found.log_position, found.store_position, found.faults) == (1, 1, ())
    assert found.store["parts"] == len(book.store.parts)


# --- the specification ---------------------------------------------------------------------------


def test_another_number_of_parts_asks_for_a_rebuild(periods):
    book = periods.open(*TWO)
    book.submit(result("asha", 20))
    with pytest.raises(RebuildNeeded, match="the partition was by period of 3, is by period of 4"):
        periods.open(partitions=4)
    periods.open(partitions=3)


def test_a_store_without_parts_is_refused_at_the_partition(place):
    toml = write_book(place) / "rankbook.toml"
    said = toml.read_text().replace("[book]\n", '[book]\npartition = "period"\n', 1)
    toml.write_text(said)
    with pytest.raises(SpecError) as caught:
        Rankbook.open(place)
    assert caught.value.field == "book.partition"


def test_a_book_that_is_not_in_parts_uses_the_store_itself(place, clock):
    home = Home("memory", place, clock)
    book = home.open(*TWO)
    book.submit(result("asha", 20))
    assert book.store.inner is home.store
    assert home.store.position() == 1
    home.end()


def test_the_tags_of_a_period_are_in_one_part_and_periods_in_all():
    spec = BookSpec(name="book", boards=TWO, partition="period", partitions=8)
    partition = Partition(spec)
    days = [f"fast/daily/2026-11-{day:02}" for day in range(1, 31)]
    assert {partition.of(day) for day in days} == set(range(8))
    for day in days:
        assert partition.of(f"{day}/mode=time/lang=en") == partition.of(day)


def test_stores_in_memory_are_parts_of_one_that_closes_them():
    store = MemoryStore()
    part = store.part("a")
    assert store.part("a") is part
    assert store.part("b") is not part
    store.close()
    with pytest.raises(StoreError):
        part.position()
