"""Boards: what a specification may say, and what its rules then decide."""

from decimal import Decimal

import pytest

from rankbook.errors import Corrupt, NotFound, Refused, SpecError
from rankbook.model import Period
from rankbook.rules import Board, BoardRules, Fact, Measure, micros
from rankbook.rules.instants import EPOCH

GOOD = {
    "name": "speed",
    "measures": {"score": "round(wpm * accuracy / 100)"},
    "order_by": ["score desc"],
    "splits": [[], ["mode"]],
    "windows": ["all-time", "daily"],
    "zone": "+05:30",
    "details": ["wpm", "accuracy", "mode"],
}
RULES = BoardRules(Board(**GOOD))
VALUES = {"wpm": 100, "accuracy": 98.0, "mode": "time"}
AT_US = 1_795_977_000_000_000


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "Speed"}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 65}, "name"),
        ({"name": 5}, "name"),
        ({"measures": {}}, "measures"),
        ({"measures": ["score"]}, "measures"),
        ({"measures": {"Score": "wpm"}}, "measures.Score"),
        ({"measures": {"score": 5}}, "measures.score"),
        ({"measures": {"score": "wpm +"}}, "measures.score"),
        ({"measures": {"score": {"value": "wpm", "type": "int"}}}, "measures.score.type"),
        ({"measures": {"score": {"value": "wpm", "typ": "float"}}}, "measures.score.typ"),
        ({"measures": {"score": {"type": "float"}}}, "measures.score"),
        ({"measures": {"score": {"value": "wpm", "type": 3}}}, "measures.score.type"),
        ({"measures": {"score": "wpm * 2", "total": "score + 1"}}, "measures.total"),
        ({"measures": {"score": "total", "total": "score"}}, "measures.score"),
        ({"order_by": []}, "order_by"),
        ({"order_by": "score desc"}, "order_by"),
        ({"order_by": [1]}, "order_by[0]"),
        ({"order_by": ["score"]}, "order_by[0]"),
        ({"order_by": [""]}, "order_by[0]"),
        ({"order_by": ["score down"]}, "order_by[0]"),
        ({"order_by": ["score desc", "wpm asc"]}, "order_by[1]"),
        ({"order_by": ["score desc", "score asc"]}, "order_by[1]"),
        ({"keep": "worst"}, "keep"),
        ({"splits": []}, "splits"),
        ({"splits": ["mode"]}, "splits[0]"),
        ({"splits": [[], ["mode"], ["mode"]]}, "splits[2]"),
        ({"splits": [["a", "b"], ["b", "a"]]}, "splits[1]"),
        ({"splits": [["a", "a"]]}, "splits[0][1]"),
        ({"splits": [["a b"]]}, "splits[0][0]"),
        ({"splits": [["window"]]}, "splits[0][0]"),
        ({"windows": []}, "windows"),
        ({"windows": ["hourly"]}, "windows[0]"),
        ({"windows": ["daily", "daily"]}, "windows[1]"),
        ({"zone": "Mars"}, "zone"),
        ({"zone": None}, "zone"),
        ({"numbering": "1224"}, "numbering"),
        ({"tie_break": "name"}, "tie_break"),
        ({"details": ["wpm", "wpm"]}, "details[1]"),
        ({"details": ["a b"]}, "details[0]"),
    ],
)
def test_a_fault_is_named_by_its_field(change, field):
    with pytest.raises(SpecError) as caught:
        Board(**{**GOOD, **change})
    assert caught.value.field == field


def test_a_column_without_a_direction_is_told_how_to_write_it():
    with pytest.raises(SpecError, match="write 'score desc' or 'asc'"):
        Board("b", measures={"score": "x"}, order_by=["score"])


def test_an_unknown_measure_is_answered_with_those_there_are():
    with pytest.raises(SpecError, match="'points' is not known; there are: score, wins"):
        Board("b", measures={"score": "x", "wins": "y"}, order_by=["points desc"])


