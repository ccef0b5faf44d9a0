"""The smaller choices of a board: what they may be, what they belong to, what they decide."""

from decimal import Decimal

import pytest

from rankbook.errors import Refused, SpecError
from rankbook.rules import Board, BoardRules
from tests.unit.facts import fact, rules

GOOD = {
    "name": "b",
    "measures": {"x": "x", "y": {"value": "y", "type": "decimal(1)"}},
    "order_by": ["x desc"],
    "windows": ["all-time", "daily", "weekly"],
}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"best_of": 3}, "best_of"),
        ({"keep": "latest", "best_of": 3}, "best_of"),
        ({"keep": "total", "best_of": 0}, "best_of"),
        ({"keep": "total", "best_of": 101}, "best_of"),
        ({"keep": "total", "best_of": 2.5}, "best_of"),
        ({"keep": "total", "best_of": True}, "best_of"),
        ({"latest_by": "at"}, "latest_by"),
        ({"keep": "latest", "latest_by": "time"}, "latest_by"),
        ({"size": 0}, "size"),
        ({"size": 10_000_001}, "size"),
        ({"size": "3"}, "size"),
        ({"min": "5"}, "min"),
        ({"min": True}, "min"),
        ({"min": 0.5}, "min"),
        ({"max": float("inf")}, "max"),
        ({"max": 2**63}, "max"),
        ({"min": 5, "max": 4}, "max"),
        ({"order_by": ["y desc"], "max": 0.25}, "max"),
        ({"grace_seconds": -1}, "grace_seconds"),
        ({"grace_seconds": float("nan")}, "grace_seconds"),
        ({"grace_seconds": "5"}, "grace_seconds"),
        ({"grace_seconds": 1e10}, "grace_seconds"),
        ({"cooldown_seconds": -0.5}, "cooldown_seconds"),
        ({"cooldown_seconds": float("inf")}, "cooldown_seconds"),
        ({"cooldown_seconds": True}, "cooldown_seconds"),
        ({"seal": 1}, "seal"),
        ({"seal": "yes"}, "seal"),
        ({"keep_periods": 0}, "keep_periods"),
        ({"keep_periods": -3}, "keep_periods"),
        ({"keep_periods": 1.5}, "keep_periods"),
        ({"keep_periods": {"daily": 0}}, "keep_periods.daily"),
        ({"keep_periods": {"daily": "7"}}, "keep_periods[...]"),
        ({"keep_periods": {"monthly": 7}}, "keep_periods.monthly"),
        ({"keep_periods": {"all-time": 7}}, "keep_periods.all-time"),
        ({"week_start": "Sunday"}, "week_start"),
        ({"week_start": 7}, "week_start"),
        ({"windows": ["daily"], "week_start": "sunday"}, "week_start"),
        ({"windows": ["season"]}, "seasons"),
        ({"profiles": "current"}, "profiles"),
        ({"where": ""}, "where"),
        ({"where": 5}, "where"),
        ({"where": "x >"}, "where"),
        ({"where": "x.real > 1"}, "where"),
        ({"measures": {"score": "x * 2"}, "order_by": ["score desc"], "where": "score"}, "where"),
        ({"numbering": "olympic"}, "numbering"),
        ({"measures": {f"m{i}": "x" for i in range(33)}, "order_by": ["m1 desc"]}, "measures"),
        ({"order_by": ["x desc", "y asc", "z asc"]}, "order_by[2]"),
    ],
)
def test_a_wrong_choice_is_refused_at_its_field(change, field):
    with pytest.raises(SpecError) as caught:
        Board(**{**GOOD, **change})
    assert caught.value.field == field


def test_the_smallest_and_greatest_choices_are_taken():
    for best_of in (1, 100):
        Board(**GOOD, keep="total", best_of=best_of)
    for size in (1, 10_000_000):
        Board(**GOOD, size=size)
    Board(**GOOD, min=-(2**63), max=2**63 - 1, grace_seconds=0.5, cooldown_seconds=1e9)


def test_a_choice_that_lacks_its_owner_is_told_what_it_is_for():
    with pytest.raises(SpecError, match='best_of: is for keep = "total", which this board has not'):
        Board(**GOOD, best_of=3)
    with pytest.raises(SpecError, match='seasons: is empty; the window "season" has at least one'):
        Board(**{**GOOD, "windows": ["season"]})


def test_a_score_outside_the_limits_is_refused_with_a_reason():
    board = rules(min=0, max=100)
    for x in (0, 50, 100):
        board.admit(fact("a", x=x))
    with pytest.raises(Refused, match=r"^x: is 120, more than 100$"):
        board.admit(fact("a", x=120))
    with pytest.raises(Refused, match=r"^x: is -1, less than 0$"):
        board.admit(fact("a", x=-1))


