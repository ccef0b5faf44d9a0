"""Uncertain outcomes: asked for by the event's id, and never guessed."""

import pytest

from rankbook import (
    ConfigError,
    Event,
    EventConflict,
    EventOutcome,
    Lag,
    LogError,
    Refused,
    StoreError,
    submit_with_retry,
)
from tests.book.home import board, result
from tests.book.test_retries import Down
from tests.cases.saying import correct, forget, void


@pytest.mark.parametrize("id", ["never", ""])
def test_an_id_that_nobody_recorded_is_unknown(home, id):
    assert home.open(board()).outcome(id) == EventOutcome(status="unknown")


def test_an_event_is_recorded_and_then_ranked_with_its_receipt(home):
    book = home.open(board())
    book.record([result("asha", 5, id="a")])
    found = book.outcome("a")
    assert (found.status, found.receipt.status, found.receipt.player) == (
        "recorded",
        "pending",
        "asha",
    )
    receipt = book.submit(result("asha", 5, id="a"))
    assert book.outcome("a") == EventOutcome(status="ranked", receipt=receipt)
    home.clock.set("2027-01-01T00:00:00Z")
    assert home.open().outcome("a").receipt == receipt


def test_while_the_store_is_down_what_is_recorded_is_known_to_be(home):
    book = home.open(board(), wrap=Down)
    book.submit(result("asha", 5, id="a"))
    book.store.down = True
    assert book.outcome("a").status == "recorded"
    book.store.down = False
    assert book.outcome("a").status == "ranked"


def test_an_event_of_a_forgotten_player_says_nothing_more_of_what_it_did(home):
    book = home.open(board())
    book.submit(result("asha", 5, id="a"))
    book.submit(forget("asha", id="f"))
    found = book.outcome("a")
    assert (found.status, found.receipt.player, found.receipt.rankings) == ("ranked", "", ())
    assert book.outcome(forget("asha", id="f")).status == "ranked"
    with pytest.raises(EventConflict):
        book.outcome(result("asha", 5, id="a"))


@pytest.mark.parametrize(
    ("event", "other"),
    [
        (result("asha", 5, id="x"), result("asha", 6, id="x")),
        (result("asha", 5, id="x"), result("bram", 5, id="x")),
        (void("a", id="x"), void("b", id="x")),
        (correct("a", 7, id="x"), correct("a", 8, id="x")),
        (void("a", id="x"), correct("a", 7, id="x")),
    ],
)
def test_given_the_event_other_content_is_a_conflict_as_it_is_for_a_retry(home, event, other):
    book = home.open(board())
    book.submit_many([result("asha", 1, id="a"), result("asha", 2, id="b")])
    receipt = book.submit(event)
    assert book.outcome(event).receipt == book.submit(event) == receipt
    for ask in (book.outcome, book.submit):
        with pytest.raises(EventConflict):
            ask(other)


def test_the_lag_is_how_many_are_pending_and_how_old_the_oldest_is(home):
    book = home.open(board())
    assert book.lag() == Lag(0, 0.0, 0, 0)
    book.record([result("asha", 5), result("bram", 5)])
    home.clock.us += 2_500_000
    book.record([result("chidi", 5)])
    assert book.lag() == Lag(3, 2.5, 0, 3)
    assert (book.doctor().pending, book.doctor().lag_seconds) == (3, 2.5)
    book.fold()
    assert book.lag() == Lag(0, 0.0, 3, 3)


def test_a_clock_that_was_set_back_gives_no_negative_lag(home):
    book = home.open(board())
    book.record([result("asha", 5)])
    home.clock.us -= 3_600_000_000
    assert book.lag() == Lag(1, 0.0, 0, 1)


# --- submitting surely ---------------------------------------------------------------------------

EVENT = result("asha", 5, id="a")


class Unsure:
    """A book behind a connection that fails as the script says: before or after the work."""

    def __init__(self, book, *script, asking=()):
        self.book = book
        self.script = list(script)
        self.asking = list(asking)
        self.pauses = []

    def submit(self, event):
        return self._do(self.script, lambda: self.book.submit(event))

    def outcome(self, event):
        return self._do(self.asking, lambda: self.book.outcome(event))

    def _do(self, script, work):
        when, error = script.pop(0) if script else ("", None)
        if when == "before":
            raise error
        done = work()
        if when == "after":
            raise error
        return done


def surely(unsure, event=EVENT, attempts=4):
    return submit_with_retry(unsure, event, attempts=attempts, pause=unsure.pauses.append)


ERRORS = [LogError("cut"), StoreError("down"), TimeoutError(), ConnectionResetError()]


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lost_submission_ends_as_one_recorded_event_and_its_receipt(home, error, when):
    book = home.open(board())
    unsure = Unsure(book, (when, error))
    receipt = surely(unsure)
    assert receipt.status == "ranked"
    assert (book.log.head(), receipt) == (1, book.outcome("a").receipt)
    assert unsure.pauses == ([0.1] if when == "before" else [])


def test_without_an_answer_to_the_question_it_submits_again_with_the_same_id(home):
    book = home.open(board())
    error = TimeoutError()
    unsure = Unsure(book, ("after", error), ("after", error), asking=[("before", error)] * 2)
    assert surely(unsure).status == "ranked"
    assert (book.log.head(), unsure.pauses) == (1, [0.1, 0.2])


def test_what_is_recorded_and_not_ranked_is_submitted_again_and_then_given_as_it_is(home):
    book = home.open(board())
    book.record([EVENT])
    error = StoreError("down")
    assert surely(Unsure(book, ("before", error))).status == "ranked"
    other = result("bram", 6, id="b")
    book.record([other])
    assert surely(Unsure(book, *[("before", error)] * 4), other).status == "pending"


def test_when_nothing_helps_it_raises_and_does_not_guess(home):
    book = home.open(board())
    errors = [LogError(f"try {n}") for n in range(4)]
    unsure = Unsure(book, *[("before", error) for error in errors])
    with pytest.raises(LogError, match="try 3"):
        surely(unsure)
    assert book.outcome("a").status == "unknown"
    assert unsure.pauses == [0.1, 0.2, 0.4]


@pytest.mark.parametrize("script", [[], [("before", LogError("cut"))]])
def test_a_conflict_is_raised_also_when_it_shows_in_the_answer_to_the_question(home, script):
    book = home.open(board())
    book.submit(result("asha", 6, id="a"))
    with pytest.raises(EventConflict):
        surely(Unsure(book, *script))


def test_an_event_without_an_id_cannot_be_submitted_surely(home):
    book = home.open(board())
    with pytest.raises(ConfigError, match="id: is empty"):
        submit_with_retry(book, result("asha", 5))
    with pytest.raises(ValueError, match="attempts"):
        submit_with_retry(book, EVENT, attempts=0)
    assert book.log.head() == 0


def test_what_is_refused_is_refused_at_once(home):
    unsure = Unsure(home.open(board()))
    with pytest.raises(Refused):
        surely(unsure, result("asha", float("nan"), id="a"))
    assert unsure.pauses == []


@pytest.mark.parametrize("kind", ["void", "correct"])
def test_a_target_with_a_lone_surrogate_is_refused_and_no_such_event_is_known(home, kind):
    book = home.open(board())
    with pytest.raises(Refused, match=r"^target: "):
        book.submit(Event(player="asha", kind=kind, target="a\ud800", values={"score": 1}))
    assert book.outcome("a\ud800").status == "unknown"
