"""Transactions, other threads and processes, a growing map, and the mark of a machine's stop."""

import threading

import lmdb
import pytest

from rankbook.engine.environment import Environment
from rankbook.errors import BookError, StoreError
from tests.engine.other import Other
from tests.engine.reading import TINY, faults, full_reading, opened

SPEC = (b"board", 8, 8)


def entries(count, prefix=b"m", shift=0, value=b"v"):
    return [(prefix + b"%06d" % n, (n + shift).to_bytes(8, "big"), value) for n in range(count)]


def big(count, shift=0):
    return entries(count, b"big", shift, b"x" * 4000)


def huge(count):
    return entries(count, b"huge", 0, b"x" * 200_000)


def write(environment, changes, version=1, spec=SPEC):
    environment.update(lambda t: t.rankset(*spec).apply(changes, version))


def read(environment, spec=SPEC):
    with environment.view() as transaction:
        return full_reading(transaction.rankset(*spec), [])


def write_in(path, name, key, value):
    """Put a small record there behind the engine's back."""
    with lmdb.open(str(path), max_dbs=4, writemap=True) as env:
        db = env.open_db(name)
        with env.begin(write=True) as handle:
            handle.put(key, value, db=db)


# --- transactions --------------------------------------------------------------------------------


def test_any_number_of_sets_changes_in_one_transaction(tmp_path):
    names = [b"set %d" % n for n in range(200)]
    with opened(tmp_path, **TINY) as environment:

        def work(transaction):
            for size, name in enumerate(names):
                transaction.rankset(name, 8, 4).apply(entries(size % 40), 7)

        environment.update(work)
        with environment.view() as transaction:
            assert [len(transaction.rankset(name, 8, 4)) for name in names] == [
                size % 40 for size in range(200)
            ]
            found = sorted(transaction.names())
        assert found == sorted((name, 8, 4) for size, name in enumerate(names) if size % 40)


def test_update_returns_what_the_work_returns(tmp_path):
    with opened(tmp_path) as environment:
        assert environment.update(lambda t: t.rankset(*SPEC).groups) == 0


def test_an_exception_in_update_leaves_everything_as_it_was(tmp_path):
    with opened(tmp_path, **TINY) as environment:
        write(environment, entries(60))
        environment.update(lambda t: t.put(b"position", b"1"))
        before = read(environment)

        def work(transaction):
            transaction.put(b"position", b"2")
            transaction.rankset(*SPEC).apply(entries(50, shift=1000), 2)
            transaction.rankset(b"new", 8, 8).apply(entries(50), 2)
            raise KeyError("changed my mind")

        with pytest.raises(KeyError, match="changed my mind"):
            environment.update(work)
        assert read(environment) == before
        with environment.view() as transaction:
            assert transaction.get(b"position") == b"1"
            assert len(transaction.rankset(b"new", 8, 8)) == 0
        write(environment, entries(61), 3)
        assert read(environment)[0] == 61


def test_an_interrupted_update_leaves_everything_as_it_was(tmp_path):
    with opened(tmp_path, **TINY) as environment:
        write(environment, entries(60))
        before = read(environment)

        def work(transaction):
            transaction.rankset(*SPEC).apply(entries(50, shift=1000), 2)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            environment.update(work)
        assert read(environment) == before


def test_an_error_of_the_callers_own_passes_through_unchanged(tmp_path):
    def work(transaction):
        raise FileNotFoundError(2, "my own file")

    with opened(tmp_path) as environment:
        with pytest.raises(FileNotFoundError):
            environment.update(work)
        with pytest.raises(FileNotFoundError), environment.view() as transaction:
            work(transaction)


def test_small_records_are_kept_with_the_sets(tmp_path):
    with opened(tmp_path) as environment:
        environment.update(lambda t: t.put(b"position", b"12"))
        with environment.view() as transaction:
            assert transaction.get(b"position") == b"12"
            assert transaction.get(b"receipt") is None
    with opened(tmp_path) as environment, environment.view() as transaction:
        assert transaction.get(b"position") == b"12"


def test_writing_in_a_view_is_refused(tmp_path):
    with opened(tmp_path) as environment:
        with pytest.raises((BookError, StoreError)), environment.view() as transaction:
            transaction.rankset(*SPEC).put(b"m", bytes(8), b"")
        assert read(environment)[0] == 0