def test_limits_are_of_the_measures_own_number_type():
    lap = {"lap": {"value": "t", "type": "decimal(2)"}}
    board = rules(measures=lap, order_by=["lap asc"], min=10, max=64.1)
    board.admit(fact("a", t=64.1))
    with pytest.raises(Refused, match=r"^lap: is 64\.11, more than 64\.1$"):
        board.admit(fact("a", t=64.11))
    with pytest.raises(Refused, match=r"^lap: is 9\.99, less than 10$"):
        board.admit(fact("a", t=9.99))
    rules(measures=lap, order_by=["lap asc"], max=Decimal("64.10"))


def test_limits_are_for_the_first_measure_of_the_order():
    measures = {"y": "y", "x": "x"}
    board = rules(measures=measures, order_by=["x desc", "y desc"], max=10)
    board.admit(fact("a", x=10, y=99))
    with pytest.raises(Refused, match=r"^x: "):
        board.admit(fact("a", x=11, y=0))


def test_what_is_recorded_stays_ranked_whatever_the_limits_become():
    assert rules(max=10).candidate(fact("a", x=11)).measures == (11,)
    assert rules(max=10).board.fingerprint() == rules().board.fingerprint()


def test_the_door_asks_for_everything_that_a_board_reads():
    board = rules(splits=[[], ["mode"]])
    with pytest.raises(Refused, match=r"^x: is missing"):
        board.admit(fact("a", mode="time"))
    with pytest.raises(Refused, match=r"^mode: is missing"):
        board.admit(fact("a", x=1))


def test_periods_are_kept_for_all_windows_or_by_window():
    assert Board(**GOOD).periods_kept("daily") is None
    assert Board(**GOOD, keep_periods=7).periods_kept("weekly") == 7
    kept = Board(**GOOD, keep_periods={"daily": 30})
    assert (kept.periods_kept("daily"), kept.periods_kept("weekly")) == (30, None)


def test_spans_of_time_are_whole_microseconds():
    board = BoardRules(Board(**GOOD, grace_seconds=0.1, cooldown_seconds=10))
    assert (board.grace_us, board.cooldown_us) == (100_000, 10_000_000)


def test_thirty_two_measures_order_a_board_and_its_keys_stay_short():
    names = [f"m{i}" for i in range(32)]
    board = rules(
        measures={name: name for name in names}, order_by=[f"{name} desc" for name in names]
    )
    better, worse = [
        board.candidate(fact("a", **dict.fromkeys(names, 1), **{})).key,
        board.candidate(fact("b", **{**dict.fromkeys(names, 1), "m31": 0})).key,
    ]
    assert better < worse
    assert board.key_bytes == len(better) == 33 * 8 <= 1024


SEASONS = [{"name": "s", "start": "2026-01-01", "end": "2026-02-01"}]
LATER = {**GOOD, "windows": ["weekly", "season"], "seasons": SEASONS}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (GOOD, {"keep": "first"}),
        ({**GOOD, "keep": "total"}, {"best_of": 3}),
        ({**GOOD, "keep": "total", "best_of": 3}, {"best_of": 4}),
        ({**GOOD, "keep": "latest"}, {"latest_by": "at"}),
        (GOOD, {"where": "x > 1"}),
        (GOOD, {"week_start": "sunday"}),
        (GOOD, {"cooldown_seconds": 10}),
        (GOOD, {"keep_periods": 3}),
        (GOOD, {"keep_periods": {"daily": 3}}),
        (GOOD, {"profiles": "player"}),
        (GOOD, {"seal": True}),
        ({**GOOD, "seal": True}, {"grace_seconds": 5}),
        (LATER, {"seasons": [{**SEASONS[0], "end": "2026-02-02"}]}),
        (LATER, {"seasons": [{**SEASONS[0], "name": "t"}]}),
        (LATER, {"zone": "+05:30"}),
    ],
)
def test_what_a_fold_would_do_differently_changes_the_fingerprint(before, after):
    assert Board(**before).fingerprint() != Board(**{**before, **after}).fingerprint()


@pytest.mark.parametrize(
    "change",
    [
        {"size": 10},
        {"min": 1, "max": 2},
        {"grace_seconds": 5},
        {"cooldown_seconds": 0.0},
        {"week_start": "monday"},
        {"latest_by": "sequence"},
    ],
)
def test_what_is_only_shown_or_asked_at_the_door_does_not(change):
    assert Board(**GOOD, **change).fingerprint() == Board(**GOOD).fingerprint()


def test_the_same_seasons_written_otherwise_mean_the_same():
    other = [{"name": "s", "start": "2026-01-01T05:30:00+05:30", "end": "2026-02-01"}]
    assert Board(**{**LATER, "seasons": other}).fingerprint() == Board(**LATER).fingerprint()


def test_a_simple_boards_meaning_has_nothing_that_came_later():
    assert list(Board(**GOOD).meaning()) == [
        *("form", "name", "measures", "order_by", "keep"),
        *("splits", "windows", "zone", "tie_break", "details"),
    ]
    meaning = Board(**LATER, seal=True, grace_seconds=5.0).meaning()
    assert (meaning["seal"], meaning["grace_seconds"]) == (True, 5)
    assert meaning["seasons"] == {"s": [1767225600000000, 1769904000000000]}
