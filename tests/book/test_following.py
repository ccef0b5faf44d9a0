"""Following: what is recorded is ranked as it comes, and trouble is waited out."""

import pytest

from rankbook import Follower, LogError, RebuildNeeded, StoreError
from tests.book.home import assert_agrees, board, result
from tests.book.test_retries import Down

SPEED = board(windows=("all-time",))


class Time:
    """A clock in seconds that moves when somebody waits, and what happens at each wait."""

    def __init__(self, *happenings):
        self.now = 100.0
        self.waits = []
        self.happenings = list(happenings)
        self.over = False

    def __call__(self):
        return self.now

    def pause(self, seconds):
        self.waits.append(round(seconds, 3))
        self.now += seconds
        if self.happenings:
            self.happenings.pop(0)()
        else:
            self.over = True


class Followed:
    """A follower of a book whose every wait, for the log or in trouble, is one of `time`."""

    def __init__(self, book, *happenings):
        self.time = Time(*happenings)
        self.told = []
        self.troubles = []
        log = book.log

        class Log:
            def __getattr__(_, name):
                return getattr(log, name)

            def wait(_, after, seconds):
                self.time.pause(seconds)
                return log.head() > after

        book.log = Log()
        self.follower = Follower(
            book,
            stopped=lambda: self.time.over,
            told=self.told.append,
            troubled=self.troubles.append,
            pause=self.time.pause,
            monotonic=self.time,
        )

    def run(self, seconds=None):
        return self.follower.run(seconds)


def figures(followed):
    return [(each.ranked, each.position, each.pending, each.lag_seconds) for each in followed.told]


def test_what_is_recorded_meanwhile_is_ranked_and_told_of(home):
    book, other = home.open(SPEED), home.open()
    followed = Followed(
        book,
        lambda: other.record([result("asha", 1), result("bram", 2)]),
        lambda: None,
        lambda: other.record([result("chidi", 3)]),
    )
    assert followed.run() == 3
    assert figures(followed) == [(0, 0, 0, 0.0), (2, 2, 0, 0.0), (3, 3, 0, 0.0)]
    assert book.ranking("speed").count() == 3


def test_it_ends_after_so_many_seconds(home):
    followed = Followed(home.open(SPEED), *[lambda: None] * 10)
    assert followed.run(2.5) == 0
    assert followed.time.waits == [1.0, 1.0, 0.5]


def test_a_backlog_is_told_of_between_its_steps_with_what_is_left_of_it(home):
    book = home.open(SPEED)
    book.record([result(f"p{n}", n) for n in range(2500)])
    home.clock.us += 5_000_000
    followed = Followed(book)
    followed.run()
    assert figures(followed)[0] == (1000, 1000, 1500, 5.0)
    assert figures(followed)[-1] == (2500, 2500, 0, 0.0)


def test_it_stops_between_two_steps_of_a_backlog(home):
    book = home.open(SPEED)
    book.record([result(f"p{n}", n) for n in range(2500)])
    followed = Followed(book)
    followed.follower._told = lambda _found: setattr(followed.time, "over", True)
    assert followed.run() == 1000
    assert book.pending() == 1500


def test_while_the_store_is_down_it_waits_longer_and_longer_up_to_a_cap(home):
    book = home.open(SPEED, wrap=Down)
    book.record([result("asha", 1)])
    book.store.down = True

    def heal():
        book.store.down = False

    followed = Followed(book, *[lambda: None] * 10, heal)
    assert followed.run() == 1
    waits = followed.time.waits
    assert waits[:5] == [0.1, 0.2, 0.4, 0.8, 1.6]
    assert (waits[9], waits[10], max(waits)) == (30.0, 30.0, 30.0)
    assert [each.seconds for each in followed.troubles] == [pytest.approx(w) for w in waits[:11]]
    assert {str(each.error) for each in followed.troubles} == {"down"}
    assert (book.pending(), book.ranking("speed").count()) == (0, 1)


def test_after_it_went_well_the_next_trouble_starts_with_a_short_wait(home):
    book = home.open(SPEED, wrap=Down)

    def down(is_down):
        return lambda: setattr(book.store, "down", is_down)

    followed = Followed(
        book, down(True), lambda: None, down(False), down(True), down(False), lambda: None
    )
    followed.run()
    assert followed.time.waits[:5] == [1.0, 0.1, 0.2, 1.0, 0.1]


def test_trouble_of_the_log_is_waited_out_too(home):
    book = home.open(SPEED)
    followed = Followed(book, lambda: None)
    waits = iter([LogError("cut"), None])
    plain = book.log.wait

    def wait(after, seconds):
        error = next(waits, None)
        if error:
            raise error
        return plain(after, seconds)

    book.log.wait = wait
    followed.run()
    assert [str(each.error) for each in followed.troubles] == ["cut"]


def test_what_will_not_pass_ends_it(home):
    book = home.open(SPEED)
    followed = Followed(book)

    def fold(**_keywords):
        raise RebuildNeeded("made anew under other rules")

    book.fold = fold
    with pytest.raises(RebuildNeeded):
        followed.run()


def test_periods_that_end_meanwhile_are_closed(home):
    book = home.open(board(windows=("daily",), seal=True))
    book.submit(result("asha", 1))
    heard = []
    book.on_close(lambda closing: heard.append(closing.period.id))
    followed = Followed(book, lambda: home.clock.set("2026-12-01T00:00:00Z"), lambda: None)
    assert followed.run() == 1
    assert heard == ["2026-11-30"]


def test_a_race_that_is_lost_is_no_trouble(home):
    book, other = home.open(SPEED), home.open()
    followed = Followed(
        book, lambda: other.submit(result("asha", 1)), lambda: other.submit(result("bram", 1))
    )
    assert followed.run() == 0
    assert followed.troubles == []
    assert_agrees(book)


def test_a_store_that_fails_while_it_is_told_of_is_trouble_and_counts_nothing_twice(memory_home):
    book = memory_home.open(SPEED)
    book.record([result("asha", 1), result("bram", 2)])
    memory_home.store.fail_next_publish("after")
    followed = Followed(book, lambda: None)
    followed.run()
    assert [type(each.error) for each in followed.troubles] == [StoreError]
    assert (book.pending(), book.ranking("speed").count()) == (0, 2)