# --- snapshots -----------------------------------------------------------------------------------


def test_a_snapshot_stays_as_it_was_while_this_thread_writes(tmp_path):
    with opened(tmp_path, **TINY) as environment:
        write(environment, entries(60))
        before = read(environment)
        with environment.view() as transaction:
            for shift in (100, 200, 300):
                write(environment, entries(80, shift=shift), shift)
                assert full_reading(transaction.rankset(*SPEC), []) == before
        assert read(environment)[0] == 80


def test_a_snapshot_stays_as_it_was_while_another_thread_writes(tmp_path):
    with opened(tmp_path, **TINY) as environment:
        write(environment, entries(60))
        before = read(environment)
        with environment.view() as transaction:
            for shift in (100, 200, 300):
                thread = threading.Thread(
                    target=write, args=(environment, entries(80, shift=shift), shift)
                )
                thread.start()
                thread.join()
                assert full_reading(transaction.rankset(*SPEC), []) == before
        assert read(environment)[2] == 300


def test_a_snapshot_stays_as_it_was_while_another_process_writes(tmp_path):
    with opened(tmp_path, **TINY) as environment, Other(tmp_path, **TINY) as other:
        write(environment, entries(60))
        before = read(environment)
        with environment.view() as transaction:
            for shift in (100, 200, 300):
                other.ask("apply", *SPEC, entries(80, shift=shift), shift)
                assert full_reading(transaction.rankset(*SPEC), []) == before
        assert read(environment) == other.ask("read", *SPEC)


def test_another_process_keeps_its_snapshot_while_this_one_writes(tmp_path):
    with opened(tmp_path, **TINY) as environment, Other(tmp_path, **TINY) as other:
        write(environment, entries(60))
        before = read(environment)
        assert other.ask("view") == "inside"
        for shift in (100, 200, 300):
            write(environment, entries(80, shift=shift), shift)
            assert other.ask("read", *SPEC) == before
        assert other.ask("leave") == "outside"
        assert other.ask("read", *SPEC) == read(environment)


def test_nothing_of_an_open_write_transaction_is_seen_elsewhere(tmp_path):
    with opened(tmp_path, **TINY) as environment, Other(tmp_path, **TINY) as other:
        write(environment, entries(60))
        before = read(environment)
        assert other.ask("update", *SPEC, entries(80, shift=9), 9) == "inside"
        assert read(environment) == before
        assert other.ask("leave") == "committed"
        assert read(environment)[:3] == (80, 80, 9)


def test_readers_in_threads_see_whole_transactions_only(tmp_path):
    with opened(tmp_path, page_bytes=200, compact_bytes=100, cache_pages=20) as environment:
        write(environment, entries(100))
        ended = threading.Event()
        wrong = []

        def keep_reading():
            while not ended.is_set():
                with environment.view() as transaction:
                    rankset = transaction.rankset(*SPEC)
                    shift = rankset.version
                    found = rankset.scan(0, 200)
                    if [key for _member, key, _value in found] != [
                        (n + shift - 1).to_bytes(8, "big") for n in range(100)
                    ] or [rankset.rank(entry[0]) for entry in found] != list(range(100)):
                        wrong.append(shift)

        threads = [threading.Thread(target=keep_reading) for _ in range(3)]
        for thread in threads:
            thread.start()
        for version in range(2, 120):
            write(environment, entries(100, shift=version - 1), version)
        ended.set()
        for thread in threads:
            thread.join()
        assert wrong == []


# --- several writers -----------------------------------------------------------------------------


def test_a_second_writer_waits_for_the_first(tmp_path):
    with opened(tmp_path, **TINY) as environment, Other(tmp_path, **TINY) as other:
        assert other.ask("update", *SPEC, entries(70), 1) == "inside"
        seen = []
        writer = threading.Thread(
            target=lambda: environment.update(lambda t: seen.append(len(t.rankset(*SPEC))))
        )
        writer.start()
        other.ask("apply", *SPEC, entries(20, b"later"), 2)
        assert seen == []
        assert other.ask("leave") == "committed"
        writer.join()
        assert seen == [90]


