"""What is taken back: bans, names, voids, corrections and forgetting, in every ranking at once."""

import pytest

from rankbook import BookSpec, Bundle, BundleRanking, Event, Refused
from tests.book.home import assert_agrees, board, listed, players, result, when
from tests.cases.saying import (
    agreed,
    ban,
    content,
    correct,
    forget,
    moves,
    refolds_alike,
    renamed,
    unban,
    void,
    whys,
)

FIVE = {"Asha": 50, "Bram": 40, "Chidi": 30, "Dora": 20, "Emil": 10}
SHAPE = {"splits": ((), ("mode",)), "windows": ("all-time", "daily")}


def five(home, **more):
    """Five players in four rankings, and a bundle of two of them."""
    wanted = (BundleRanking("speed", "all-time"), BundleRanking("speed", "daily", (("mode", "x"),)))
    spec = BookSpec(
        name="book",
        boards=(board(**{**SHAPE, **more}), board("other", profiles="player")),
        bundles=(Bundle("home", wanted), Bundle("aged", wanted, max_age_seconds=3600)),
    )
    book = home.open(spec=spec)
    for minute, (player, score) in enumerate(FIVE.items()):
        book.submit(
            result(
                player,
                score,
                id=f"e-{player}",
                at=f"2026-11-30T10:{minute:02}:00Z",
                profile={"name": f"{player} the Swift"},
                mode="x",
            )
        )
    return book


def views(book):
    return [
        book.ranking("speed"),
        book.ranking("speed", tags={"mode": "x"}),
        book.ranking("speed", window="daily"),
        book.ranking("speed", window="daily", tags={"mode": "x"}),
        book.ranking("other"),
    ]


def everywhere(book):
    """The one list that all rankings and the bundle show."""
    lists = [[(e.rank, e.player) for e in agreed(view)] for view in views(book)]
    lists += [listed(standings) for standings in book.bundle("home").rankings]
    counts = {view.count() for view in views(book)}
    assert all(each == lists[0] for each in lists)
    assert counts == {len(lists[0])}
    return lists[0]


# --- bans ----------------------------------------------------------------------------------------


def test_a_ban_closes_the_gap_in_every_ranking_period_and_bundle(home):
    book = five(home)
    assert everywhere(book)[1] == (2, "Bram")
    receipt = book.submit(ban("Bram"))
    assert set(moves(receipt).values()) == {("removed", 2, None)}
    assert len(receipt.rankings) == 5
    assert everywhere(book) == [(1, "Asha"), (2, "Chidi"), (3, "Dora"), (4, "Emil")]
    assert [s.count for s in book.bundle("home").rankings] == [4, 4]
    for view in views(book):
        assert (view.rank("Bram"), view.entry("Bram")) == (None, None)
        assert view.among(["Bram", "Chidi"]).friends[0].entry.player == "Chidi"
    assert all(standings.entries == () for standings in book.player("Bram"))


def test_kiran_takes_the_place_during_a_ban_and_gives_it_back_after(home):
    book = five(home)
    book.submit(ban("Bram"))
    receipt = book.submit(result("Kiran", 40, mode="x"))
    assert set(moves(receipt).values()) == {("new", None, 2)}
    receipt = book.submit(unban("Bram"))
    assert set(moves(receipt).values()) == {("restored", None, 2)}
    shown = everywhere(book)
    assert [player for _rank, player in shown[:4]] == ["Asha", "Bram", "Kiran", "Chidi"]
    assert [rank for rank, _player in shown[:4]] == [1, 2, 2, 4]


def test_kiran_is_third_where_equals_do_not_share(home):
    book = home.open(board(numbering="ordinal"))
    for minute, (player, score) in enumerate(FIVE.items()):
        book.submit(result(player, score, at=f"2026-11-30T10:{minute:02}:00Z"))
    book.submit(ban("Bram"))
    assert book.submit(result("Kiran", 40)).rankings[0].rank == 2
    assert book.submit(unban("Bram")).rankings[0].rank == 2
    assert book.ranking("speed").rank("Kiran") == 3


def test_a_banned_players_results_are_recorded_and_never_ranked(home):
    book = five(home)
    book.submit(ban("Bram"))
    receipt = book.submit(result("Bram", 99, id="during", mode="y"))
    assert set(moves(receipt).values()) == {("banned", None, None)}
    assert not any(line.changed for line in receipt.rankings)
    book.submit(unban("Bram"))
    assert book.ranking("speed").entry("Bram").score == 40
    assert book.ranking("speed", tags={"mode": "y"}).count() == 0
    assert [each.id for each in book.log.find(["during"])] == ["during"]
    refolds_alike(book, home)


