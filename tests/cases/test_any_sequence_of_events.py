"""Whatever happens, in whatever order and however often it is delivered: the log decides.

A small model says what each player's entry must be; a fresh fold of the log must give what the
book has; every view must agree on every rank.
"""

import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankbook import Event, EventConflict, Refused
from rankbook.rules import Ranking
from tests.book.home import Clock, Home, assert_agrees, board, when
from tests.cases.saying import (
    agreed,
    ban,
    content,
    correct,
    forget,
    refolds_alike,
    unban,
    unvoid,
    void,
)
from tests.depth import scaled

START = when("2026-10-04T00:00:00Z")
PLAYERS = ("asha", "bram", "chidi", "dora")
KEPT = {"grace_seconds": 7200, "keep_periods": {"daily": 3}}
BOARDS = (
    board(
        "best",
        measures={"score": "score", "acc": "acc"},
        order_by=("score desc", "acc desc"),
        splits=((), ("mode",)),
        windows=("all-time", "daily"),
        details=("mode",),
    ),
    board(
        "total", keep="total", numbering="dense", windows=("all-time", "daily"), seal=True, **KEPT
    ),
    board("latest", keep="latest", numbering="ordinal", tie_break="last", profiles="player"),
    board("by-time", keep="latest", latest_by="at", windows=("all-time", "weekly")),
    board("first", keep="first", order_by=("score asc",), tie_break="player", size=2),
    board("three", keep="total", best_of=2, windows=("daily", "monthly"), keep_periods=2),
    board("cool", cooldown_seconds=3600, splits=((), ("mode",)), where="score > 1"),
)

scores = st.integers(-2, 6)
minutes = st.integers(0, 5 * 24 * 60)
happening = st.one_of(
    st.tuples(
        st.just("result"),
        st.sampled_from(PLAYERS),
        scores,
        st.integers(0, 1),
        st.sampled_from("xy"),
        st.integers(-3000, 30),
        st.none() | st.integers(0, 4),
        st.sampled_from(["", "", "Ann", "Bo"]),
    ),
    st.tuples(st.sampled_from(["void", "void", "unvoid"]), st.integers(0, 1000)),
    st.tuples(st.just("correct"), st.integers(0, 1000), scores, st.sampled_from("xy")),
    st.tuples(st.sampled_from(["ban", "unban", "forget", "profile"]), st.sampled_from(PLAYERS)),
    st.tuples(st.just("retry"), st.integers(0, 1000)),
    st.tuples(st.just("wait"), st.integers(1, 1500)),
    st.tuples(st.just("close")),
)


class Life:
    """A book, everything that was submitted to it, and what may be said of it."""

    def __init__(self, home, *boards):
        self.home = home
        self.book = home.open(*boards)
        self.now = START + timedelta(days=2)
        home.clock.set(self.now.isoformat())
        self.sent = []
        self.made = 0
        self.receipts = {}
        self.closed = []
        self.book.on_close(lambda closing: self.closed.append((closing.board, closing.period.id)))

    def events(self, happenings):
        """The events of one batch, in order."""
        made = []
        for kind, *parts in happenings:
            self.made += 1
            id = f"e{self.made}"
            results = [each for each in [*self.sent, *made] if each.kind == "result"]
            if kind == "result":
                player, score, acc, mode, back, sequence, name = parts
                made.append(
                    Event(
                        player=player,
                        values={"score": score, "acc": acc, "mode": mode},
                        id=id,
                        at=self.now + timedelta(minutes=back),
                        sequence=sequence,
                        profile={"name": name} if name else {},
                    )
                )
            elif kind in ("void", "unvoid") and results:
                make = void if kind == "void" else unvoid
                made.append(make(results[parts[0] % len(results)].id, id=id))
            elif kind == "correct" and results:
                target = results[parts[0] % len(results)]
                made.append(correct(target.id, parts[1], id=id, acc=0, mode=parts[2]))
            elif kind == "retry" and self.sent:
                made.append(self.sent[parts[0] % len(self.sent)])
            elif kind == "profile":
                made.append(Event(kind=kind, player=parts[0], profile={"name": id}, id=id))
            elif kind in ("ban", "unban", "forget"):
                made.append(Event(kind=kind, player=parts[0], id=id))
        return made

    def live(self, batch):
        for kind, *parts in batch:
            if kind == "wait":
                self.now += timedelta(minutes=parts[0])
                self.home.clock.set(self.now.isoformat())
            elif kind == "close":
                self.book.close_due()
        self.submit(self.events(batch))

    def submit(self, events):
        if not events:
            return
        head = self.book.log.head()
        try:
            receipts = self.book.submit_many(events)
        except (EventConflict, Refused):
            # Something of a forgotten player: nothing of the batch is recorded.
            erased = [e for e in self.book.log.read(0, 10_000) if e.kind == "forgotten"]
            assert erased
            named = [e for e in self.book.log.read(head, 10_000) if e.kind != "seal"]
            assert named == []
            return
        for event, receipt in zip(events, receipts, strict=True):
            assert receipt.status == "ranked"
            if event.kind != "forget":
                assert self.receipts.setdefault(event.id, receipt) == receipt
            if event not in self.sent:
                self.sent.append(event)


