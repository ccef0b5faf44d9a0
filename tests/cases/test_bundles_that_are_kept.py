"""Bundles: the same object while nothing changed, and any change at the next read."""

from threading import Barrier, Event, Lock

import pytest

from rankbook import BookSpec, Bundle, BundleRanking
from tests.book.home import Wrapped, board, players, result
from tests.book.test_together import in_threads
from tests.cases.saying import ban, correct, forget, renamed, unban, void

WANTED = (
    BundleRanking("speed", "all-time"),
    BundleRanking("speed", "daily"),
    BundleRanking("named", "all-time"),
)
AGE = 60


def spec(**more):
    boards = (
        board(windows=("all-time", "daily"), where="score > 0"),
        board("named", profiles="player", where="score > 1"),
        board("apart"),
    )
    bundles = (
        Bundle("home", WANTED, top=3),
        Bundle("aged", WANTED, top=3, max_age_seconds=AGE),
        Bundle("only-named", WANTED, top=3, named_only=True),
    )
    return BookSpec(name="book", boards=boards, bundles=bundles)


@pytest.fixture
def book(home):
    book = home.open(spec=spec())
    names = {"asha": "Asha", "bram": "Bram", "chidi": "Chidi"}
    book.submit_many(
        [
            result(player, 50 - 10 * n, id=f"e-{player}", profile={"name": name})
            for n, (player, name) in enumerate(names.items())
        ]
    )
    return book


def test_a_bundle_is_the_same_object_while_nothing_has_changed(home, book):
    kept = book.bundle("home")
    assert book.bundle("home") is kept
    home.clock.set("2026-11-30T23:59:59Z")
    assert book.bundle("home") is kept
    assert book.bundle("only-named") is not kept


def test_a_change_elsewhere_makes_nothing_anew(book):
    kept = book.bundle("home")
    book.submit(result("dora", 0))
    assert book.ranking("apart").count() == 4
    assert book.bundle("home") is kept
    assert book.bundle("home") is kept


def test_a_result_that_changes_nothing_makes_nothing_anew(book):
    kept = book.bundle("home")
    book.submit(result("asha", 2))
    assert book.bundle("home") is kept