def test_a_player_may_be_banned_before_they_ever_play(home):
    book = five(home)
    assert book.submit(ban("Zoe")).rankings == ()
    assert set(whys(book.submit(result("Zoe", 99, mode="x"))).values()) == {"banned"}
    assert len(everywhere(book)) == 5


def test_a_second_ban_and_an_unban_of_nobody_change_nothing(home):
    book = five(home)
    book.submit(ban("Bram"))
    before = content(home.store)
    assert set(whys(book.submit(ban("Bram"))).values()) == {"unchanged"}
    book.submit(unban("Zoe"))
    after = content(home.store)
    del before["~bans"], after["~bans"]
    assert after == before


# --- names ---------------------------------------------------------------------------------------


def test_a_new_name_shows_everywhere_at_the_next_read_where_profiles_are_the_players(home):
    book = five(home, profiles="player")
    assert book.bundle("home").rankings[0].entries[0].profile == {"name": "Asha the Swift"}
    book.submit(renamed("Asha", "Asha the Wise"))
    for view in views(book):
        new = {"name": "Asha the Wise"}
        assert view.entry("Asha").profile == view.top(1).entries[0].profile == new
        assert view.around("Asha").entries[0].profile == new
        assert view.page(1).entries[0].profile == new
        assert view.at(1).profile == new
        assert view.among(["Asha"]).friends[0].entry.profile == new
    for standings in book.bundle("home").rankings:
        assert standings.entries[0].profile == {"name": "Asha the Wise"}


def test_a_new_name_leaves_entries_alone_where_profiles_are_those_of_the_result(home):
    book = five(home)
    book.submit(renamed("Asha", "Asha the Wise"))
    assert book.ranking("speed").entry("Asha").profile == {"name": "Asha the Swift"}
    assert book.ranking("other").entry("Asha").profile == {"name": "Asha the Wise"}


def test_a_result_that_does_not_rank_brings_its_name_too(home):
    book = home.open(board(profiles="player"))
    book.submit(result("asha", 50, profile={"name": "old"}))
    book.submit(result("asha", 1, profile={"name": "new"}))
    assert book.ranking("speed").entry("asha").profile == {"name": "new"}
    book.submit(result("asha", 1))
    assert book.ranking("speed").entry("asha").profile == {"name": "new"}


# --- forgetting ----------------------------------------------------------------------------------

SECRET = "Bram-of-the-Long-Unusual-Name"


def bytes_of(path):
    """Everything that SQLite keeps: the file, and its write-ahead log."""
    return b"".join(each.read_bytes() for each in sorted(path.glob("log.sqlite*")))


def test_a_forgotten_player_leaves_no_trace_in_rankings_log_or_bundles(home):
    book = five(home, profiles="player")
    other = home.open()
    book.submit_many(
        [
            result(
                SECRET, 45, id="s1", mode="x", profile={"name": f"n-{SECRET}"}, memo=f"m-{SECRET}"
            ),
            result(SECRET, 46, id="s2", mode="x"),
            correct("s2", 47, mode="x", memo=f"c-{SECRET}"),
            renamed(SECRET, f"r-{SECRET}"),
            ban(SECRET),
            unban(SECRET),
            void("s1"),
        ]
    )
    for each in ("home", "aged"):
        assert SECRET in str(book.bundle(each))
    assert SECRET.encode() in bytes_of(home.path)
    receipt = book.submit(forget(SECRET))
    assert set(moves(receipt).values()) == {("removed", 2, None)}
    assert everywhere(book) == [(n + 1, player) for n, player in enumerate(FIVE)]
    for each in ("home", "aged"):
        assert SECRET not in str(book.bundle(each))
    assert SECRET not in str(content(home.store, hints=True))
    assert SECRET.encode() not in bytes_of(home.path)
    assert list(other.log.of_player(SECRET, 1_000)) == []
    assert [e.id for e in other.log.find(["s1", "s2"])] == ["s1", "s2"]
    refolds_alike(book, home)


def test_what_a_forgotten_player_does_later_counts_anew(home):
    book = five(home)
    book.submit_many([void("e-Bram"), ban("Bram"), forget("Bram")])
    receipt = book.submit(result("Bram", 15, id="anew", mode="x"))
    assert set(moves(receipt).values()) == {("new", None, 5 - 1)}
    assert everywhere(book)[3] == (4, "Bram")
    receipt = book.submit(forget("Bram"))
    assert set(whys(receipt).values()) == {"removed"}
    assert len(everywhere(book)) == 4
    refolds_alike(book, home)


