"""What every log promises, sentence by sentence of `rankbook.log.base`."""

from itertools import chain, pairwise
from threading import Thread

import pytest

from rankbook.errors import EventConflict, LogError
from rankbook.log.base import Draft, Recorded


def draft(id, player="asha", body=b"{}", kind="result", at_us=5, received_us=6):
    return Draft(id, kind, player, at_us, received_us, body)


def drafts(count, prefix="e", player="asha"):
    return [draft(f"{prefix}{number}", player) for number in range(count)]


def unplaced(events):
    """Events without their seq, which a caller's transaction may give only after its commit."""
    return [event[1:] for event in events]


def test_an_empty_log_has_head_0_and_no_events(log):
    assert log.head() == 0
    assert log.read(0, 10) == []
    assert log.find(["e1"]) == [None]
    assert list(log.of_player("asha", 100)) == []


def test_recording_nothing_records_nothing(log):
    assert log.record([]) == ([], 0)
    assert log.head() == 0


def test_a_recorded_event_reads_back_exactly(log):
    body = bytes(range(256))
    given = Draft("ид-1 'x\"", "void", "Åsa \U0001f3c6", -(2**63), 2**63 - 1, body)
    recording = log.record([given])
    assert recording.new == 1
    assert recording.events == [Recorded(log.head(), *given)]
    assert log.read(0, 10) == recording.events
    assert log.find([given.id]) == recording.events
    assert list(log.of_player(given.player, log.head())) == recording.events


def test_records_come_in_the_order_of_the_drafts_with_rising_seqs(log):
    events = log.record(drafts(50)).events + log.record(drafts(50, "f")).events
    assert [event.id for event in events] == [f"{p}{n}" for p in "ef" for n in range(50)]
    assert all(left.seq < right.seq for left, right in pairwise(events))
    assert log.read(0, 1000) == events
    assert log.head() == events[-1].seq


def test_a_known_id_with_the_same_content_gives_its_first_record(log):
    first = log.record([draft("e1", at_us=1, received_us=1)])
    again = log.record([draft("e1", at_us=2, received_us=2)])
    assert again == (first.events, 0)
    assert log.read(0, 10) == first.events


def test_an_id_twice_in_a_batch_is_recorded_once(log):
    recording = log.record([draft("e1"), draft("e2"), draft("e1"), draft("e1")])
    first, second = log.read(0, 10)
    assert recording == ([first, second, first, first], 2)


@pytest.mark.parametrize(
    "other",
    [draft("e1", body=b"{ }"), draft("e1", player="bram"), draft("e1", kind="void")],
    ids=["body", "player", "kind"],
)
def test_a_known_id_with_other_content_is_a_conflict_and_nothing_is_written(log, other):
    before = log.record([draft("e1")]).events
    with pytest.raises(EventConflict) as caught:
        log.record([draft("new"), other, draft("newer")])
    assert caught.value.event_id == "e1"
    assert log.read(0, 10) == before
    assert log.find(["new", "newer"]) == [None, None]


def test_an_id_twice_in_a_batch_with_two_contents_is_a_conflict_and_nothing_is_written(log):
    with pytest.raises(EventConflict):
        log.record([draft("e0"), draft("e1"), draft("e1", body=b"other")])
    assert log.head() == 0
    assert log.read(0, 10) == []


def test_recording_goes_on_after_a_conflict(log):
    log.record([draft("e1")])
    with pytest.raises(EventConflict):
        log.record([draft("e1", body=b"other")])
    assert log.record([draft("e2")]).new == 1


def test_a_batch_may_mix_known_and_new_events_and_be_larger_than_a_chunk(log):
    known = log.record(drafts(700)[::2])
    recording = log.record(drafts(1500))
    assert recording.new == 1500 - known.new
    assert [event.id for event in recording.events] == [f"e{number}" for number in range(1500)]
    assert recording.events[0:700:2] == known.events
    assert log.find([f"e{number}" for number in range(1500)]) == recording.events


def test_reading_pages_through_the_log_without_a_gap(log):
    events = log.record(drafts(10)).events
    pages, after = [], 0
    while page := log.read(after, 3):
        pages.append(page)
        after = page[-1].seq
    assert [len(page) for page in pages] == [3, 3, 3, 1]
    assert list(chain(*pages)) == events
    assert log.read(log.head(), 3) == []


def test_find_answers_in_the_order_asked_with_repeats_and_gaps(log):
    one, two = log.record([draft("e1"), draft("e2")]).events
    assert log.find(["e2", "none", "e1", "e2"]) == [two, None, one, two]
    assert log.find([]) == []


