"""Opening and closing: what is no book says so in one line, and a changed book is not misread."""

import pytest

from rankbook import (
    Board,
    BookError,
    BookSpec,
    Bundle,
    BundleRanking,
    LogError,
    Measure,
    Rankbook,
    RebuildNeeded,
    SpecError,
    StoreError,
)
from tests.book.home import assert_agrees, board, listed, players, result
from tests.book.test_together import in_threads
from tests.book.toml import TOML, write_book
from tests.book.worker import Worker, in_turn


def test_a_directory_with_a_toml_is_a_book_that_outlives_its_process(place, clock):
    write_book(place)
    with Rankbook.open(place, clock=clock) as book:
        book.submit(result("asha", 5, note="x"))
    with Rankbook.open(str(place), clock=clock) as book:
        assert listed(book.ranking("speed").top()) == [(1, "asha")]
        assert book.ranking("speed", window="daily").entry("asha").details == {"note": "x"}
        assert_agrees(book)


@pytest.mark.parametrize("name", ["", "missing", "file"])
def test_what_is_no_book_says_so_and_stays_as_it_was(place, name):
    (place / "file").write_text("not a directory")
    before = sorted(place.iterdir())
    with pytest.raises(BookError, match=r"is no book: it has no rankbook\.toml"):
        Rankbook.open(place / name)
    assert sorted(place.iterdir()) == before


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        (("order_by = [", "order_bi = ["), "board[0]"),
        (('"score desc"', '"points desc"'), "board[0].order_by[0]"),
        (('"daily"', '"hourly"'), "board[0].windows[1]"),
        (('name = "book"', 'name = "My book"'), "book.name"),
        (('name = "book"', 'name = "book"\nstore = "rocks:"'), "book.store"),
        (('name = "book"', 'name = "book"\nlog = "rocks:"'), "book.log"),
        (('name = "book"', 'name = "book'), "rankbook.toml"),
        (('score = "score"', 'score = "__import__"'), "board[0].measures.score"),
        (("[[board]]", "[board]"), "board"),
    ],
)
def test_a_wrong_toml_is_refused_by_field_and_nothing_is_made(place, changed, field):
    write_book(place, TOML.replace(*changed))
    with pytest.raises(SpecError) as caught:
        Rankbook.open(place)
    assert caught.value.field.startswith(field)
    assert str(caught.value).startswith(field)
    assert not (place / "rankings").exists()


def test_a_toml_that_is_no_text_is_no_readable_book(place):
    (place / "rankbook.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BookError, match="cannot be read"):
        Rankbook.open(place)


def test_a_failed_opening_holds_nothing_open(place, clock):
    write_book(place)
    Rankbook.open(place, clock=clock).close()
    write_book(place, TOML.replace('"score desc"', '"score asc"'))
    with Rankbook.open(place, clock=clock) as book:
        book.submit(result("asha", 5))
    write_book(place)
    for _ in range(3):
        with pytest.raises(RebuildNeeded):
            Rankbook.open(place, clock=clock)
    write_book(place, TOML.replace('"score desc"', '"score asc"'))
    with Rankbook.open(place, clock=clock) as book:
        assert book.ranking("speed").rank("asha") == 1


# --- another specification -----------------------------------------------------------------------

BEFORE = {
    "measures": {"score": "score", "wpm": "wpm"},
    "windows": ("all-time", "daily"),
    "splits": ((), ("mode",)),
    "details": ("wpm",),
}


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"order_by": ("score asc",)}, 'order_by was ["score desc"], is ["score asc"]'),
        ({"order_by": ("score desc", "wpm desc")}, 'is ["score desc","wpm desc"]'),
        ({"measures": {"score": "score + 1", "wpm": "wpm"}}, "measures was"),
        ({"measures": {"score": Measure("score", "float"), "wpm": "wpm"}}, '"float"'),
        ({"windows": ("all-time",)}, 'windows was ["all-time","daily"], is ["all-time"]'),
        ({"splits": ((),)}, "splits was"),
        ({"zone": "+05:30"}, 'zone was "UTC", is "+05:30"'),
        ({"tie_break": "last"}, 'tie_break was "first", is "last"'),
        ({"details": ("wpm", "mode")}, 'details was ["wpm"], is ["wpm","mode"]'),
    ],
)
def test_a_changed_board_needs_a_rebuild_and_the_error_names_what_changed(home, changes, named):
    home.open(board(**BEFORE)).submit(result("asha", 5, wpm=5, mode="x"))
    made = home.spec
    with pytest.raises(RebuildNeeded) as caught:
        home.open(board(**{**BEFORE, **changes}))
    assert "board 'speed': " in str(caught.value)
    assert named in str(caught.value)
    assert isinstance(caught.value, BookError)
    assert home.open(spec=made).ranking("speed").count() == 1


def test_boards_that_came_or_went_are_named_with_every_other_change(home):
    home.open(board("one"), board("two")).submit(result("asha", 5))
    made = home.spec
    with pytest.raises(RebuildNeeded) as caught:
        home.open(board("one", tie_break="last"), board("three"))
    text = str(caught.value)
    assert "board 'one': tie_break" in text
    assert "board 'three' is new" in text
    assert "board 'two' is gone" in text
    home.open(spec=made)


@pytest.mark.parametrize("numbering", ["ordinal", "dense"])
def test_another_numbering_alone_needs_no_rebuild(home, numbering):
    players_ = ["asha", "bram", "chidi"]
    home.open(board()).submit_many([result(p, 9 if p != "chidi" else 1) for p in players_])
    ranks = [
        rank for rank, _ in listed(home.open(board(numbering=numbering)).ranking("speed").top())
    ]
    assert ranks == ([1, 2, 3] if numbering == "ordinal" else [1, 1, 2])