def test_forgetting_twice_and_somebody_unknown_does_nothing_more(home):
    book = five(home)
    first = forget("Bram", id="f")
    book.submit(first)
    shown, head = everywhere(book), book.log.head()
    assert set(whys(book.submit(first)).values()) == {"removed"}
    assert book.log.head() == head
    assert book.submit(forget("Bram")).rankings == ()
    assert book.submit(forget("Zoe")).rankings == ()
    assert everywhere(book) == shown
    book.submit(result("Bram", 60, mode="x"))
    book.submit(first)
    assert everywhere(book)[0] == (1, "Bram")


def test_a_forgotten_result_can_neither_be_voided_nor_corrected(home):
    book = five(home)
    book.submit(forget("Bram"))
    for wrong in (void("e-Bram"), correct("e-Bram", 5, mode="x")):
        with pytest.raises(Refused, match="no recorded result"):
            book.submit(wrong)


def test_a_log_that_was_erased_folds_to_the_same_in_one_batch_and_in_many(home):
    book = five(home)
    events = [
        result("Bram", 70, id="b1", mode="x"),
        ban("Bram"),
        result("Bram", 80, id="b2", mode="x"),
        forget("Bram"),
        result("Bram", 5, id="b3", mode="x"),
        ban("Asha"),
        forget("Asha"),
        result("Asha", 6, id="a2", mode="x"),
    ]
    book.submit_many(events)
    assert [player for _rank, player in everywhere(book)] == [
        "Chidi",
        "Dora",
        "Emil",
        "Asha",
        "Bram",
    ]
    refolds_alike(book, home)


# --- voids and corrections -----------------------------------------------------------------------


@pytest.mark.parametrize("make", [void, lambda target, **k: correct(target, 5, mode="x", **k)])
def test_a_target_that_is_no_recorded_result_is_refused_and_nothing_is_written(home, make):
    book = five(home)
    book.submit(ban("Zoe", id="a-ban"))
    head = book.log.head()
    for target in ("nothing", "a-ban", ""):
        with pytest.raises(Refused) as caught:
            book.submit_many([result("Kiran", 1, mode="x"), make(target)])
        assert caught.value.field == "target"
    with pytest.raises(Refused) as caught:
        book.submit(Event(kind="void", player="Asha", target="e-Bram"))
    assert caught.value.field == "player"
    assert book.log.head() == head


def test_a_void_of_a_voided_result_changes_nothing(home):
    book = five(home)
    book.submit(void("e-Bram"))
    assert set(moves(book.submit(void("e-Bram"))).values()) == {("unchanged", None, None)}
    assert set(whys(book.submit(correct("e-Bram", 99, mode="x"))).values()) == {"unchanged"}
    assert len(everywhere(book)) == 4


def test_a_void_in_the_batch_of_its_result_takes_it_back(home):
    book = five(home)
    receipts = book.submit_many([result("Zoe", 99, id="z", mode="x"), void("z")])
    assert [set(whys(each).values()) for each in receipts] == [{"new"}, {"removed"}]
    assert len(everywhere(book)) == 5


def test_a_void_that_comes_before_its_result_is_refused_with_the_whole_batch(home):
    book = five(home)
    with pytest.raises(Refused, match="no recorded result"):
        book.submit_many([void("z"), result("Zoe", 99, id="z", mode="x")])
    assert len(everywhere(book)) == 5


def test_a_second_correction_with_another_mode_moves_the_entry_between_rankings(home):
    book = home.open(board(**SHAPE))
    book.submit(result("asha", 50, id="a", mode="x"))
    book.submit(result("bram", 40, mode="y"))

    def modes():
        return {
            mode: players(book.ranking("speed", tags={"mode": mode}).top())
            for mode in ("x", "y", "z")
        }

    receipt = book.submit(correct("a", 45, mode="y"))
    assert whys(receipt) == {
        "all-time/all-time": "replaced",
        "all-time/all-time/mode=x": "removed",
        "all-time/all-time/mode=y": "restored",
        "daily/2026-11-30": "replaced",
        "daily/2026-11-30/mode=x": "removed",
        "daily/2026-11-30/mode=y": "restored",
    }
    assert modes() == {"x": [], "y": ["asha", "bram"], "z": []}
    receipt = book.submit(correct("a", 30, mode="z"))
    assert whys(receipt)["all-time/all-time/mode=x"] == "unchanged"
    assert moves(receipt)["all-time/all-time/mode=y"] == ("removed", 1, None)
    assert moves(receipt)["all-time/all-time/mode=z"] == ("restored", None, 1)
    assert moves(receipt)["all-time/all-time"] == ("replaced", 1, 2)
    assert modes() == {"x": [], "y": ["bram"], "z": ["asha"]}
    book.submit(void("a"))
    assert modes() == {"x": [], "y": ["bram"], "z": []}
    refolds_alike(book, home)