def test_ids_and_players_are_compared_exactly(log):
    ids = ["a", "A", "a ", "é", "e\u0301", "1", "01", "1.0"]
    assert log.record([draft(id, player=id) for id in ids]).new == len(ids)
    assert [next(log.of_player(id, 100)).id for id in ids] == ids


def test_a_players_events_come_oldest_first_up_to_and_with_until(log):
    log.record([draft(f"e{number}", player=f"p{number % 3}") for number in range(30)])
    mine = [event for event in log.read(0, 100) if event.player == "p1"]
    assert list(log.of_player("p1", log.head())) == mine
    assert list(log.of_player("p1", mine[3].seq)) == mine[:4]
    assert list(log.of_player("p1", mine[3].seq - 1)) == mine[:3]
    assert list(log.of_player("p1", 0)) == []


def test_a_players_long_history_streams_whole_while_others_record(log):
    log.record(drafts(1300))
    until = log.head()
    seen = []
    for event in log.of_player("asha", until):
        if len(seen) % 100 == 0:
            log.record([draft(f"later{len(seen)}")])
        seen.append(event.id)
    assert seen == [f"e{number}" for number in range(1300)]


def test_what_was_recorded_is_there_when_opened_again(backend):
    log = backend.open()
    events = log.record(drafts(5)).events
    log.close()
    again = backend.open()
    assert again.read(0, 10) == events
    assert again.record([draft("e9")]).events[0].seq > events[-1].seq
    again.close()


def test_two_handles_on_one_log_see_each_others_events_and_ids(log, backend):
    other = backend.open()
    first = log.record([draft("e1")])
    assert other.read(0, 10) == first.events
    assert other.record([draft("e1")]) == (first.events, 0)
    with pytest.raises(EventConflict):
        other.record([draft("e1", body=b"other")])
    second = other.record([draft("e2")])
    assert log.read(first.events[0].seq, 10) == second.events
    other.close()


def test_a_reader_never_sees_an_earlier_event_appear_while_a_transaction_is_open(log, backend):
    start = log.record([draft("start")]).events
    other = backend.open()
    writer = Thread(target=other.record, args=[[draft("quick")]])
    with backend.held() as record:
        record([draft("slow")])
        writer.start()
        head = log.head()
        handed_out = log.read(0, 10)
    writer.join()
    events = log.read(0, 10)
    assert handed_out[:1] == start
    assert handed_out[-1].seq >= head
    assert events[: len(handed_out)] == handed_out
    assert all(left.seq < right.seq for left, right in pairwise(events))
    assert sorted(event.id for event in events) == ["quick", "slow", "start"]
    other.close()


def test_events_recorded_in_a_callers_transaction_appear_at_its_commit(log, backend):
    with backend.held() as record:
        recording = record([draft("e1"), draft("e2"), draft("e1")])
        assert recording.new == 2
        assert log.read(0, 10) == []
        assert log.find(["e1"]) == [None]
    assert unplaced(log.find(["e1", "e2", "e1"])) == unplaced(recording.events)
    assert unplaced(log.read(0, 10)) == unplaced(recording.events[:2])
    assert log.find(["e1", "e2"]) == log.read(0, 10)


def test_the_head_counts_what_a_callers_transaction_has_committed(log, backend):
    log.record([draft("e1")])
    with backend.held() as record:
        record([draft("e2"), draft("e3")])
        assert log.head() == log.read(0, 10)[-1].seq
    head = log.head()
    assert list(log.of_player("asha", head)) == log.read(0, 10)
    assert log.read(0, 10)[-1].seq == log.head() == head


def test_what_is_recorded_after_a_callers_transaction_committed_comes_after_it(log, backend):
    for number in range(3):
        with backend.held() as record:
            record([draft(f"held{number}"), draft(f"held{number}-2")])
        log.record([draft(f"own{number}")])
    order = [event.id for event in log.read(0, 100)]
    assert order == [id for n in range(3) for id in (f"held{n}", f"held{n}-2", f"own{n}")]


def test_an_id_recorded_in_a_callers_transaction_is_known_to_everybody(log, backend):
    with backend.held() as record:
        record([draft("e1")])
    again = log.record([draft("e2"), draft("e1")])
    assert (again.new, [event.id for event in again.events]) == (1, ["e2", "e1"])
    assert [event.id for event in log.read(0, 10)] == ["e1", "e2"]
    with backend.held() as record:
        known = record([draft("e1"), draft("e3")])
        assert known.new == 1
        assert known.events[0] == log.find(["e1"])[0]


