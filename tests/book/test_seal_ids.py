"""The ids of seals are for seals: a period closes whatever a log has under its seal's id."""

import pytest

from rankbook import Refused
from rankbook.book import events
from tests.book.home import board, result
from tests.cases.saying import ban, correct, forget, refolds_alike, renamed, said, unban, void

SEAL = "seal:speed/daily/2026-11-30"


def close_a_day(home, book):
    book.submit(result("asha", 9, id="a"))
    home.clock.set("2026-12-01T12:00:00Z")


def record_old(home, book, submitted):
    """Record what a program took that did not keep the ids of seals for seals."""
    book.log.record([events.draft(each, home.clock()) for each in submitted])


def is_closed(book):
    late = book.submit(result("asha", 99, at="2026-11-30T13:00:00Z"))
    assert late.rankings[0].why == "period_closed"
    return book.ranking("speed", period="2026-11-30").top().period.sealed


def test_a_period_whose_seal_was_changed_is_sealed_by_another(home, change):
    book = home.open(board(windows=("daily",), seal=True))
    close_a_day(home, book)
    assert book._record_due_seals(home.clock())
    change(SEAL, "body", b'{"target":"speed/daily/2026-12-30"}')
    assert is_closed(book)
    assert [each.event_id for each in book.doctor().unreadable] == [SEAL]
    assert [each.kind for each in book.log.find([f"{SEAL}#2"])] == ["seal"]
    assert not book.ranking("speed", period="2026-12-30").top().period.sealed
    refolds_alike(book, home)


@pytest.mark.parametrize("squatters", [1, 3])
def test_a_period_whose_seals_id_an_older_log_has_for_a_result_is_sealed_by_another_id(
    home, squatters
):
    book = home.open(board(windows=("daily",), seal=True))
    ids = [SEAL, *[f"{SEAL}#{number}" for number in range(2, squatters + 1)]]
    record_old(home, book, [result("mallory", 1, id=id) for id in ids])
    heard = []
    book.on_close(heard.append)
    close_a_day(home, book)
    assert is_closed(book)
    assert [each.period.id for each in heard] == ["2026-11-30"]
    [seal] = book.log.find([f"{SEAL}#{squatters + 1}"])
    assert (seal.kind, seal.player) == ("seal", "")
    assert [each.kind for each in book.log.read(0, 100)].count("seal") == 1
    refolds_alike(book, home)


def test_a_hundred_taken_ids_keep_no_later_period_from_being_sealed(home):
    book = home.open(board(windows=("daily",), seal=True))
    days = [f"2026-{month:02}-{day:02}" for month in (7, 8, 9, 10) for day in range(1, 29)]
    for day in days:
        home.clock.set(f"{day}T08:00:00Z")
        record_old(home, book, [result("mallory", 1, id=f"seal:speed/daily/{day}")])
    home.clock.set("2026-11-30T12:00:00Z")
    book.fold()
    close_a_day(home, book)
    book.close_due()
    sealed = [each for each in book.log.read(0, 1000) if each.kind == "seal"]
    assert len(sealed) == len(days) + 1
    assert is_closed(book)


@pytest.mark.parametrize(
    "event",
    [
        result("asha", 9, id=SEAL),
        result("asha", 9, id="seal:"),
        void("a", id=SEAL),
        correct("a", 8, id=f"{SEAL}#2"),
        ban("asha", id="seal:anything"),
        unban("asha", id=SEAL),
        forget("asha", id=SEAL),
        renamed("asha", "Asha", id=SEAL),
        said("seal", id=SEAL, target="speed/daily/2026-11-29"),
    ],
    ids=lambda event: event.kind,
)
def test_no_event_but_that_very_seal_may_have_the_id_of_a_seal(home, event):
    book = home.open(board(windows=("daily",), seal=True))
    book.submit(result("asha", 9, id="a"))
    with pytest.raises(Refused, match=r"^id: begins with 'seal:'"):
        book.submit(event)
    assert book.log.head() == 1


def test_a_seal_may_be_submitted_under_its_own_id_and_then_it_is_the_only_one(home):
    book = home.open(board(windows=("daily",), seal=True))
    close_a_day(home, book)
    ends = "2026-12-01T00:00:00Z"
    book.submit(said("seal", id=SEAL, at=ends, target="speed/daily/2026-11-30"))
    assert is_closed(book)
    assert [each.kind for each in book.log.read(0, 100)].count("seal") == 1