def test_a_correction_keeps_the_time_and_day_of_its_result(home):
    book = home.open(board(**SHAPE))
    book.submit(result("asha", 50, id="a", mode="x", at="2026-11-01T12:00:00Z"))
    book.submit(result("bram", 45, mode="x", at="2026-11-02T12:00:00Z"))
    book.submit(correct("a", 45, mode="x"))
    entry = book.ranking("speed").entry("asha")
    assert (entry.reached_at, entry.event_id) == (when("2026-11-01T12:00:00Z"), "a")
    assert players(book.ranking("speed").top()) == ["asha", "bram"]
    assert players(book.ranking("speed", window="daily", period="2026-11-01").top()) == ["asha"]


def test_a_correction_during_a_ban_shows_when_it_is_lifted(home):
    book = five(home)
    book.submit(ban("Bram"))
    assert set(whys(book.submit(correct("e-Bram", 60, mode="x"))).values()) == {"unchanged"}
    book.submit(unban("Bram"))
    assert everywhere(book)[0] == (1, "Bram")


@pytest.mark.parametrize("numbering", ["competition", "dense", "ordinal"])
def test_receipts_have_the_ranks_that_reads_have_before_and_after(home, numbering):
    book = five(home, numbering=numbering)
    book.submit(result("Kiran", 40, mode="x"))
    for event in (
        correct("e-Asha", 40, mode="x"),
        void("e-Chidi"),
        ban("Bram"),
        result("Bram", 99, mode="x"),
        correct("e-Emil", 20, mode="x"),
        unban("Bram"),
        correct("e-Bram", 10, mode="x"),
        forget("Dora"),
        unban("Zoe"),
        result("Asha", 1, mode="x"),
        void("e-Asha"),
    ):
        who = event.player or event.target.removeprefix("e-")
        wanted = [view for view in views(book) if view.ranking.board == "speed"]
        before = [(view.rank(who), _score(view, who)) for view in wanted]
        receipt = book.submit(event)
        after = [(view.rank(who), _score(view, who)) for view in wanted]
        lines = {(p.window, p.tags.get("mode")): p for p in receipt.rankings if p.board == "speed"}
        for view, was, now in zip(wanted, before, after, strict=True):
            tags = dict(view.ranking.tags)
            line = lines.pop((view.ranking.window, tags.get("mode")), None)
            if line is None:
                assert was == now
                continue
            assert (line.previous_rank, line.previous_score) == was
            assert (line.rank, line.score) == now
            assert line.changed == (was[1] != now[1])
        assert lines == {}


def _score(view, player):
    entry = view.entry(player)
    return None if entry is None else entry.score


@pytest.mark.parametrize("kind", ["forgotten", "nonsense", ""])
def test_an_event_of_no_kind_that_there_is_is_refused(home, kind):
    book = five(home)
    with pytest.raises(Refused) as caught:
        book.submit(Event(player="Asha", kind=kind))
    assert caught.value.field == "kind"
    assert len(everywhere(book)) == 5


# --- caps ----------------------------------------------------------------------------------------


def test_a_board_of_three_loses_who_reached_the_score_last_and_not_whose_name_is_last(home):
    book = home.open(board(size=3))
    for minute, player in enumerate(["zoe", "yara", "xena", "anna"]):
        book.submit(result(player, 5, at=f"2026-11-30T10:{minute:02}:00Z"))
    view = book.ranking("speed")
    assert [e.player for e in agreed(view)] == ["zoe", "yara", "xena"]
    assert (view.rank("anna"), view.count()) == (None, 3)
    book.submit(ban("yara"))
    assert [e.player for e in agreed(view)] == ["zoe", "xena", "anna"]
    book.submit(result("late", 5, at="2026-11-30T09:00:00Z"))
    assert [e.player for e in agreed(view)] == ["late", "zoe", "xena"]
    book.submit(forget("zoe"))
    assert [e.player for e in agreed(view)] == ["late", "xena", "anna"]
    assert_agrees(book)
