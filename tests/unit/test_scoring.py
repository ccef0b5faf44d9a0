"""Number types: what is exact stays exact, and what is not is refused."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbook.errors import Refused, SpecError
from rankbook.rules.scoring import CompiledMeasure, Measure


def compiled(value="x", type="integer"):
    return CompiledMeasure("score", Measure(value, type), "measures.score")


def read(value, type="integer", source="x"):
    made = compiled(source, type)
    return made.type.number(made({"x": value}))


@given(st.integers(-(2**63), 2**63 - 1))
def test_an_integer_of_64_bits_reads_back_exactly(number):
    assert read(number) == number


def test_integers_past_2_to_the_53_stay_apart():
    assert read(9007199254740993) == 9007199254740993
    assert read(9007199254740992, source="x + 1") == 9007199254740993


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**400])
def test_an_integer_past_64_bits_is_refused(number):
    with pytest.raises(Refused, match="64 bits"):
        read(number)


@pytest.mark.parametrize("number", [97.0, -5.0, 0.0, -0.0, 2.0**53])
def test_an_integral_double_is_taken_as_that_integer(number):
    result = read(number)
    assert type(result) is int
    assert result == number


@pytest.mark.parametrize("number", [2.0**53 + 2, 1e18, -1e300])
def test_a_double_past_2_to_the_53_is_not_taken_for_an_integer(number):
    with pytest.raises(Refused, match=r"2\*\*53"):
        read(number)


def test_a_fraction_is_refused_and_the_reason_says_what_to_do():
    with pytest.raises(Refused, match=r"score: has a fraction; round it, or declare"):
        read(97.5)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, float("1e309")])
@pytest.mark.parametrize("type", ["integer", "decimal(2)", "float"])
def test_no_number_that_is_not_finite_is_accepted(number, type):
    with pytest.raises(Refused, match="finite"):
        read(number, type)


def test_a_decimal_is_read_from_its_shortest_text():
    assert read(0.1, "decimal(1)") == Decimal("0.1")
    assert read(64.10, "decimal(2)") > read(64.09, "decimal(2)")
    assert str(read(64.1, "decimal(2)")) == "64.10"
    assert read(0.10, "decimal(2)", "x+x+x+x+x+x+x+x+x+x") == 1


def test_a_tenth_and_two_tenths_are_three_tenths():
    made = compiled("a + b", "decimal(1)")
    assert made({"a": 0.1, "b": 0.2}) == 3


@given(st.integers(-(2**63), 2**63 - 1), st.integers(0, 12))
def test_every_scaled_decimal_reads_back_exactly(scaled, digits):
    type = compiled("x", f"decimal({digits})").type
    assert type.scaled(type.number(scaled), "x") == scaled


@pytest.mark.parametrize(("number", "digits"), [(0.125, 2), (1e-13, 12), (0.1 + 0.2, 2)])
def test_digits_beyond_the_declared_ones_are_refused_not_rounded(number, digits):
    with pytest.raises(Refused, match=f"more than {digits} digits"):
        read(number, f"decimal({digits})")


@pytest.mark.parametrize("number", [1e19, 92233720368547758.08, 1e308, 2**62])
def test_a_decimal_past_its_64_bits_is_refused(number):
    with pytest.raises(Refused):
        read(number, "decimal(2)")


def test_minus_zero_is_zero():
    assert math.copysign(1, read(-0.0, "float")) == 1
    assert read(-0.0) == 0


def test_an_integer_that_no_double_holds_is_refused_by_a_float_measure():
    assert read(2**53, "float") == 2.0**53
    with pytest.raises(Refused, match="exactly"):
        read(2**53 + 1, "float")


@pytest.mark.parametrize("type", ["decimal(13)", "decimal", "decimal(-1)", "int", "", "decimal(x)"])
def test_an_unknown_number_type_is_refused_at_its_field(type):
    with pytest.raises(SpecError) as caught:
        compiled("x", type)
    assert caught.value.field == "measures.score.type"


def test_a_function_may_measure():
    assert compiled(lambda values: values["x"] * 2)({"x": 4}) == 8
    assert compiled(lambda values: Decimal("1.25"), "decimal(2)")({}) == 125
    assert compiled(lambda values: 1.25, "decimal(2)")({}) == 125
    assert compiled(lambda values: True)({}) == 1


def refuse(values):
    raise Refused("x", "is odd")


@pytest.mark.parametrize(
    ("function", "field"),
    [
        (lambda values: values["y"], "y"),
        (lambda values: 1 // 0, "score"),
        (lambda values: "text", "score"),
        (lambda values: None, "score"),
        (lambda values: 1j, "score"),
        (lambda values: Decimal("NaN"), "score"),
        (refuse, "x"),
    ],
)
def test_a_function_that_fails_refuses_the_event(function, field):
    with pytest.raises(Refused) as caught:
        compiled(function)({"x": 1})
    assert caught.value.field == field


@pytest.mark.parametrize("value", [5, None, ["x"]])
def test_a_measure_is_an_expression_or_a_function(value):
    with pytest.raises(SpecError):
        compiled(value)
