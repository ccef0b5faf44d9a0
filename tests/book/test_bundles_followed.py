"""A kept bundle follows what its own process publishes: it must be what reading it anew gives."""

import random

import pytest
from msgspec.structs import replace

from rankbook import BookSpec, Bundle, BundleRanking, Rankbook
from tests.book.home import Clock, board, players, result
from tests.book.site import SPEC, typed
from tests.cases.saying import ban, correct, forget, renamed, unban, void
from tests.depth import scaled

BOARDS = (
    board("speed"),
    board("capped", size=4, tie_break="last"),
    board("dense", numbering="dense", keep="total"),
    board("shown", profiles="player", numbering="ordinal", windows=("all-time", "daily")),
)
WINDOWS = [("speed", "all-time"), ("capped", "all-time"), ("dense", "all-time")]
WINDOWS += [("shown", "all-time"), ("shown", "daily")]
TOP = 5
BUNDLE = Bundle("home", tuple([BundleRanking(*each) for each in WINDOWS]), top=TOP)
BOOK = BookSpec(name="book", boards=BOARDS, bundles=(BUNDLE,))


class Reads:
    """Counts what a store is asked."""

    def __init__(self, monkeypatch, store):
        self.asked = []
        inner = store.read
        monkeypatch.setattr(store, "read", lambda queries: self.asked.append(1) or inner(queries))

    def during(self, read):
        before = len(self.asked)
        read()
        return len(self.asked) - before


class Chance:
    """Events that may move what is shown: mostly results, of few players and few scores."""

    def __init__(self, seed):
        self.source = random.Random(seed)
        self.results = {}
        self.number = 0

    def events(self):
        """One of any kind, or several results."""
        if self.source.random() < 0.8:
            return [self._result() for _ in range(self.source.choice([1, 1, 1, 2, 40]))]
        return [self._other()]

    def _result(self):
        self.number += 1
        player, score = f"p{self.source.randrange(12)}", self.source.randrange(1, 30)
        self.results[f"e{self.number}"] = player
        return result(player, score, id=f"e{self.number}", profile={"name": player})

    def _other(self):
        player, number = f"p{self.source.randrange(12)}", self.source.randrange(1, 30)
        target = self.source.choice([*self.results] or [""])
        kinds = [lambda: ban(player), lambda: unban(player), lambda: renamed(player, f"n{number}")]
        if target:
            kinds += [lambda: void(target), lambda: correct(target, number)]
        if self.source.random() < 0.1:
            self.results = {id: of for id, of in self.results.items() if of != player}
            return forget(player)
        return self.source.choice(kinds)()


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(6))
def test_a_bundle_that_is_followed_is_what_reading_it_anew_gives(tmp_path, seed):
    follow(tmp_path, BOOK, Chance(seed), steps=scaled(200))


@pytest.mark.deep
@pytest.mark.parametrize("partition", ["book", "period"])
def test_a_bundle_on_redis_that_is_followed_is_what_reading_it_anew_gives(
    tmp_path, redis_uri, partition
):
    spec = replace(BOOK, store=redis_uri, partition=partition, partitions=3)
    follow(tmp_path, spec, Chance(7), steps=scaled(100))


def follow(directory, spec, chance, steps):
    clock = Clock()
    with (
        Rankbook.open(directory, spec=spec, clock=clock) as book,
        Rankbook.open(directory, spec=spec, clock=clock) as other,
    ):
        for _step in range(steps):
            writer = book if chance.source.random() < 0.7 else other
            for receipt in writer.submit_many(chance.events()):
                assert receipt.status == "ranked"
            clock.us += chance.source.choice([1, 1, 1, 400_000])
            for reader in (book, other):
                if chance.source.random() < 0.6:
                    assert_as_read_anew(reader)


def assert_as_read_anew(reader):
    shown = reader.bundle("home")
    assert shown.position <= reader.store.position()
    for (name, window), standings in zip(WINDOWS, shown.rankings, strict=True):
        assert standings == reader.ranking(name, window=window).top(TOP)


def test_what_is_below_what_is_shown_is_not_read_back(tmp_path, monkeypatch):
    with Rankbook.open(tmp_path, spec=SPEC, clock=Clock()) as book:
        book.submit_many([typed(f"p{n}", 100 + n % 5) for n in range(20)])
        book.submit_many([typed(f"w{n}", 100 + n % 5, mode="words") for n in range(20)])
        reads = Reads(monkeypatch, book.store)
        assert reads.during(lambda: book.bundle("home")) == 1
        for number, read in [(50, 0), (60, 0), (99, 0), (200, 1)]:
            before = book.bundle("home")
            book.submit(typed("late", number, id=f"late-{number}"))
            assert reads.during(lambda: book.bundle("home")) == read
            assert book.bundle("home").position == before.position + 1
            assert book.bundle("home").rankings[0].count == 41


def test_a_new_player_below_what_is_shown_is_counted(tmp_path, monkeypatch):
    with Rankbook.open(tmp_path, spec=SPEC, clock=Clock()) as book:
        book.submit_many([typed(f"p{n}", 100) for n in range(10)])
        shown = book.bundle("home").rankings[0]
        reads = Reads(monkeypatch, book.store)
        for number in range(5):
            book.submit(typed(f"new{number}", 10))
            assert reads.during(lambda: book.bundle("home")) == 0
            now = book.bundle("home").rankings[0]
            assert (now.count, now.entries) == (11 + number, shown.entries)
        book.submit(ban("new1"))
        assert book.bundle("home").rankings[0].count == 14


def test_a_player_who_leaves_what_is_shown_makes_room_for_the_next(tmp_path):
    with Rankbook.open(tmp_path, spec=SPEC, clock=Clock()) as book:
        book.submit_many([typed(f"p{n:02}", 100 - n) for n in range(12)])
        assert players(book.bundle("home").rankings[0]) == [f"p{n:02}" for n in range(10)]
        book.submit(ban("p03"))
        shown = players(book.bundle("home").rankings[0])
        assert shown == [f"p{n:02}" for n in range(11) if n != 3]


def test_what_another_process_publishes_is_read(tmp_path, monkeypatch):
    with (
        Rankbook.open(tmp_path, spec=SPEC, clock=Clock()) as book,
        Rankbook.open(tmp_path, spec=SPEC, clock=Clock()) as other,
    ):
        book.submit_many([typed(f"p{n}", 100) for n in range(10)])
        book.bundle("home")
        reads = Reads(monkeypatch, book.store)
        other.submit(typed("theirs", 10))
        book.submit(typed("ours", 11))
        assert reads.during(lambda: book.bundle("home")) == 1
        assert book.bundle("home").rankings[0].count == 12
        book.submit(typed("ours", 12))
        assert reads.during(lambda: book.bundle("home")) == 0


def test_a_current_profile_shows_though_its_entry_has_not_moved(tmp_path):
    with Rankbook.open(tmp_path, spec=BOOK, clock=Clock()) as book:
        book.submit_many([result(f"p{n}", n) for n in range(9)])
        book.bundle("home")
        book.submit(renamed("p8", "Eight"))
        assert book.bundle("home").rankings[3].entries[0].profile == {"name": "Eight"}
        before = book.bundle("home")
        book.submit(renamed("p0", "Nought"))
        assert book.bundle("home").rankings == before.rankings
