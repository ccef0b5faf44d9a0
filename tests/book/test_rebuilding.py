"""Rankings made anew beside those that are served."""

import subprocess
import sys

import pytest

from rankbook import BookSpec, Event, NotFound, Rankbook, RebuildNeeded
from rankbook.book.upkeep import rebuild
from rankbook.store.base import Change, RankingId
from tests.book.home import board, result
from tests.book.toml import write_book


def fill(book, count=300):
    book.submit_many([result(f"p{n % 70}", n, id=f"e{n}") for n in range(count)])


def order(book):
    return [(e.rank, e.player, e.score) for e in book.ranking("speed").top(100).entries]


def damage(book):
    """One entry too many, one gone, one different, all in the ranking of all time."""
    ranking = book.ranking("speed").id
    taken, other = book.ranking("speed").top(2).entries
    stored = book.store.entries([(ranking, other.player.encode())])[1][0]
    position = book.store.position()
    changes = [
        Change(ranking, taken.player.encode(), None),
        Change(ranking, b"nobody", stored.key, stored.value),
        Change(ranking, other.player.encode(), bytes(ranking.key_bytes), stored.value),
    ]
    book.store.publish(changes, [], expect=position, then=position)


@pytest.fixture
def book(place):
    with Rankbook.open(write_book(place)) as opened:
        yield opened


def test_a_rebuild_gives_the_same_ranks_and_the_same_order_among_ties(book):
    fill(book)
    before = order(book)
    assert book.rebuild() == book.log.head()
    assert order(book) == before
    assert book.verify().agrees
    assert [receipt.status for receipt in book.submit_many([result("p1", 5000)])] == ["ranked"]
    assert book.verify().agrees


def test_nothing_is_left_of_rankings_that_were_replaced(book):
    fill(book)
    size = book.doctor().store["entries"]
    for _round in range(3):
        book.rebuild()
        book.rebuild(board="speed")
    found = book.doctor()
    assert (found.store["entries"], found.faults) == (size, ())


def test_a_repair_mends_exactly_what_disagrees_and_a_second_one_finds_nothing(book):
    fill(book)
    before = order(book)
    damage(book)
    found = book.repair()
    kinds = {(each.index, each.kind) for each in found.disagreements}
    assert {("members", "missing"), ("members", "extra"), ("members", "different")} <= kinds
    assert {each.ranking for each in found.disagreements} == {book.ranking("speed").ranking.name}
    assert order(book) == before
    assert book.repair().agrees


def test_one_board_and_one_period_can_be_made_anew(book):
    fill(book)
    damage(book)
    daily = book.ranking("speed", window="daily")
    book.rebuild(board="speed", period=daily.span.id)
    assert not book.verify().agrees
    book.rebuild(board="speed", period="all-time")
    assert book.verify().agrees
    with pytest.raises(NotFound):
        book.rebuild(board="nothing")


def test_submissions_during_a_rebuild_are_in_what_it_makes(book):
    fill(book)
    extra = iter(range(1000, 1003))

    def between(_events):
        number = next(extra, None)
        if number is not None:
            book.submit(result(f"late{number}", number, id=f"late{number}"))

    book.rebuild(progress=between)
    assert {f"late{n}" for n in range(1000, 1003)} <= {player for _, player, _ in order(book)}
    assert book.verify().agrees


@pytest.mark.parametrize(("near", "steps"), [(True, [1500]), (False, [1000, 500])])
def test_a_rebuild_goes_in_small_steps_where_a_server_would_serve_nobody_meanwhile(
    place, near, steps, request
):
    uri = "embedded:" if near else request.getfixturevalue("redis_uri")
    spec = BookSpec(name="book", boards=(board(),), store=uri)
    with Rankbook.open(place, spec=spec) as book:
        fill(book, 1500)
        told = []
        book.rebuild(progress=told.append)
        assert told == steps


def test_a_rebuild_that_was_killed_goes_on_where_it_was(place):
    write_book(place)
    with Rankbook.open(place) as book:
        fill(book, 9500)
        before = order(book)
    program = (
        "import os, sys; from rankbook import Rankbook; "
        "b = Rankbook.open(sys.argv[1]); b.rebuild(progress=lambda n: os.kill(os.getpid(), 9))"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(place)], check=False)
    assert killed.returncode == -9
    with Rankbook.open(place) as book:
        assert order(book) == before
        told = []
        book.rebuild(progress=told.append)
        assert sum(told) == 1500
        assert order(book) == before
        assert book.verify().agrees