def test_a_book_with_nothing_ranked_yet_may_still_change(home):
    home.open(board()).record([])
    assert home.open(board(order_by=("score asc",))).ranking("speed").count() == 0


def test_other_values_bundles_and_names_need_no_rebuild(home):
    home.open(board()).submit(result("asha", 5))
    bundle = Bundle("home", (BundleRanking("speed", "all-time"),))
    book = home.open(spec=BookSpec(name="renamed", boards=(board(),), bundles=(bundle,)))
    assert players(book.bundle("home").rankings[0]) == ["asha"]


# --- several at once, and the end ----------------------------------------------------------------


def test_two_processes_share_one_directory(place, clock):
    write_book(place)
    with Rankbook.open(place, clock=clock) as book:
        book.submit(result("asha", 5))
        [rank] = in_turn([Worker("submit", place, "bram", 9)])
        assert rank == 1
        assert players(book.ranking("speed").top()) == ["bram", "asha"]
        assert book.submit(result("chidi", 7)).rankings[0].rank == 2
        assert_agrees(book)


def test_two_processes_may_make_a_book_together(place):
    write_book(place)
    workers = [Worker("submit", place, player, 5) for player in ("asha", "bram")]
    assert in_turn(workers) in ([1, 1], [2, 1], [1, 2])
    with Rankbook.open(place) as book:
        assert sorted(players(book.ranking("speed").top())) == ["asha", "bram"]


def test_one_process_may_open_a_directory_several_times(place, clock):
    write_book(place)
    with Rankbook.open(place, clock=clock) as book:
        with Rankbook.open(place, clock=clock) as other:
            assert other.submit(result("asha", 5)).rankings[0].rank == 1
            assert book.submit(result("bram", 9)).rankings[0].rank == 1
            assert other.ranking("speed").rank("asha") == 2
            assert_agrees(other)
        assert book.submit(result("chidi", 7)).rankings[0].rank == 2
        assert_agrees(book)
    with pytest.raises(StoreError):
        other.ranking("speed").count()
    with Rankbook.open(place, clock=clock) as book:
        assert book.ranking("speed").count() == 3


def test_threads_that_open_a_directory_each_for_themselves_lose_nothing(place, clock):
    write_book(place)

    def opener(name):
        def work():
            for number in range(20):
                with Rankbook.open(place, clock=clock) as book:
                    assert book.submit(result(f"{name}{number}", number)).status == "ranked"

        return work

    in_threads(opener("a"), opener("b"), opener("c"))
    with Rankbook.open(place, clock=clock) as book:
        assert (book.log.head(), book.pending(), book.ranking("speed").count()) == (60, 0, 60)
        assert_agrees(book)


def test_closing_twice_is_harmless_and_a_closed_book_says_so(place, clock):
    write_book(place)
    book = Rankbook.open(place, clock=clock)
    book.submit(result("asha", 5))
    view = book.ranking("speed")
    book.close()
    book.close()
    with pytest.raises(LogError):
        book.submit(result("asha", 5))
    with pytest.raises(StoreError):
        view.top()


def test_verifying_a_closed_book_says_that_it_is_closed(place):
    book = Rankbook.open(write_book(place))
    book.close()
    with pytest.raises((LogError, StoreError), match="closed"):
        book.verify()


def test_leaving_the_block_closes_the_book_also_after_an_error(place, clock):
    write_book(place)
    with pytest.raises(KeyError), Rankbook.open(place, clock=clock) as book:
        raise KeyError
    with pytest.raises(StoreError):
        book.ranking("speed").top()


def test_a_store_is_closed_though_the_log_cannot_be(home):
    book = home.open(board())

    class Stuck:
        def __getattr__(self, name):
            raise LogError("stuck")

    log, book.log = book.log, Stuck()
    with pytest.raises(LogError):
        book.close()
    book.log = log
    assert book.store.closed


def test_a_python_book_needs_no_toml(place, clock):
    spec = BookSpec(
        name="python",
        boards=(
            Board("speed", {"score": lambda values: values["hits"] * 10}, ("score desc",)),
            Board("misses", {"misses": "misses"}, ("misses asc",), numbering="dense"),
        ),
    )
    directory = place / "new" / "book"
    with Rankbook.open(directory, spec=spec, clock=clock) as book:
        receipt = book.submit(result("asha", hits=3, misses=2))
        assert [(p.board, p.score) for p in receipt.rankings] == [("speed", 30), ("misses", 2)]
        assert [each.name for each in book.boards()] == ["speed", "misses"]
        assert_agrees(book)
    assert not (directory / "rankbook.toml").exists()
    with Rankbook.open(directory, spec=spec, clock=clock) as book:
        assert book.ranking("speed").entry("asha").score == 30


def test_a_book_in_memory_starts_empty_and_is_filled_from_its_log(place, clock):
    spec = BookSpec(name="book", boards=(board(),), store="memory:")
    with Rankbook.open(place, spec=spec, clock=clock) as book:
        book.submit(result("asha", 5))
    with Rankbook.open(place, spec=spec, clock=clock, catch_up=False) as book:
        assert (book.pending(), book.ranking("speed").count()) == (1, 0)
    with Rankbook.open(place, spec=spec, clock=clock) as book:
        assert (book.pending(), book.ranking("speed").count()) == (0, 1)
        assert_agrees(book)
