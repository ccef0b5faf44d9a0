"""A number is kept exactly as its text says, on every way in, or refused with its field."""

import json
import math
from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rankbook import (
    Board,
    BookSpec,
    Event,
    EventConflict,
    MemoryStore,
    Rankbook,
    Refused,
    SpecError,
)
from rankbook.book import events
from rankbook.log import open_log
from rankbook.log.base import Draft, Recorded
from rankbook.rules import as_event, load, micros, parse_instant
from rankbook.rules.numbers import read_number
from rankbook.rules.scoring import CompiledMeasure, Measure
from rankbook.rules.wire import read_json
from tests.kinds.ways import BY_JSON, WAYS, by_query

AT = "2026-11-30T12:00:00Z"
WRITTEN = [way for way in WAYS if way is not by_query]


def book_of(place, type, **more):
    """The TOML of a board by points of this number type, which shows them as a detail too."""
    spec = f"""\
[book]
name = "exact"

[[board]]
name = "b"
measures = {{ score = {{ value = "points", type = "{type}" }} }}
order_by = ["score desc"]
details = ["points"]
"""
    (place / "rankbook.toml").write_text(spec)


@pytest.mark.parametrize("way", WRITTEN)
@pytest.mark.parametrize(
    ("type", "text", "kept"),
    [
        ("decimal(2)", "90071992547409.93", "90071992547409.93"),
        ("decimal(2)", "-1234567890123456.78", "-1234567890123456.78"),
        ("decimal(2)", "0.10", "0.1"),
        ("decimal(12)", "9223372.036854775807", "9223372.036854775807"),
        ("integer", "9007199254740993.0", "9007199254740993"),
        ("integer", "9007199254740993", "9007199254740993"),
        ("integer", "1e18", "1000000000000000000"),
        ("integer", "-9223372036854775808.000", "-9223372036854775808"),
        ("float", "0.10000000000000001", "0.1"),
        ("float", "1e300", "1e300"),
    ],
)
def test_a_number_is_kept_as_it_is_written(way, type, text, kept, tmp_path):
    book_of(tmp_path, type)
    way(tmp_path, AT, text, "one")
    with Rankbook.open(tmp_path) as book:
        entry = book.ranking("b").entry("asha")
        assert Decimal(str(entry.score)) == Decimal(kept)
        assert Decimal(str(entry.details["points"])) == Decimal(text)
        shown = msgspec.json.encode(entry.details, order="sorted")
        assert book.verify().agrees, shown


@pytest.mark.parametrize("way", WRITTEN)
@pytest.mark.parametrize(
    ("type", "text", "reason"),
    [
        ("decimal(2)", "90071992547409.931", "more than 2 digits"),
        ("integer", "4503599627370496.3", "more digits than a double holds"),
        ("integer", "9007199254740993.5", "more digits than a double holds"),
        ("integer", "9223372036854775808.0", "past 2"),
        ("integer", "9223372036854775809.0", "more digits than a double holds"),
        ("decimal(2)", "9223372036854775809.0", "too large"),
        ("float", "90071992547409.93", "more digits than a double holds"),
        ("float", "9007199254740993.0", "no double holds exactly"),
        ("float", "1e309", "not a finite number"),
        ("decimal(2)", "1e-400", "too close to zero"),
        ("decimal(2)", "0." + "3" * 101, "more than 100 digits"),
    ],
)
def test_a_number_that_cannot_be_kept_is_refused(way, type, text, reason, tmp_path):
    book_of(tmp_path, type)
    with pytest.raises(Refused, match=reason) as caught:
        way(tmp_path, AT, text, "one")
    assert caught.value.field.removeprefix("[0].") in ("points", "score", ""), caught.value.field
    with Rankbook.open(tmp_path) as book:
        assert book.log.head() == 0


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("first", "again"), [("1", "1.0"), ("1.0", "1"), ("100", "1e2")])
def test_a_number_in_another_spelling_is_the_same_content(way, first, again, tmp_path):
    book_of(tmp_path, "integer")
    for text in (first, again):
        way(tmp_path, AT, text, "one")
    with Rankbook.open(tmp_path) as book:
        assert book.log.head() == 1