def test_a_measure_may_have_the_name_of_its_value_and_others_may_read_it():
    measures = {"score": "score", "per_run": "score // runs"}
    rules = BoardRules(Board("b", measures=measures, order_by=["per_run desc"]))
    assert rules.measure({"score": 10, "runs": 3}) == (10, 3)
    assert rules.score((10, 3)) == 3


def test_a_board_has_the_defaults_of_a_simple_game():
    board = Board("game", measures={"score": "score"}, order_by=["score desc"])
    assert (board.keep, board.splits, board.windows) == ("best", ((),), ("all-time",))
    assert (board.zone, board.numbering, board.tie_break) == ("UTC", "competition", "first")
    assert board.measures == {"score": Measure("score", "integer")}


def test_boards_from_lists_and_tuples_are_equal():
    assert Board(**GOOD) == Board(
        **{**GOOD, "order_by": ("score desc",), "splits": ((), ("mode",))}
    )


def test_an_event_touches_every_split_in_every_window():
    names = [ranking.name for ranking in RULES.rankings(VALUES, AT_US)]
    assert names == [
        "speed/all-time/all-time",
        "speed/all-time/all-time/mode=time",
        "speed/daily/2026-11-30",
        "speed/daily/2026-11-30/mode=time",
    ]
    assert RULES.rankings({**VALUES, "wpm": 1}, AT_US + 1) is RULES.rankings(VALUES, AT_US)


def test_the_cached_rankings_of_one_event_are_not_those_of_another():
    words = RULES.rankings({"mode": "words"}, AT_US)
    before = RULES.rankings({"mode": "words"}, AT_US - 1)
    number, text = [RULES.rankings({"mode": mode}, AT_US) for mode in (1, True)]
    assert words[2].name == "speed/daily/2026-11-30"
    assert before[3].name == "speed/daily/2026-11-29/mode=words"
    assert (number[1].tags, text[1].tags) == ((("mode", "1"),), (("mode", "true"),))


@pytest.mark.parametrize("mode", [None, 1.0, "", "x" * 65, "a\x00", {}])
def test_a_split_value_that_is_no_tag_is_refused_by_name(mode):
    for _ in range(2):
        with pytest.raises(Refused) as caught:
            RULES.rankings({"mode": mode}, AT_US)
        assert caught.value.field == "mode"


def test_a_board_without_splits_needs_no_tag():
    rules = BoardRules(Board("b", measures={"score": "x"}, order_by=["score desc"]))
    assert [ranking.name for ranking in rules.rankings({}, 0)] == ["b/all-time/all-time"]


def test_many_tags_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr("rankbook.rules.boardrules.MAX_CACHED_RANKINGS", 3)
    rules = BoardRules(Board(**GOOD))
    for mode in range(10):
        assert rules.rankings({"mode": mode}, AT_US)[1].tags == (("mode", str(mode)),)
    assert len(rules._cache) <= 3


def test_what_does_not_exist_is_answered_with_what_does():
    with pytest.raises(
        NotFound, match="no window 'weekly' on board 'speed'; there are: all-time, da"
    ):
        RULES.window("weekly")
    with pytest.raises(NotFound, match=r"not split by \[lang\]; there are: \[\], \[mode\]"):
        RULES.ranking("daily", "2026-11-30", {"lang": "en"})
    with pytest.raises(NotFound, match=r"\[lang, mode\]"):
        RULES.ranking("daily", "2026-11-30", {"mode": "time", "lang": "en"})
    with pytest.raises(NotFound):
        RULES.ranking("daily", "2026-11-31", {})
    with pytest.raises(NotFound):
        RULES.ranking("daily", "2026-11-30", {"mode": ""})


def test_a_ranking_is_found_by_its_parts():
    found = RULES.ranking("daily", "2026-11-30", {"mode": "time"})
    assert found == RULES.rankings(VALUES, AT_US)[3]