def test_writers_in_threads_and_processes_lose_nothing(tmp_path):
    with opened(tmp_path, **TINY) as environment, Other(tmp_path, **TINY) as other:

        def keep_writing(prefix):
            for n in range(40):
                write(environment, entries(1, prefix + b"%d." % n, n), n)

        threads = [threading.Thread(target=keep_writing, args=(p,)) for p in (b"a", b"b")]
        for thread in threads:
            thread.start()
        for n in range(40):
            other.ask("apply", *SPEC, entries(1, b"c%d." % n, n), n)
        for thread in threads:
            thread.join()
        assert read(environment)[0] == 120
        assert read(environment) == other.ask("read", *SPEC)


def test_a_writer_killed_in_the_middle_does_not_hold_up_the_next(tmp_path):
    with opened(tmp_path, **TINY) as environment:
        write(environment, entries(60))
        before = read(environment)
        other = Other(tmp_path, **TINY)
        other.ask("update", *SPEC, entries(80, shift=9), 9)
        other.kill()
        assert read(environment) == before
        write(environment, entries(61), 2)
        assert read(environment)[0] == 61


def test_pages_in_memory_are_dropped_when_another_process_wrote(tmp_path):
    with opened(tmp_path, **TINY) as environment, Other(tmp_path, **TINY) as other:
        write(environment, entries(60))
        for shift in (100, 0, 50, 7):
            read(environment)
            other.ask("apply", *SPEC, entries(70, shift=shift), shift)
            assert read(environment) == other.ask("read", *SPEC)
            write(environment, entries(65, shift=shift + 3), shift + 1)
            assert read(environment) == other.ask("read", *SPEC)


def test_an_update_that_writes_nothing_does_not_hide_what_another_process_writes(tmp_path):
    with opened(tmp_path, **TINY) as environment, Other(tmp_path, **TINY) as other:
        write(environment, entries(60))
        read(environment)
        environment.update(lambda t: len(t.rankset(*SPEC)))
        other.ask("apply", *SPEC, entries(60, shift=1000), 2)
        assert read(environment) == other.ask("read", *SPEC)


def test_an_abandoned_update_does_not_hide_what_another_process_writes(tmp_path):
    def work(transaction):
        transaction.rankset(*SPEC).apply(entries(60, shift=5), 2)
        raise KeyError

    with opened(tmp_path, **TINY) as environment, Other(tmp_path, **TINY) as other:
        write(environment, entries(60))
        with pytest.raises(KeyError):
            environment.update(work)
        other.ask("apply", *SPEC, entries(60, shift=1000), 2)
        assert read(environment) == other.ask("read", *SPEC)


# --- the map -------------------------------------------------------------------------------------


def test_the_map_grows_by_itself(tmp_path):
    with opened(tmp_path) as environment:
        for part in range(5):
            write(environment, big(1000, shift=part), part)
            spec = (b"part %d" % part, 8, 8)
            write(environment, big(1000, shift=part), part, spec)
        assert (tmp_path / "data.mdb").stat().st_size > 20 << 20
        with environment.view() as transaction:
            assert [len(transaction.rankset(b"part %d" % n, 8, 8)) for n in range(5)] == [1000] * 5


def test_one_transaction_of_many_times_the_map_goes_in(tmp_path):
    with opened(tmp_path) as environment:
        write(environment, entries(50))
        write(environment, big(6000), 2)
        assert read(environment)[0] == 6050


def test_the_map_grows_while_another_thread_reads_continuously(tmp_path):
    with opened(tmp_path, cache_pages=50) as environment:
        write(environment, entries(1000))
        expected = read(environment)[3]
        ended = threading.Event()
        wrong = []
        rounds = []

        def keep_reading():
            while not ended.is_set():
                with environment.view() as transaction:
                    rounds.append(1)
                    rankset = transaction.rankset(*SPEC)
                    if rankset.scan(0, 1000) != expected or rankset.rank(b"m000234") != 234:
                        wrong.append("another order")

        reader = threading.Thread(target=keep_reading)
        reader.start()
        for part in range(6):
            write(environment, huge(10), part, (b"part %d" % part, 8, 8))
        ended.set()
        reader.join()
        assert rounds
        assert wrong == []