def test_events_recorded_in_a_callers_transaction_vanish_with_its_rollback(log, backend):
    def trouble():
        with backend.held() as record:
            record([draft("e1")])
            raise KeyError("the caller's own trouble")

    with pytest.raises(KeyError):
        trouble()
    assert log.read(0, 10) == []
    assert log.record([draft("e1", body=b"other")]).new == 1


def test_a_conflict_in_a_callers_transaction_leaves_the_rest_of_it_whole(log, backend):
    log.record([draft("e1")])
    with backend.held() as record:
        record([draft("e2")])
        with pytest.raises(EventConflict):
            record([draft("e3"), draft("e1", body=b"other")])
        record([draft("e4")])
    assert [event.id for event in log.read(0, 10)] == ["e1", "e2", "e4"]


def test_a_follower_misses_nothing_while_several_handles_record(log, backend):
    handles = [backend.open() for _ in range(3)]

    def write(name, handle):
        for number in range(60):
            handle.record([draft(f"{name}-{number}-{part}") for part in range(number % 3 + 1)])

    writers = [Thread(target=write, args=[n, handle]) for n, handle in enumerate(handles)]
    for writer in writers:
        writer.start()
    followed = []
    while any(writer.is_alive() for writer in writers):
        followed += log.read(followed[-1].seq if followed else 0, 7)
    while page := log.read(followed[-1].seq if followed else 0, 7):
        followed += page
    assert followed == log.read(0, 10_000)
    assert len({event.id for event in followed}) == len(followed) == 3 * 120
    for handle in handles:
        handle.close()


def test_one_handle_serves_several_threads(log):
    recordings = []

    def write():
        for number in range(40):
            recordings.append(log.record([draft(f"e{number}")]))

    threads = [Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(recording.new for recording in recordings) == 40
    assert len(log.read(0, 1000)) == 40


def test_erasing_leaves_of_a_forgotten_players_events_their_places_and_times(log):
    log.record([draft("e1"), draft("e2", "bram"), draft("f1", kind="forget"), draft("e3")])
    before = log.read(0, 10)
    assert log.erase(before[1].seq) == 0
    assert log.read(0, 10) == before
    assert log.erase(log.head()) == 1
    nothing = {"player": "", "body": b"{}"}
    first, bram, forget, later = before
    assert log.read(0, 10) == [
        first._replace(kind="forgotten", **nothing),
        bram,
        forget._replace(**nothing),
        later,
    ]
    assert list(log.of_player("asha", log.head())) == [later]
    assert log.erase(log.head()) == 0


def test_a_forgotten_event_recorded_again_is_a_conflict(log):
    log.record([draft("e1"), draft("f1", kind="forget")])
    log.erase(log.head())
    with pytest.raises(EventConflict):
        log.record([draft("e1")])


def test_waiting_for_what_is_there_ends_at_once(log):
    seq = log.record([draft("e1")]).events[0].seq
    assert log.wait(0, 3600)
    assert log.wait(seq - 1, 3600)
    assert not log.wait(seq, 0)


@pytest.mark.parametrize("how", ["record", "held"])
def test_who_waits_is_told_of_what_others_record(how, log, backend):
    seq = log.record([draft("e1")]).events[0].seq
    told = []
    waiter = Thread(target=lambda: told.append(log.wait(seq, 3600)))
    waiter.start()
    if how == "record":
        other = backend.open()
        other.record([draft("e2")])
        other.close()
    else:
        with backend.held() as record:
            record([draft("e2")])
    waiter.join()
    assert told == [True]


def test_closing_twice_is_harmless_and_a_closed_log_says_so(backend):
    log = backend.open()
    log.record([draft("e1")])
    log.close()
    log.close()
    for call in (
        lambda: log.record([draft("e2")]),
        lambda: log.read(0, 1),
        lambda: log.find(["e1"]),
        lambda: list(log.of_player("asha", 1)),
        log.head,
        lambda: log.erase(1),
        lambda: log.wait(0, 1),
    ):
        with pytest.raises(LogError):
            call()


@pytest.mark.parametrize("text", ["a\ud800", "\udfff", "a\0b"])
def test_no_event_has_an_id_or_a_player_that_a_database_cannot_hold(log, text):
    [known] = log.record([draft("e1")]).events
    assert log.find([text, "e1", text]) == [None, known, None]
    assert list(log.of_player(text, 10)) == []