CHANGES = {
    "a result": lambda: result("dora", 45),
    "a result below the top": lambda: result("dora", 5),
    "a void": lambda: void("e-bram"),
    "a correction": lambda: correct("e-bram", 41),
    "a ban": lambda: ban("chidi"),
    "forgetting": lambda: forget("chidi"),
    "a new name": lambda: renamed("asha", "A."),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("other", [False, True], ids=["here", "elsewhere"])
def test_a_change_shows_at_the_next_read_whoever_made_it(home, book, change, other):
    before = book.bundle("home")
    (home.open() if other else book).submit(CHANGES[change]())
    after = book.bundle("home")
    assert after.rankings != before.rankings
    for standings in after.rankings:
        alone = book.ranking(standings.board, window=standings.window).top(3)
        assert standings == alone
    assert book.bundle("home") is after


def test_a_ban_and_its_end_show_in_every_ranking_of_the_bundle(book):
    assert [players(s) for s in book.bundle("home").rankings] == [["asha", "bram", "chidi"]] * 3
    book.submit(ban("bram"))
    assert [players(s) for s in book.bundle("home").rankings] == [["asha", "chidi"]] * 3
    assert [s.count for s in book.bundle("home").rankings] == [2, 2, 2]
    book.submit(unban("bram"))
    assert [players(s) for s in book.bundle("home").rankings] == [["asha", "bram", "chidi"]] * 3


def test_a_new_day_is_a_new_reading_and_a_sealed_period_says_so(home):
    boards = (board(windows=("daily",), seal=True, grace_seconds=60),)
    bundle = Bundle("home", (BundleRanking("speed", "daily"),))
    book = home.open(spec=BookSpec(name="book", boards=boards, bundles=(bundle,)))
    book.submit(result("asha", 5))
    first = book.bundle("home")
    home.clock.set("2026-12-01T00:00:00Z")
    [standings] = book.bundle("home").rankings
    assert (standings.period.id, standings.count) == ("2026-12-01", 0)
    assert first.rankings[0].period.id == "2026-11-30"


def test_a_bundle_between_seasons_shows_that_its_season_is_sealed(home):
    season = {"name": "autumn", "start": "2026-09-01", "end": "2026-12-01"}
    boards = (board(windows=("season",), seasons=(season,), seal=True, grace_seconds=60),)
    bundle = Bundle("home", (BundleRanking("speed", "season"),))
    book = home.open(spec=BookSpec(name="book", boards=boards, bundles=(bundle,)))
    book.submit(result("asha", 5))
    shown = []
    for now in ("2026-11-30T23:59:59Z", "2026-12-01T00:00:59Z", "2026-12-01T00:01:00Z"):
        home.clock.set(now)
        period = book.bundle("home").rankings[0].period
        shown.append((period.id, period.sealed))
    assert shown == [("autumn", False), ("autumn", False), ("autumn", True)]


def test_a_bundle_with_a_maximum_age_shows_a_change_at_the_next_read(home, book):
    kept = book.bundle("aged")
    assert book.bundle("aged") is kept
    book.submit(result("dora", 99))
    assert players(book.bundle("aged").rankings[0])[0] == "dora"


def test_a_bundle_older_than_its_maximum_age_is_read_again_though_nothing_changed(home, book):
    kept = book.bundle("aged")
    home.clock.us += AGE * 1_000_000 - 1
    assert book.bundle("aged") is kept
    home.clock.us += 1
    again = book.bundle("aged")
    assert again is not kept
    assert again.rankings == kept.rankings
    always = book.bundle("home")
    home.clock.us += AGE * 1_000_000 * 3
    assert book.bundle("home") is always


def test_forgetting_clears_bundles_of_whatever_age(book):
    for name in ("home", "aged", "only-named"):
        assert "chidi" in str(book.bundle(name))
    book.submit(forget("chidi"))
    assert "chidi" not in str(book._bundles._kept)
    for name in ("home", "aged", "only-named"):
        assert "chidi" not in str(book.bundle(name))


def test_entries_without_a_usable_name_are_skipped_and_the_others_keep_their_ranks(book):
    book.submit_many(
        [
            result("x1", 100, profile={"avatar": "owl"}),
            result("x2", 99, profile={"name": " \u2003 "}),
        ]
    )
    shown = {
        s.board: [(e.rank, e.player) for e in s.entries] for s in book.bundle("only-named").rankings
    }
    assert shown == {"speed": [(3, "asha")], "named": [(3, "asha")]}
    assert [s.count for s in book.bundle("only-named").rankings] == [5, 5, 5]
    book.submit(renamed("x1", "Xavier"))
    named = book.bundle("only-named").rankings[2]
    assert [(e.rank, e.player) for e in named.entries] == [(1, "x1"), (3, "asha")]


class Counting(Wrapped):
    """Counts readings of tops that go on at the same time, and lets a test hold them up."""

    def __init__(self, store):
        super().__init__(store)
        self.lock, self.running, self.most, self.tops = Lock(), 0, 0, 0
        self.hold, self.entered = None, Event()

    def read(self, queries):
        made = any(getattr(query, "limit", 0) > 0 for query in queries)
        if not made:
            return super().read(queries)
        with self.lock:
            self.running += 1
            self.tops += 1
            self.most = max(self.most, self.running)
        self.entered.set()
        try:
            reading = super().read(queries)
            if self.hold is not None:
                assert self.hold.wait(20)
            return reading
        finally:
            with self.lock:
                self.running -= 1


def test_one_thread_makes_a_new_reading_while_the_others_wait_for_it(home):
    book = home.open(spec=spec(), wrap=Counting)
    book.submit_many([result(f"p{n}", n + 2) for n in range(5)])
    together, found = Barrier(8), []
    for score in range(10, 15):
        book.submit(result("asha", score))
        book.store.tops = book.store.most = 0
        found.clear()

        def read():
            together.wait()
            found.append(book.bundle("home"))

        in_threads(*[read] * 8)
        assert (book.store.tops, book.store.most) == (1, 1)
        assert len({id(each) for each in found}) == 1
        assert found[0].rankings[0].entries[0].score == score


def test_a_reading_that_began_before_somebody_was_forgotten_is_not_kept(home):
    book = home.open(spec=spec(), wrap=Counting)
    book.submit_many([result("asha", 5), result("bram", 4)])
    store = book.store
    store.hold, found = Event(), []
    store.entered.clear()

    def read():
        found.append(book.bundle("aged"))

    def forgetting():
        assert store.entered.wait(20)
        home.open().submit(forget("bram"))  # by another process
        book.fold()
        book._bundles.forget()  # as where this one had published it
        store.hold.set()

    in_threads(read, forgetting)
    store.hold = None
    assert "bram" in str(found[0])
    assert "bram" not in str(book.bundle("aged"))