def test_growing_while_this_thread_holds_a_snapshot_is_a_clear_error(tmp_path):
    with opened(tmp_path) as environment:
        write(environment, entries(50))
        before = read(environment)
        with environment.view() as transaction:
            with pytest.raises(StoreError, match="cannot grow"):
                write(environment, big(1000), 2)
            assert full_reading(transaction.rankset(*SPEC), []) == before
        assert read(environment) == before
        write(environment, big(1000), 2)
        assert read(environment)[0] == 1050


def test_room_can_be_made_before_it_is_needed(tmp_path):
    with opened(tmp_path) as environment:
        write(environment, entries(50))
        size = (tmp_path / "data.mdb").stat().st_size
        environment.make_room(100.0)
        assert (tmp_path / "data.mdb").stat().st_size > size


def test_a_map_that_another_process_grew_is_adopted(tmp_path):
    with opened(tmp_path) as environment, Other(tmp_path) as other:
        write(environment, entries(50))
        other.ask("apply", *SPEC, big(2000), 2)
        assert read(environment) == other.ask("read", *SPEC)
        other.ask("apply", b"second", 8, 8, big(4000), 3)
        write(environment, entries(3000, b"mine"), 4)
        assert read(environment) == other.ask("read", *SPEC)


def test_a_map_that_another_process_grew_is_adopted_by_a_writer_first(tmp_path):
    with opened(tmp_path) as environment, Other(tmp_path) as other:
        other.ask("apply", *SPEC, big(2000), 2)
        write(environment, big(2500, shift=1), 3)
        assert read(environment) == other.ask("read", *SPEC)


def test_two_processes_grow_the_map_in_turn(tmp_path):
    with opened(tmp_path) as environment, Other(tmp_path) as other:
        for part in range(6):
            spec = (b"part %d" % part, 8, 8)
            if part % 2:
                write(environment, big(700), part, spec)
            else:
                other.ask("apply", *spec, big(700), part)
            assert read(environment, spec) == other.ask("read", *spec)


def test_adopting_a_grown_map_takes_no_room_from_a_writer_that_grew_it_further(tmp_path):
    with Other(tmp_path) as second, Other(tmp_path) as first:
        first.ask("apply", *SPEC, big(400), 1)
        assert first.ask("update", b"more", 8, 8, big(2500), 1) == "inside"
        assert second.ask("read", *SPEC)[0] == 400
        first.ask("apply", b"most", 8, 8, big(5), 1)
        assert first.ask("leave") == "committed"
        assert first.ask("read", b"more", 8, 8)[0] == 2500
        assert second.ask("read", b"most", 8, 8) == first.ask("read", b"most", 8, 8)
    with opened(tmp_path) as environment:
        assert read(environment, (b"more", 8, 8))[0] == 2500


def test_adopting_a_grown_map_leaves_room_that_was_made(tmp_path):
    with opened(tmp_path) as environment, Other(tmp_path) as other:
        other.ask("apply", *SPEC, big(400), 1)
        other.ask("make_room", 50.0)
        size = (tmp_path / "data.mdb").stat().st_size
        assert read(environment)[0] == 400
        assert (tmp_path / "data.mdb").stat().st_size == size


# --- opening and closing -------------------------------------------------------------------------


def test_closing_twice_is_harmless(tmp_path):
    environment = Environment(tmp_path)
    write(environment, entries(5))
    environment.close()
    environment.close()
    with opened(tmp_path) as environment:
        assert read(environment)[0] == 5


@pytest.mark.parametrize(
    "use",
    [
        lambda e: e.update(lambda t: None),
        lambda e: e.view().__enter__(),
        lambda e: e.sync(),
        lambda e: e.make_room(),
    ],
    ids=["update", "view", "sync", "make_room"],
)
def test_use_after_close_is_a_store_error(tmp_path, use):
    environment = Environment(tmp_path)
    environment.close()
    with pytest.raises(StoreError, match="closed"):
        use(environment)


def test_closing_waits_for_the_snapshots_of_other_threads(tmp_path):
    environment = Environment(tmp_path, **TINY)
    write(environment, entries(60))
    expected = read(environment)
    inside, leave = threading.Event(), threading.Event()
    seen = []

    def hold():
        with environment.view() as transaction:
            inside.set()
            leave.wait()
            seen.append(full_reading(transaction.rankset(*SPEC), []))

    holder = threading.Thread(target=hold)
    holder.start()
    inside.wait()
    closer = threading.Thread(target=environment.close)
    closer.start()
    leave.set()
    closer.join()
    holder.join()
    assert seen == [expected]


