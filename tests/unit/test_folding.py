"""Keep rules: what one event does to one entry, in any order, and any number of times."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbook.errors import Corrupt
from rankbook.rules import CHANGED, WHYS, Board, BoardRules
from rankbook.rules.entry import KeptResult, StoredEntry, decode, encode
from tests.unit.facts import fact, fold

BOARD = Board(
    "speed",
    measures={"speed": "wpm", "accuracy": {"value": "acc", "type": "decimal(1)"}},
    order_by=["speed desc", "accuracy desc"],
    details=["wpm", "acc", "mode"],
)
RULES = BoardRules(BOARD)
LOW = BoardRules(
    Board("lap", measures={"t": {"value": "t", "type": "decimal(2)"}}, order_by=["t asc"])
)


def shown(rules, stored):
    return rules.entry(1, b"asha", *stored)


def test_a_first_result_is_new():
    stored, why = fold(RULES, [fact("e1", wpm=50, acc=97.0)])
    assert why == "new"
    assert shown(RULES, stored).score == 50


def test_the_best_is_one_whole_event_on_the_full_order():
    runs = [fact("run-1", 1, wpm=90, acc=97.0), fact("run-2", 2, wpm=89, acc=99.5)]
    stored, why = fold(RULES, runs)
    entry = shown(RULES, stored)
    assert why == "not-better"
    assert (entry.score, str(entry.measures["accuracy"]), entry.event_id) == (90, "97.0", "run-1")
    stored, why = fold(RULES, [fact("run-3", 3, wpm=90, acc=98.0)], stored)
    entry = shown(RULES, stored)
    assert why == "better"
    assert (entry.score, str(entry.measures["accuracy"]), entry.event_id) == (90, "98.0", "run-3")
    assert entry.details == {"wpm": 90, "acc": 98.0, "mode": None}


def test_low_is_better_keeps_the_lower():
    stored, why = fold(LOW, [fact("a", 1, t=61.20), fact("b", 2, t=61.25)])
    assert (why, str(shown(LOW, stored).score)) == ("not-better", "61.20")
    assert fold(LOW, [fact("c", 3, t=61.19)], stored)[1] == "better"


def test_an_equal_score_does_not_replace_the_entry():
    first = fact("e1", 1, wpm=90, acc=97.0, mode="time")
    stored, _ = fold(RULES, [first])
    again, why = fold(RULES, [fact("e2", 2, {"name": "New"}, wpm=90, acc=97, mode="words")], stored)
    assert (again, why) == (stored, "not-better")


def test_an_equal_result_that_happened_earlier_replaces_the_entry():
    stored, why = fold(RULES, [fact("e2", 2, wpm=90, acc=97), fact("e1", 1, wpm=90, acc=97)])
    assert why == "earlier"
    assert shown(RULES, stored).event_id == "e1"


def test_of_equal_results_at_the_same_instant_the_smaller_id_is_kept():
    facts = [fact("b", 1, wpm=90, acc=97), fact("a", 1, wpm=90, acc=97)]
    assert fold(RULES, facts)[0] == fold(RULES, facts[::-1])[0]
    assert fold(RULES, facts)[1] == "earlier"


def test_the_same_event_twice_changes_nothing():
    event = fact("e1", 1, wpm=90, acc=97)
    assert fold(RULES, [event, event]) == (fold(RULES, [event])[0], "not-better")


def test_an_event_that_is_not_better_does_not_read_the_stored_value():
    key = RULES.candidate(fact("e1", wpm=90, acc=97)).key
    damaged = (key, b"\xc1 no msgpack")
    assert RULES.fold(damaged, RULES.candidate(fact("e2", wpm=80, acc=97))).key is None
    assert RULES.fold(damaged, RULES.candidate(fact("e2", wpm=91, acc=97))).why == "better"
    with pytest.raises(Corrupt):
        RULES.fold(damaged, RULES.candidate(fact("e2", wpm=90, acc=97)))


def test_zero_and_negative_scores_are_scores():
    stored, _ = fold(RULES, [fact("a", wpm=-5, acc=0), fact("b", wpm=0, acc=0)])
    assert shown(RULES, stored).score == 0


facts = st.builds(
    fact,
    st.text("abc", min_size=1, max_size=3),
    st.integers(0, 3),
    wpm=st.integers(-2, 2),
    acc=st.sampled_from([0.1, 97.0, 97.5]),
)


@given(
    st.lists(facts, min_size=1, max_size=12, unique_by=lambda each: each.event_id),
    st.sampled_from(["first", "last", "player"]),
    st.randoms(use_true_random=False),
)
def test_any_order_and_any_repetition_give_the_same_entry(events, tie_break, chance):
    rules = BoardRules(
        Board("b", measures=BOARD.measures, order_by=BOARD.order_by, tie_break=tie_break)
    )
    stored, _ = fold(rules, events)
    shuffled = events + chance.choices(events, k=len(events))
    chance.shuffle(shuffled)
    assert fold(rules, shuffled)[0] == stored
    best = max(events, key=lambda each: (each.values["wpm"], each.values["acc"], -each.at_us))
    assert shown(rules, stored).measures["speed"] == best.values["wpm"]


def test_the_order_of_a_whole_board_does_not_depend_on_the_order_of_delivery():
    chance = random.Random(7)
    events = [
        fact(f"e{i}", chance.randrange(9), player=f"p{i % 7}", wpm=chance.randrange(3), acc=1)
        for i in range(200)
    ]

    def board(delivered):
        entries = {}
        for each in delivered:
            entries[each.player], _ = fold(RULES, [each], entries.get(each.player))
        return sorted((stored[0], player) for player, stored in entries.items())

    expected = board(events)
    for _ in range(5):
        chance.shuffle(events)
        assert board(events) == expected


def test_an_entry_of_a_typing_site_takes_about_a_hundred_bytes():
    values = {"wpm": 91.4, "acc": 97.3, "mode": "time"}
    standing = StoredEntry(
        (89,),
        1795977000000000,
        "0196b1f6-3a9a-7b63-8d5a-3d1b2ac01f00",
        tuple(values.values()),
        {"name": "Asha Rao"},
    )
    assert decode(encode(standing)) == standing
    assert len(encode(standing)) <= 110


def test_an_entry_without_extras_is_stored_as_it_always_was():
    fields = ((89,), 1, "e1", (1.5, None), {"name": "Asha"})
    old = b"\x95\x91Y\x01\xa2e1\x92\xcb?\xf8\0\0\0\0\0\0\xc0\x81\xa4name\xa4Asha"
    assert encode(KeptResult(*fields)) == encode(StoredEntry(*fields)) == old
    assert decode(old) == StoredEntry(*fields)


@pytest.mark.parametrize(
    "extras",
    [
        {"sequence": 0},
        {"counted": 3},
        {"parts": ((), (1e-20,))},
        {"results": (KeptResult((5,), 1, "e", (), {}),)},
    ],
)
def test_extras_read_back_and_those_after_the_last_take_no_bytes(extras):
    standing = StoredEntry((89,), 1, "e1", (), {}, **extras)
    value = encode(standing)
    assert decode(value) == standing
    assert value[0] == 0x96 + ["sequence", "counted", "parts", "results"].index(*extras)


def test_receipts_keep_the_place_of_a_word_so_words_are_only_added_at_the_end():
    assert WHYS[:4] == ("new", "better", "earlier", "not-better")
    assert WHYS[4:13] == (
        *("newer", "older", "not-first", "added", "no-change", "overflow"),
        *("cooldown", "period_closed", "banned"),
    )
    assert len(set(WHYS)) == len(WHYS)
    assert {"new", "better", "earlier", "newer", "added"} <= CHANGED < set(WHYS)


@pytest.mark.parametrize(
    "value", [b"", b"\xc1", b"\x01", b"\x95\x90\x00\xa1\xff\x90\x80", b"\x91\x90"]
)
def test_bytes_that_are_no_standing_are_corrupt(value):
    with pytest.raises(Corrupt):
        decode(value)
