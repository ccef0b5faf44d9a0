"""A log file that a disk damaged: opening ends, nothing wrong is ranked, and it is said."""

import random
import sqlite3

import pytest

from rankbook import BookError, Corrupt, Event, LogError, Rankbook, verify_log
from rankbook.log.base import Draft
from rankbook.log.sqlite.log import SqliteLog
from tests.contract import sqlite_pages
from tests.depth import scaled

SPEC = """
[book]
name = "damaged"
[[board]]
name = "speed"
measures = { score = "score" }
order_by = ["score desc"]
"""
MISMATCH = "its checksum does not match"


@pytest.fixture
def folder(tmp_path):
    """A book of seven results that are recorded and not ranked yet."""
    (tmp_path / "rankbook.toml").write_text(SPEC)
    with Rankbook.open(tmp_path) as book:
        book.record(
            [Event(id=f"e{n}", player=f"player{n}", values={"score": n}) for n in range(1, 8)]
        )
    return tmp_path


def test_a_book_opens_though_a_position_of_its_log_was_changed_and_folding_says_what_is_wrong(
    folder,
):
    sqlite_pages.move(folder / "log.sqlite", 5, 1)
    with Rankbook.open(folder) as book:
        assert book.pending() == 7
        with pytest.raises(Corrupt, match="the log has position 1 after position 4"):
            book.fold()


# --- what doctor and verify_log say --------------------------------------------------------------


def test_a_sound_log_is_sound_and_the_store_is_not_looked_at(folder):
    (folder / "rankings" / "data.mdb").write_bytes(b"no rankings")
    told = []
    found = verify_log(folder, progress=told.append)
    assert (found.sound, found.position, found.events) == (True, 7, 7)
    assert (found.set_aside, found.unreadable, found.faults) == (0, (), ())
    assert sum(told) == 7


def test_a_changed_position_is_a_fault_for_doctor_and_for_who_verifies_the_log(folder):
    sqlite_pages.move(folder / "log.sqlite", 5, 1)
    with Rankbook.open(folder, catch_up=False) as book:
        examined = book.doctor()
    assert any("the log: " in each and "out of order" in each for each in examined.faults)
    found = verify_log(folder)
    assert not found.sound
    assert any("out of order" in each for each in found.faults)
    assert found.faults[-1].startswith("the log cannot be read after position 0: ")


def test_a_log_that_ends_before_a_position_that_was_given_is_a_fault_and_doctor_goes_on(folder):
    sqlite_pages.move(folder / "log.sqlite", 7, 3)
    with Rankbook.open(folder, catch_up=False) as book:
        with pytest.raises(Corrupt, match=r"the log lacks position 4: .* out of order"):
            book.pending()
        examined = book.doctor()
    assert any("the log lacks position 4" in each for each in examined.faults)
    assert examined.store["format"] == 1
    assert any("out of order" in each for each in verify_log(folder).faults)


def test_a_changed_event_is_listed_by_who_verifies_the_log(folder):
    sqlite_pages.replace(folder / "log.sqlite", 5, b"player5", b"player6")
    found = verify_log(folder)
    assert not found.sound
    assert (found.events, found.set_aside) == (7, 1)
    [listed] = found.unreadable
    assert (listed.seq, listed.event_id, listed.reason) == (5, "e5", MISMATCH)


def test_an_index_that_disagrees_with_its_events_is_a_fault_of_the_log(folder):
    path = folder / "log.sqlite"
    content = path.read_bytes()
    where = [at for at in range(len(content)) if content.startswith(b"player5", at)]
    event = sqlite_pages.cells(path)[5]
    [index] = [at for at in where if not event.record_at <= at < event.end]
    sqlite_pages.overwrite(path, index, b"player9")
    found = verify_log(folder)
    assert found.faults
    assert all(each.startswith("the log: ") for each in found.faults)
    assert not found.sound


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ((3,), ["position 3 is missing"]),
        ((1, 4, 5), ["position 1 is missing", "4 to 5 are missing"]),
        ((6, 7), ["6 to 7 are missing"]),
        (tuple(range(1, 8)), ["1 to 7 are missing"]),
    ],
)
def test_events_that_somebody_deleted_are_missing_positions(folder, gone, said):
    with sqlite3.connect(folder / "log.sqlite") as connection:
        marks = ", ".join("?" * len(gone))
        connection.execute(f"DELETE FROM rankbook_event WHERE seq IN ({marks})", gone)
    connection.close()
    found = verify_log(folder)
    assert found.faults == tuple(f"the log: {each}" for each in said)
    assert found.events == 7 - len(gone)


def test_a_directory_without_a_log_is_no_log_to_verify(tmp_path):
    (tmp_path / "rankbook.toml").write_text(SPEC)
    with pytest.raises(BookError, match="there is no log at"):
        verify_log(tmp_path)
    assert not (tmp_path / "log.sqlite").exists()


# --- any bit -------------------------------------------------------------------------------------

EVENTS = 60


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """The bytes of a log, and its events."""
    path = tmp_path_factory.mktemp("sound") / "log.sqlite"
    log = SqliteLog.open(path)
    log.record(
        [
            Draft(f"e{n}", "result", f"player{n % 7}", n, n + 1, b'{"values":{"score":%d}}' % n)
            for n in range(1, EVENTS + 1)
        ]
    )
    events = log.read(0, EVENTS)
    log.close()
    return path.read_bytes(), {event.id: event for event in events}


def all_ways(log):
    """Every event that a log hands out, by reading, finding and asking for a player."""
    seen, after = [], 0
    for _page in range(EVENTS):
        page = log.read(after, 7)
        if not page:
            break
        seen += page
        after = page[-1].seq
    seen += [event for event in log.find([f"e{n}" for n in range(EVENTS + 2)]) if event]
    for player in range(8):
        seen += log.of_player(f"player{player}", EVENTS)
    return seen


@pytest.mark.deep
def test_whatever_bit_of_the_file_is_flipped_no_wrong_event_is_handed_out_as_intact(
    sound, tmp_path
):
    content, events = sound
    path = tmp_path / "log.sqlite"
    source = random.Random(5)
    outcomes = {"refused": 0, "aside": 0, "unharmed": 0}
    for _trial in range(scaled(400)):
        damaged = bytearray(content)
        damaged[source.randrange(len(damaged))] ^= 1 << source.randrange(8)
        path.write_bytes(damaged)
        try:
            log = SqliteLog.open(path, create=False)
        except BookError:
            outcomes["refused"] += 1
            continue
        try:
            seen = all_ways(log)
        except (LogError, Corrupt):
            outcomes["refused"] += 1
            continue
        finally:
            log.close()
        for event in seen:
            if event.intact:
                assert event[1:] == events[event.id][1:]
        outcomes["unharmed" if all(event.intact for event in seen) else "aside"] += 1
    assert min(outcomes.values()) > 0, outcomes