def test_a_missing_directory_is_made(tmp_path):
    path = tmp_path / "some" / "where"
    with opened(path) as environment:
        write(environment, entries(3))
    with opened(path, create=False) as environment:
        assert read(environment)[0] == 3


def test_a_missing_directory_is_a_book_error_where_none_may_be_made(tmp_path):
    with pytest.raises(BookError, match="no rankings in"):
        Environment(tmp_path / "nowhere", create=False)
    assert not (tmp_path / "nowhere").exists()


def test_a_format_newer_than_the_program_is_a_book_error(tmp_path):
    with opened(tmp_path) as environment:
        write(environment, entries(3))
    write_in(tmp_path, b"meta", b"format", (2).to_bytes(4, "big"))
    for _again in range(2):
        with pytest.raises(BookError, match="newer than this program"):
            Environment(tmp_path)
    write_in(tmp_path, b"meta", b"format", (1).to_bytes(4, "big"))
    with opened(tmp_path) as environment:
        assert read(environment)[0] == 3


def test_a_file_that_is_no_map_is_a_clear_error(tmp_path):
    (tmp_path / "data.mdb").write_bytes(b"no map at all" * 5000)
    with pytest.raises((StoreError, BookError), match=str(tmp_path)):
        Environment(tmp_path)


def test_capacities_may_differ_from_one_opening_to_the_next(tmp_path):
    readings = []
    for page_bytes, compact_bytes in ((4064, 16384), (80, 0), (300, 500), (4064, 1 << 20)):
        with opened(tmp_path, page_bytes=page_bytes, compact_bytes=compact_bytes) as environment:
            write(environment, entries(150, shift=page_bytes))
            write(environment, entries(150))
            readings.append(read(environment))
    assert readings == [readings[0]] * 4


# --- durability ----------------------------------------------------------------------------------

BOOT = "11111111-2222-3333-4444-555555555555"


def test_a_directory_closed_in_order_is_clean(tmp_path):
    for _opening in range(2):
        with opened(tmp_path) as environment:
            assert not environment.unclean
            assert (tmp_path / "open").exists()
        assert not (tmp_path / "open").exists()


def test_a_killed_process_leaves_the_directory_clean(tmp_path):
    other = Other(tmp_path)
    other.ask("apply", *SPEC, entries(5), 1)
    other.kill()
    with opened(tmp_path) as environment:
        assert not environment.unclean
        assert read(environment)[0] == 5


def test_the_mark_of_another_boot_says_that_the_machine_stopped(tmp_path):
    with opened(tmp_path) as environment:
        write(environment, entries(5))
    (tmp_path / "open").write_text(BOOT)
    with opened(tmp_path) as environment:
        assert environment.unclean
        assert read(environment)[0] == 5
    with opened(tmp_path) as environment:
        assert not environment.unclean


def test_a_process_killed_after_an_unclean_stop_leaves_the_directory_unclean(tmp_path):
    with opened(tmp_path) as environment:
        write(environment, entries(5))
    (tmp_path / "open").write_text(BOOT)
    other = Other(tmp_path)
    assert other.unclean
    other.kill()
    with opened(tmp_path) as environment:
        assert environment.unclean


def test_the_mark_stays_while_another_process_is_open(tmp_path):
    with Other(tmp_path) as other:
        with opened(tmp_path) as environment:
            assert not environment.unclean
        assert (tmp_path / "open").exists()
        with opened(tmp_path) as environment:
            assert not environment.unclean
        other.ask("apply", *SPEC, entries(5), 1)
        assert (tmp_path / "open").exists()
    assert not (tmp_path / "open").exists()


def test_full_durability_reads_back_the_same(tmp_path):
    with opened(tmp_path, durability="full", **TINY) as environment:
        for version in range(1, 20):
            write(environment, entries(60, shift=version), version)
        expected = read(environment)
    with opened(tmp_path, durability="full", **TINY) as environment:
        assert read(environment) == expected


def test_a_sync_can_be_asked_for(tmp_path):
    with opened(tmp_path) as environment:
        write(environment, entries(5))
        environment.sync()
        assert faults(environment) == []
