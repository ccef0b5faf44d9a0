"""Every event has a checksum: what was changed after it was recorded is not intact."""

import hashlib

import pytest

from rankbook.book.upkeep.log_check import check_log
from rankbook.log.base import Draft
from rankbook.log.records import checksum

CHANGES = [
    ("kind", "void"),
    ("player", "asia"),
    ("at_us", 6),
    ("received_us", 7),
    ("body", b'{"values":{"score":8}}'),
    ("checksum", b"12345678"),
]


def draft(id, player="asha", body=b'{"values":{"score":9}}', kind="result"):
    return Draft(id, kind, player, 5, 6, body)


def whole(events):
    return {event.id: event.intact for event in events}


def test_the_checksum_is_the_one_that_the_format_describes():
    given = Draft("ид", "result", "Åsha", -5, 1_790_000_000_000_000, b"\x00\xff")
    content = (
        (-5).to_bytes(8, "big", signed=True)
        + (1_790_000_000_000_000).to_bytes(8, "big")
        + b"\0\0\0\x04"
        + b"\0\0\0\x06"
        + b"\0\0\0\x05"
        + "идresultÅsha".encode()
        + b"\x00\xff"
    )
    assert checksum(given) == hashlib.sha256(content).digest()[:8]


def test_what_moves_from_one_field_to_the_next_has_another_checksum():
    assert checksum(draft("ab", player="c")) != checksum(draft("a", player="bc"))


def test_what_was_recorded_is_intact_however_it_is_read(log, backend):
    given = [draft("e1"), draft("ид-2", player="Åsa \U0001f3c6", body=bytes(range(256)))]
    assert whole(log.record([*given, given[0]]).events) == {"e1": True, "ид-2": True}
    with backend.held() as record:
        record([draft("e3")])
    assert whole(log.read(0, 10)) == {"e1": True, "ид-2": True, "e3": True}
    assert whole(log.find(["e1", "ид-2", "e3"])) == {"e1": True, "ид-2": True, "e3": True}
    assert whole(log.of_player("asha", 10)) == {"e1": True, "e3": True}
    assert whole(log.record([draft("e1")]).events) == {"e1": True}


@pytest.mark.parametrize(("column", "value"), CHANGES, ids=[column for column, _ in CHANGES])
def test_an_event_that_was_changed_is_not_intact_and_its_neighbours_are(
    log, backend, column, value
):
    log.record([draft("e1"), draft("e2"), draft("e3")])
    backend.change("e2", column, value)
    assert whole(log.read(0, 10)) == {"e1": True, "e2": False, "e3": True}
    assert whole(log.find(["e2", "e3"])) == {"e2": False, "e3": True}
    if column != "player":
        assert whole(log.of_player("asha", 10)) == {"e1": True, "e2": False, "e3": True}


def test_an_event_whose_id_was_changed_is_not_intact(log, backend):
    log.record([draft("e1")])
    backend.change("e1", "id", "e7")
    assert whole(log.read(0, 10)) == {"e7": False}


def test_forgetting_a_player_gives_the_erased_events_checksums_that_match(log):
    log.record([draft("e1"), draft("e2", player="bram"), draft("f", kind="forget", body=b"{}")])
    assert log.erase(3) == 1
    events = log.read(0, 10)
    assert [event.kind for event in events] == ["forgotten", "result", "forget"]
    assert [event.player for event in events] == ["", "bram", ""]
    assert whole(events) == {"e1": True, "e2": True, "f": True}


def test_forgetting_a_player_leaves_a_damaged_event_damaged(log, backend):
    log.record([draft("e1"), draft("e2"), draft("f", kind="forget", body=b"{}")])
    backend.change("e1", "at_us", 4_000_000_000_000_000)
    log.erase(3)
    assert whole(log.read(0, 10)) == {"e1": False, "e2": True, "f": True}
    assert [event.body for event in log.read(0, 10)] == [b"{}"] * 3
    assert log.erase(3) == 0


def test_a_damaged_forget_erases_nobody(log, backend):
    log.record([draft("e1", player="bram"), draft("f", kind="forget", body=b"{}")])
    before = log.find(["e1"])
    backend.change("f", "player", "bram")
    assert log.erase(2) == 0
    assert log.find(["e1"]) == before


def test_who_checks_a_log_finds_the_events_that_were_changed_and_no_fault(log, backend):
    log.record([draft(f"e{number}") for number in range(1, 6)])
    backend.change("e2", "at_us", 9)
    backend.change("e4", "body", b'{"values":{}}')
    found = check_log(log, lambda _events: None)
    assert (found.sound, found.position, found.events, found.set_aside) == (False, 5, 5, 2)
    assert [(each.seq, each.event_id) for each in found.unreadable] == [(2, "e2"), (4, "e4")]
    assert found.faults == ()
