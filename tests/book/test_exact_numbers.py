"""Numbers are exact from the submission to the JSON of an entry, and what cannot be is refused."""

import json
from decimal import Decimal

import msgspec
import pytest

from rankbook import Event, Refused
from tests.book.home import board, players, result

PAST_DOUBLES = 9007199254740993
LEAST, MOST = -(2**63), 2**63 - 1


def as_json(value):
    return json.loads(msgspec.json.encode(value))


def test_integers_past_doubles_stand_apart_and_read_back_exactly_through_json_too(home):
    book = home.open(board())
    receipts = book.submit_many(
        [result("low", PAST_DOUBLES - 1, id="l"), result("high", PAST_DOUBLES, id="h")]
    )
    ranking = book.ranking("speed")
    assert players(ranking.top()) == ["high", "low"]
    assert [entry.score for entry in ranking.top().entries] == [PAST_DOUBLES, PAST_DOUBLES - 1]
    entries = as_json(ranking.top())["entries"]
    assert [entry["score"] for entry in entries] == [PAST_DOUBLES, PAST_DOUBLES - 1]
    assert entries[0]["measures"] == {"score": PAST_DOUBLES}
    assert as_json(ranking.entry("high"))["score"] == PAST_DOUBLES
    assert b"9007199254740993" in msgspec.json.encode(receipts[1])
    assert receipts[1].rankings[0].score == PAST_DOUBLES


def test_an_event_that_comes_as_json_is_as_exact(home):
    book = home.open(board(details=("score",)))
    text = b'{"player": "asha", "values": {"score": 9007199254740993}, "id": "a"}'
    book.submit(msgspec.json.decode(text, type=Event))
    entry = book.ranking("speed").entry("asha")
    assert (entry.score, entry.details["score"]) == (PAST_DOUBLES, PAST_DOUBLES)


@pytest.mark.parametrize("numbering", ["ordinal", "competition", "dense"])
@pytest.mark.parametrize("tie_break", ["first", "last", "player"])
@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_the_ends_of_64_bits_are_ranked_like_other_numbers(home, numbering, tie_break, direction):
    book = home.open(
        board(numbering=numbering, tie_break=tie_break, order_by=(f"score {direction}",))
    )
    scores = {"most": MOST, "nil": 0, "least": LEAST, "least-too": LEAST}
    book.submit(result("someone", 1))
    receipts = book.submit_many([result(player, score) for player, score in scores.items()])
    ranking = book.ranking("speed")
    for receipt, (player, score) in zip(receipts, scores.items(), strict=True):
        assert ranking.entry(player).score == score
        assert receipt.rankings[0].score == score
        assert receipt.rankings[0].rank == ranking.rank(player)
    assert ranking.rank("most") == (1 if direction == "desc" else ranking.rank("someone") + 1)


@pytest.mark.parametrize(
    "score", [float("nan"), float("inf"), float("-inf"), 1e309, MOST + 1, LEAST - 1, 1e300]
)
def test_numbers_that_cannot_be_kept_are_refused_and_nothing_is_recorded(home, score):
    book = home.open(board())
    with pytest.raises(Refused) as caught:
        book.submit(result("asha", score))
    assert caught.value.field == "score"
    assert book.log.head() == 0


def test_a_fraction_is_never_rounded_in_silence(home):
    book = home.open(board())
    with pytest.raises(Refused):
        book.submit(result("asha", 90.5))
    book.submit(result("asha", 90.0))
    score = book.ranking("speed").entry("asha").score
    assert (type(score), score) == (int, 90)


def test_decimals_stay_decimals_in_entries_receipts_and_json(home):
    measures = {"score": {"value": "score", "type": "decimal(2)"}}
    book = home.open(board(measures=measures))
    receipts = book.submit_many(
        [result("low", 64.09, id="l"), result("high", 64.10, id="h"), result("nil", 0, id="n")]
    )
    again = book.submit_many([result("high", 64.10, id="h"), result("nil", 0, id="n")])
    assert again == receipts[1:]
    assert [r.rankings[0].score for r in receipts] == [
        Decimal("64.09"),
        Decimal("64.10"),
        Decimal("0.00"),
    ]
    assert all(type(r.rankings[0].score) is Decimal for r in receipts + again)
    entry = book.ranking("speed").entry("high")
    assert (str(entry.score), entry.rank) == ("64.10", 1)
    assert as_json(entry)["score"] == "64.10"


@pytest.mark.parametrize("digits", [0, 1, 6, 12])
def test_decimals_of_every_size_survive_the_stored_receipt(home, digits):
    measures = {"score": {"value": "score", "type": f"decimal({digits})"}}
    book = home.open(board(measures=measures))
    smallest = Decimal(1).scaleb(-digits)
    receipt = book.submit(result("asha", float(smallest), id="a"))
    assert receipt.rankings[0].score == smallest
    assert book.submit(result("asha", float(smallest), id="a")) == receipt
    assert book.ranking("speed").entry("asha").score == smallest


def test_doubles_read_back_as_the_same_doubles(home):
    measures = {"score": {"value": "score", "type": "float"}}
    book = home.open(board(measures=measures))
    scores = [0.1, 0.1 + 0.2, 1e300, -1e-300, 5e-324, 3.0, -0.0]
    receipts = book.submit_many([result(f"p{i}", s, id=f"e{i}") for i, s in enumerate(scores)])
    for index, score in enumerate(scores):
        entry = book.ranking("speed").entry(f"p{index}")
        assert (type(entry.score), entry.score) == (float, score)
        assert receipts[index].rankings[0].score == score
        assert type(receipts[index].rankings[0].score) is float
    order = [f"p{scores.index(score)}" for score in sorted(scores, reverse=True)]
    assert players(book.ranking("speed").top()) == order


def test_values_of_an_event_come_back_with_their_own_types_as_details(home):
    names = ("whole", "spelled", "double", "exact", "large", "text")
    book = home.open(board(details=names))
    values = {
        "whole": 3,
        "spelled": 3.0,
        "double": 3.5,
        "exact": Decimal("90071992547409.93"),
        "large": MOST,
        "text": "drei \u00df \U0001f600",
    }
    book.submit(result("asha", 1, **values))
    details = book.ranking("speed").entry("asha").details
    assert details == values
    assert [type(details[name]) for name in names] == [int, int, float, Decimal, int, str]