@pytest.mark.parametrize("way", BY_JSON)
def test_numbers_that_differ_only_past_doubles_are_other_content(way, tmp_path):
    book_of(tmp_path, "decimal(2)")
    way(tmp_path, AT, "90071992547409.93", "one")
    with pytest.raises((Refused, EventConflict), match="other content"):
        way(tmp_path, AT, "90071992547409.94", "one")


scaled = st.integers(-(2**63), 2**63 - 1)


@given(scaled, st.integers(0, 12))
@example(9007199254740993, 2)
@example(123456789012345678, 2)
def test_every_decimal_of_64_bits_survives_its_json(number, digits):
    text = f"{Decimal(number).scaleb(-digits):f}"
    values = as_event(Event(player="a", values={"x": read_json(text)})).values
    measure = CompiledMeasure("m", Measure("x", f"decimal({digits})"), "measures.m")
    assert measure(values) == number


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(5e-324)
@example(1.7976931348623157e308)
@example(0.1)
def test_every_double_survives_its_shortest_text_and_its_17_digits(double):
    measure = CompiledMeasure("m", Measure("x", "float"), "measures.m")
    for text in (repr(double), format(double, ".17g")):
        values = as_event(Event(player="a", values={"x": read_number(text)})).values
        if isinstance(values["x"], int) and values["x"] != double:
            with pytest.raises(Refused, match="no double holds exactly"):
                measure(values)
        else:
            assert measure(values) == double


numbers = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(allow_nan=False, allow_infinity=False, places=4),
    st.text(max_size=5),
)


def exact(value):
    """A text itself, a number as its shortest text says it."""
    if isinstance(value, str):
        return value
    return Fraction(repr(value) if isinstance(value, float) else value)


@given(st.dictionaries(st.text("abc", min_size=1), numbers, max_size=4))
@example({"a": -0.0, "b": 1e300, "c": Decimal("90071992547409.930")})
@example({"a": Decimal(2**64 + 1), "b": Decimal("18446744073709551617e30"), "c": 2.0**80})
def test_the_log_gives_values_back_as_they_were_measured(values):
    try:
        event = as_event(Event(player="a", values=values, id="one"))
    except Refused:
        assume(False)
    draft = events.draft(event, 0)
    read = events.body(Recorded(1, *draft)).values
    assert read == event.values
    assert [type(each) for _, each in sorted(read.items())] == [
        type(each) for _, each in sorted(event.values.items())
    ]
    for name, each in values.items():
        assert exact(read[name]) == exact(each)
    assert events.draft(as_event(msgspec.structs.replace(event, values=read)), 0) == draft


BOARD = Board("b", {"score": "points * 2"}, ["score desc"], keep="first", details=["points"])
SPEC = BookSpec(name="old", boards=(BOARD,), store="memory:")


def old(id, number, at_us=5):
    """A draft as earlier releases wrote it: a whole double had a point."""
    body = f'{{"values":{{"points":{number}}}}}'.encode()
    return Draft(id, "result", "asha", at_us, at_us, body)


def test_a_log_of_doubles_folds_as_it_did_and_retries_of_its_events_match(tmp_path):
    log = open_log("sqlite:", tmp_path)
    log.record([old("whole", "97.0", 1), old("half", "97.5"), old("large", "1e16")])
    with Rankbook(SPEC, log, MemoryStore()) as book:
        book.catch_up()
        entry = book.ranking("b").entry("asha")
        assert (entry.score, type(entry.details["points"])) == (194, float)
        for id, values in {
            "whole": [97.0, 97, Decimal("97.00")],
            "half": [97.5, Decimal("97.5")],
        }.items():
            for value in values:
                event = Event(id=id, player="asha", values={"points": value})
                receipts = book.submit_many([event, event])
                assert receipts[0] == receipts[1]
                assert book.outcome(event).receipt == receipts[0]
        assert log.head() == 3
        with pytest.raises(EventConflict):
            book.submit(Event(id="whole", player="asha", values={"points": 98}))
        with pytest.raises(EventConflict):
            book.submit(Event(id="whole", player="bram", values={"points": 97}))
        assert log.head() == 3
        assert book.verify().agrees