def lived(kind, batches, check_each):
    with tempfile.TemporaryDirectory(prefix="rankbook-cases-") as directory:
        home = Home(kind, Path(directory), Clock(START.isoformat()))
        ended = False
        try:
            life = Life(home, *BOARDS)
            for batch in batches:
                life.live(batch)
                if check_each:
                    refolds_alike(life.book, home)
            refolds_alike(life.book, home)
            assert len(life.closed) == len(set(life.closed))
            for name in content(home.store):
                if not name.startswith("~"):
                    _agreed(life.book, name)
            _views_of_now(life)
            ended = True
        finally:
            home.agrees = ended
            home.end()


def _agreed(book, name):
    parsed = Ranking.parse(name)
    view = book.ranking(
        parsed.board, window=parsed.window, period=parsed.period, tags=dict(parsed.tags)
    )
    agreed(view)


def _views_of_now(life):
    book = life.book
    for each in book.boards():
        for window in each.windows:
            for summary in book.periods(each.name, window):
                view = book.ranking(each.name, window=window, period=summary.period.id)
                if () in each.splits:
                    assert view.count() == summary.entries
            if () in each.splits:
                for player in PLAYERS:
                    for mine in book.player_periods(player, each.name, window):
                        view = book.ranking(each.name, window=window, period=mine.period.id)
                        assert mine.rank == view.rank(player)
                        assert mine.count == view.count()


batches = st.lists(st.lists(happening, min_size=1, max_size=4), min_size=1, max_size=12)
quietly = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


@settings(quietly, max_examples=scaled(150))
@given(batches)
def test_after_any_prefix_a_fresh_fold_of_the_log_has_what_the_book_has(batches):
    lived("memory", batches, True)


@settings(quietly, max_examples=scaled(25))
@given(batches)
def test_the_embedded_store_with_tiny_pages_has_it_too(batches):
    lived("trees", batches, False)


@settings(quietly, max_examples=scaled(20))
@given(batches)
def test_the_embedded_store_has_it_too(batches):
    lived("embedded", batches, False)


# --- any order of delivery -----------------------------------------------------------------------

SIMPLE = (
    board("best", measures={"score": "score", "acc": "acc"}, order_by=("score desc", "acc desc")),
    board("latest", keep="latest", windows=("all-time", "daily")),
    board("by-time", keep="latest", latest_by="at"),
    board("first", keep="first"),
    board("total", keep="total", windows=("all-time", "daily")),
    board("three", keep="total", best_of=2),
)
a_result = st.builds(
    lambda player, score, acc, minute, sequence: (player, score, acc, minute, sequence),
    st.sampled_from(PLAYERS),
    scores,
    st.integers(0, 1),
    st.integers(0, 3000) | st.integers(0, 2),
    st.none() | st.integers(0, 3),
)


def numbered(results):
    return [
        Event(
            player=player,
            values={"score": score, "acc": acc},
            id=f"e{n:02}",
            at=START + timedelta(minutes=minute),
            sequence=sequence,
        )
        for n, (player, score, acc, minute, sequence) in enumerate(results)
    ]


def delivered(events, steps):
    with tempfile.TemporaryDirectory(prefix="rankbook-cases-") as directory:
        home = Home("memory", Path(directory), Clock(START.isoformat()))
        try:
            book = home.open(*SIMPLE)
            for start in range(0, len(events), steps):
                book.submit_many(events[start : start + steps])
            return {n: c for n, c in content(home.store).items() if not n.startswith("~")}
        finally:
            home.end()