def test_a_period_is_shown_in_the_boards_zone():
    period = RULES.period(RULES.window("daily").period("2026-11-30"))
    assert (period.id, period.zone) == ("2026-11-30", "+05:30")
    assert (period.start.isoformat(), micros(period.start)) == ("2026-11-29T18:30:00+00:00", AT_US)
    all_time = RULES.period(RULES.window("all-time").period("all-time"))
    assert all_time == Period(id="all-time", start=None, end=None, zone="+05:30")


def test_an_entry_shows_rank_score_details_and_name_of_one_event():
    fact = Fact("asha", VALUES, {"name": "Asha"}, None, AT_US, "e1", 1)
    candidate = RULES.candidate(fact)
    entry = RULES.entry(3, "ашá".encode(), candidate.key, candidate.value)
    assert (entry.rank, entry.player, entry.score) == (3, "ашá", 98)
    assert entry.details == VALUES
    assert (entry.profile, entry.event_id) == ({"name": "Asha"}, "e1")
    assert micros(entry.reached_at) == AT_US
    assert RULES.key_score(candidate.key) == 98
    assert candidate.key.startswith(RULES.score_bound(98))


def test_a_key_beside_another_events_entry_is_corrupt():
    first, second = [
        RULES.candidate(Fact("asha", {**VALUES, "wpm": wpm}, {}, None, AT_US, "e", 1))
        for wpm in (95, 97)
    ]
    with pytest.raises(Corrupt):
        RULES.entry(1, b"asha", first.key, second.value)


def test_scores_of_every_type_read_back_from_the_key():
    for type, value in (("integer", -5), ("decimal(2)", Decimal("64.10")), ("float", -2.5)):
        for direction in ("asc", "desc"):
            measures = {"m": {"value": "x", "type": type}}
            rules = BoardRules(Board("b", measures=measures, order_by=[f"m {direction}"]))
            key = rules.candidate(Fact("p", {"x": float(value)}, {}, None, 0, "e", 1)).key
            assert str(rules.key_score(key)) == str(value)


def test_a_larger_integer_stands_above_past_2_to_the_53():
    rules = BoardRules(Board("b", measures={"score": "x"}, order_by=["score desc"]))
    keys = [rules.codec.key(rules.measure({"x": x}), 0) for x in (2**53 + 1, 2**53)]
    assert keys[0] < keys[1]
    assert [rules.key_score(key) for key in keys] == [2**53 + 1, 2**53]


def test_a_submission_without_its_value_is_refused_by_name():
    with pytest.raises(Refused, match="accuracy: is missing"):
        RULES.candidate(Fact("asha", {"wpm": 1, "mode": "time"}, {}, None, 0, "e", 1))


@pytest.mark.parametrize(
    "change",
    [
        {"measures": {"score": "wpm"}},
        {"measures": {"score": {"value": GOOD["measures"]["score"], "type": "float"}}},
        {"order_by": ["score asc"]},
        {"splits": [[]]},
        {"windows": ["daily"]},
        {"zone": "UTC"},
        {"tie_break": "last"},
        {"details": ["wpm"]},
    ],
)
def test_a_change_of_meaning_changes_the_fingerprint(change):
    assert Board(**{**GOOD, **change}).fingerprint() != Board(**GOOD).fingerprint()


def test_what_is_only_shown_or_spelled_differently_does_not_change_the_fingerprint():
    other = {
        **GOOD,
        "numbering": "dense",
        "splits": [["mode"], []],
        "windows": ["daily", "all-time"],
        "order_by": ["score   desc"],
        "measures": {"score": Measure(" round(wpm * accuracy / 100) ")},
    }
    assert Board(**other).fingerprint() == Board(**GOOD).fingerprint()


def test_the_fingerprint_is_the_same_in_every_release():
    assert Board(**GOOD).fingerprint() == "1a42f50d977961c07d4db4773b181d2c"


def test_a_function_is_known_by_its_name():
    board = Board("b", measures={"score": Measure(max, "float")}, order_by=["score desc"])
    assert board.meaning()["measures"] == [["score", "function builtins.max", "float"]]
    assert EPOCH.year == 1970