def test_two_spellings_in_one_batch_are_one_event(tmp_path):
    with Rankbook(SPEC, open_log("sqlite:", tmp_path), MemoryStore()) as book:
        spellings = [4, 4.0, Decimal("4.00")]
        receipts = book.submit_many(
            [Event(id="one", player="asha", values={"points": each}) for each in spellings]
        )
        assert receipts[0] == receipts[1] == receipts[2]
        assert book.log.head() == 1


TOML = """\
[book]
name = "bounds"

[values]
points = {{ type = "number", max = {most} }}

[[board]]
name = "b"
measures = {{ score = {{ value = "points", type = "decimal(2)" }} }}
order_by = ["score desc"]
max = {most}
"""


def test_bounds_in_a_specification_are_exact(tmp_path):
    most = "90071992547409.93"
    spec = load(TOML.format(most=most))
    with Rankbook(spec, open_log("sqlite:", tmp_path), MemoryStore()) as book:
        book.submit(Event(player="asha", values={"points": Decimal(most)}))
        with pytest.raises(Refused, match="more than"):
            book.submit(Event(player="asha", values={"points": Decimal("90071992547409.94")}))


def test_numbers_in_an_expression_are_exact_or_refused():
    text = "1234567890123456.78"
    measure = CompiledMeasure("m", Measure(f"x + {text}", "decimal(2)"), "measures.m")
    assert measure({"x": 0}) == 123456789012345678
    with pytest.raises(SpecError, match="more digits than a double holds"):
        CompiledMeasure("m", Measure(f"x + {text}"), "measures.m")


def test_a_double_read_in_a_condition_is_exact_or_refused():
    board = Board("b", {"score": "1"}, ["score desc"], where="x > 0.5")
    assert board.condition()({"x": 0.75})
    with pytest.raises(Refused, match="more digits than a double holds"):
        board.condition()({"x": Decimal("0.50000000000000000001")})


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (Decimal("NaN"), "not a finite number"),
        (Decimal("Infinity"), "not a finite number"),
        (math.inf, "not a finite number"),
        (Fraction(1, 3), "is a Fraction that no double holds; give a Decimal"),
        (True, "a value is a number or text"),
        ([1], "a value is a number or text"),
    ],
)
def test_what_is_no_number_that_can_be_kept_is_refused_by_name(value, reason, tmp_path):
    with Rankbook(SPEC, open_log("sqlite:", tmp_path), MemoryStore()) as book:
        with pytest.raises(Refused, match=reason) as caught:
            book.submit(Event(player="asha", values={"points": value}))
        assert caught.value.field == "points"


def test_a_subclass_of_a_double_is_the_double_that_it_is(tmp_path):
    class Own(float):
        """As the floats of numerical libraries are."""

    with Rankbook(SPEC, open_log("sqlite:", tmp_path), MemoryStore()) as book:
        book.submit(Event(player="asha", values={"points": Own(97.0)}, id="one"))
        book.submit(Event(player="asha", values={"points": 97}, id="one"))
        assert book.log.head() == 1


def test_an_exponent_past_every_number_is_refused():
    for text in ("1e-99999999999999999999", "-1.5E-99999999999999999999"):
        with pytest.raises(Refused, match="too close to zero"):
            as_event(Event(player="asha", values={"x": read_json(text)}))


def test_a_key_given_twice_is_refused():
    with pytest.raises(Refused, match="is given twice") as caught:
        read_json('{"player": "a", "player": "b"}')
    assert caught.value.field == "player"


def test_an_instant_given_as_text_is_read_as_any_other(tmp_path):
    with Rankbook(SPEC, open_log("sqlite:", tmp_path), MemoryStore()) as book:
        receipt = book.submit(Event(player="asha", values={"points": 1}, at=AT))
        assert micros(receipt.at) == micros(parse_instant(AT))
        with pytest.raises(Refused) as caught:
            book.submit(Event(player="asha", values={"points": 1}, at="noon"))
        assert caught.value.field == "at"
        assert json.loads(msgspec.json.encode(receipt))["at"] == AT