@settings(quietly, max_examples=scaled(80))
@given(st.data(), st.lists(a_result, min_size=1, max_size=14), st.integers(1, 15))
def test_any_order_of_delivery_with_any_duplicates_gives_the_same_rankings(data, results, steps):
    events = numbered(results)
    again = data.draw(st.lists(st.sampled_from(events), max_size=5))
    shuffled = data.draw(st.permutations([*events, *again]))
    assert delivered(shuffled, steps) == delivered(events, len(events))


# --- against a model -----------------------------------------------------------------------------


def modelled(keep, events):
    """What each player's entry must be: (score, event id), from the events in log order."""
    facts, dead, out = {}, set(), set()
    for event in events:
        if event.kind == "result":
            when_banned = event.player in out
            facts[event.id] = [event.player, event.values["score"], event, when_banned]
        elif event.kind == "ban":
            out.add(event.player)
        elif event.kind == "unban":
            out.discard(event.player)
        elif event.kind == "void":
            dead.add(event.target)
        elif event.kind == "unvoid":
            dead.discard(event.target)
        elif event.kind == "correct" and event.target in facts:
            facts[event.target][1] = event.values["score"]
        elif event.kind == "forget":
            facts = {id: each for id, each in facts.items() if each[0] != event.player}
            out.discard(event.player)
    standing = {}
    for player in PLAYERS:
        mine = [
            (score, event)
            for id, (who, score, event, barred) in facts.items()
            if who == player and not barred and id not in dead
        ]
        if mine and player not in out:
            standing[player] = _kept(keep, mine)
    return standing


def _kept(keep, mine):
    by_time = sorted(mine, key=lambda each: (each[1].at, each[1].id))
    if keep == "best":
        score = max(score for score, _event in mine)
        return score, next(event.id for own, event in by_time if own == score)
    if keep == "first":
        return by_time[0][0], by_time[0][1].id
    if keep == "latest":
        return by_time[-1][0], by_time[-1][1].id
    return sum(score for score, _event in mine), None


@settings(quietly, max_examples=scaled(80))
@given(st.sampled_from(["best", "first", "latest", "total"]), batches, st.booleans())
def test_entries_and_ranks_are_those_of_a_model(keep, batches, one_by_one):
    more = {"latest_by": "at"} if keep == "latest" else {}
    with tempfile.TemporaryDirectory(prefix="rankbook-cases-") as directory:
        home = Home("memory", Path(directory), Clock(START.isoformat()))
        try:
            life = Life(home, board(keep=keep, **more))
            for batch in batches:
                events = life.events(batch)
                for part in [[e] for e in events] if one_by_one else [events]:
                    life.submit(part)
                _as_modelled(life.book, modelled(keep, life.sent))
        finally:
            home.end()


def _as_modelled(book, standing):
    entries = agreed(book.ranking("speed"))
    assert {e.player: e.score for e in entries} == {p: s for p, (s, _id) in standing.items()}
    for entry in entries:
        score, id = standing[entry.player]
        assert id is None or entry.event_id == id
        assert entry.rank == 1 + sum(other > score for other, _id in standing.values())


def test_a_ban_that_is_lifted_and_a_void_that_is_repeated_come_to_the_same(home):
    book = home.open(*BOARDS)
    values = {"score": 5, "acc": 1, "mode": "x"}
    book.submit(Event(player="asha", values=values, id="a"))
    for event in (ban("asha"), ban("asha"), unban("asha"), unban("asha"), void("a"), void("a")):
        book.submit(event)
        assert_agrees(book)
        refolds_alike(book, home)
    for event in (forget("asha"), forget("asha"), Event(player="asha", values=values, id="b")):
        book.submit(event)
        refolds_alike(book, home)
    assert book.ranking("best").entry("asha").event_id == "b"


@pytest.mark.parametrize("steps", [1, 3, 100])
def test_steps_of_any_size_give_the_same(place, steps):
    events = numbered([(PLAYERS[n % 4], n % 5, n % 2, n * 7 % 50, None) for n in range(40)])
    assert delivered(events, steps) == delivered(events, 7)