def test_a_changed_specification_is_rebuilt_and_older_openings_notice(place):
    write_book(place)
    with Rankbook.open(place) as book:
        fill(book)
        text = (place / "rankbook.toml").read_text().replace("score desc", "score asc")
        (place / "rankbook.toml").write_text(text)
        with pytest.raises(RebuildNeeded):
            Rankbook.open(place)
        with Rankbook.open(place, outdated=True) as changed:
            with pytest.raises(RebuildNeeded):
                changed.rebuild(board="speed")
            changed.rebuild()
            assert order(changed)[0][2] < order(changed)[-1][2]
            assert changed.verify().agrees
        with pytest.raises(RebuildNeeded):
            book.submit(result("asha", 1))


def test_rankings_ahead_of_an_older_log_are_rebuilt_from_it(place):
    write_book(place)
    with Rankbook.open(place) as book:
        fill(book, 10)
    older = (place / "log.sqlite").read_bytes()
    with Rankbook.open(place) as book:
        book.submit_many([result(f"new{n}", n) for n in range(5)])
    (place / "log.sqlite").write_bytes(older)
    with pytest.raises(RebuildNeeded, match="ends at 10 and the rankings are made up to 15"):
        Rankbook.open(place)
    with Rankbook.open(place, outdated=True) as book:
        assert book.rebuild() == 10
        assert book.submit(result("zed", 99, id="z")).rankings[0].score == 99
        assert book.verify().agrees


def test_a_process_under_older_rules_neither_reads_nor_publishes_after_a_rebuild(place):
    write_book(place)
    with Rankbook.open(place) as book:
        fill(book, 10)
        text = (place / "rankbook.toml").read_text().replace("score desc", "score asc")
        (place / "rankbook.toml").write_text(text)
        program = (
            "import sys; from rankbook import Rankbook; "
            "Rankbook.open(sys.argv[1], outdated=True).rebuild()"
        )
        subprocess.run([sys.executable, "-c", program, str(place)], check=True)
        head = book.log.head()
        for use in (
            lambda: book.ranking("speed").top(),
            lambda: book.submit(result("asha", 1)),
        ):
            with pytest.raises(RebuildNeeded):
                use()
        assert book.log.head() == head


def test_a_player_forgotten_during_a_rebuild_does_not_come_back(book):
    fill(book)
    steps = iter([True])

    def between(_events):
        if next(steps, False):
            book.submit(Event(kind="forget", player="p3", id="forget-p3"))

    book.rebuild(progress=between)
    assert rebuild.erasures(book.log) == 1
    assert book.ranking("speed").entry("p3") is None
    assert book.verify().agrees


def test_bundles_and_boards_of_python_are_rebuilt_alike(home):
    book = home.open(board())
    book.submit_many([result(f"p{n}", n) for n in range(20)])
    if hasattr(book.store, "beside"):
        book.rebuild()
    assert [e.player for e in book.ranking("speed").top(3).entries] == ["p19", "p18", "p17"]


def test_the_ids_of_rankings_stay_through_generations(book):
    fill(book)
    with book.store.audit() as audit:
        before = list(audit.rankings())
    book.rebuild()
    with book.store.audit() as audit:
        assert list(audit.rankings()) == before
    assert all(isinstance(each, RankingId) for each in before)


KILLED = """
import os, sys
from rankbook import Rankbook
from rankbook.store.embedded import generations as spaces

remove_some = spaces.remove_some
left = [int(sys.argv[2])]

def counted(*arguments):
    if left[0] == 0:
        os.kill(os.getpid(), 9)
    left[0] -= 1
    return remove_some(*arguments)

spaces.remove_some = counted
book = Rankbook.open(sys.argv[1])
if sys.argv[3] == "discard":
    book.store.discard()
else:
    book.rebuild(board="speed" if sys.argv[3] == "board" else None)
"""


@pytest.mark.parametrize("steps", [0, 1])
@pytest.mark.parametrize("what", ["board", "all", "discard"])
def test_a_kill_while_what_was_replaced_is_removed_loses_and_leaves_nothing(place, what, steps):
    write_book(place)
    with Rankbook.open(place) as book:
        fill(book, 1500)
        before = order(book)
        size = book.doctor().store["entries"]
        if what == "discard":
            beside = rebuild.Folder(
                tuple(book._boards.values()),
                book.log,
                book.store.staging(),
                rebuild.BuildManifest(book._manifest, 0),
            )
            beside.fold()
    program = [sys.executable, "-c", KILLED, str(place), str(steps), what]
    assert subprocess.run(program, check=False).returncode == -9
    with Rankbook.open(place) as book:
        assert order(book) == before
        book.rebuild(board="speed")
        assert order(book) == before
        book.rebuild()
        assert order(book) == before
        assert book.verify().agrees
        found = book.doctor()
        assert (found.store["entries"], found.faults) == (size, ())
