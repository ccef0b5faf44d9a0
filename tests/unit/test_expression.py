"""The language of measures: what it computes, and what it refuses to reach."""

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankbook import Board
from rankbook.errors import Refused, SpecError
from rankbook.rules.exact import NATIVE, round_half_up
from rankbook.rules.expression import parse_expression
from rankbook.rules.scoring import CompiledMeasure, Measure


def measure(source, type="integer", **values):
    compiled = CompiledMeasure("score", Measure(source, type), "measures.score")
    return compiled.type.number(compiled(values))


HOSTILE = [
    "__import__('os')",
    "().__class__",
    "wpm.__class__",
    "wpm.real",
    "values['wpm']",
    "wpm[0]",
    "(lambda: 1)()",
    "(x := 5)",
    "[x for x in (1, 2)]",
    "{1: 2}",
    "f'{wpm}'",
    "'a' * 1000000000",
    "'a' + 'b'",
    "eval(wpm)",
    "open(1)",
    "round.__globals__",
    "min(*wpm)",
    "max(a, b, key=abs)",
    "max(1)",
    "min()",
    "round()",
    "round(1, 2, 3)",
    "round(1, wpm)",
    "round(1, 99)",
    "round(1, True)",
    "abs(1, 2)",
    "floor",
    "wpm if accuracy",
    "1 @ 2",
    "1 << 900000",
    "~1",
    "1 | 2",
    "a is b",
    "a in (1, 2)",
    "mode < 'time'",
    "'a' == 'a'",
    "'a' == mode == 'b'",
    "mode == 'a' + 'b'",
    "mode == 'time' and mode + 1",
    "None",
    "True",
    "...",
    "1j",
    "b'x'",
    "1e999",
    "9" * 30,
    "",
    "   ",
    "1 +",
    "1; 2",
    "x = 1",
    "a\x00b",
    "\ud800",
    "__builtins__",
    "__class__",
    "await x",
    "(yield)",
    "*a",
    "a, b",
    "(" * 240 + "1" + ")" * 240,
    "-" * 300 + "1",
    "+".join(["a"] * 200),
    "1" + "+1" * 5000,
    "().__class__.__bases__[0].__subclasses__()",
    "getattr(wpm, 'real')",
    "type(wpm)",
    "exec('1')",
    "globals()",
    "vars()",
    "breakpoint()",
    "print(wpm)",
    "pow(9, 9)",
    "literal0()",
    "min(a for a in b)",
    "f'{wpm.__class__}'",
    "wpm.__init__.__globals__['os']",
    "{**wpm}",
    "{wpm}",
    "(1, 2)",
    "a := 1",
    "async x",
    "not",
    "a and",
    "a == None",
    "a is not None",
    "'a' in mode",
    "mode == f'x'",
    "lambda: 1",
    "a if b else",
    "import os",
    "del a",
    "9" * 501,
    "\u202ea",
]


@pytest.mark.parametrize("source", HOSTILE)
def test_an_expression_outside_the_language_is_refused_at_its_field(source):
    with pytest.raises(SpecError) as caught:
        CompiledMeasure("score", Measure(source), "measures.score")
    assert caught.value.field == "measures.score"


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("a**b", {"a": 10, "b": 2**62}),
        ("a**b", {"a": 2**62, "b": 1000}),
        ("a**b", {"a": 1e300, "b": 2}),
        ("a**-b", {"a": 0, "b": 1}),
        ("a**b", {"a": -8, "b": 0.5}),
        ("(a**64)**64", {"a": 2**62}),
        ("a // b", {"a": 1, "b": 0}),
        ("a % b", {"a": 1.5, "b": 0}),
        ("a / b", {"a": 1, "b": 0}),
        ("a * a", {"a": 1e300}),
        ("floor(a * a)", {"a": 1e300}),
    ],
)
@pytest.mark.parametrize("type", ["integer", "decimal(2)", "float"])
def test_a_computation_without_a_sound_result_is_refused_in_plain_words(source, values, type):
    with pytest.raises(Refused) as caught:
        measure(source, type, **values)
    assert caught.value.field == "score"
    assert "Error" not in caught.value.reason


@pytest.mark.parametrize("source", ["a * a - a * a", "round(a * a - a * a)"])
def test_an_overflow_on_the_way_is_refused_and_exact_in_decimals(source):
    assert measure(source, "decimal(2)", a=1e300) == 0
    with pytest.raises(Refused):
        measure(source, a=1e300)


def test_a_product_past_64_bits_is_refused_and_fits_a_double():
    assert measure("a * a", "float", a=2**40) == 2.0**80
    with pytest.raises(Refused, match="64 bits"):
        measure("a * a", a=2**40)


def test_a_hostile_product_of_extreme_decimals_is_refused_quickly():
    source = "*".join(["a", "b", "(1 / a + b)"] * 15)
    with pytest.raises(Refused, match="too large"):
        measure(source, "decimal(2)", a=5e-324, b=1.7976931348623157e308)


@pytest.mark.parametrize("type", ["integer", "decimal(2)", "float"])
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 2**63, -(2**63) - 1, "12", None])
def test_a_value_that_is_no_sound_number_is_refused_at_its_name(value, type):
    with pytest.raises(Refused) as caught:
        measure("wpm + 1", type, wpm=value)
    assert caught.value.field == "wpm"


def test_a_missing_value_is_refused_at_its_name():
    with pytest.raises(Refused, match=r"^accuracy: is missing$"):
        measure("wpm * accuracy", wpm=1)


def test_a_branch_not_taken_needs_no_value():
    source = "words if mode == 'words' else seconds"
    assert measure(source, words=7, mode="words") == 7
    assert measure(source, seconds=60, mode="time") == 60
    with pytest.raises(Refused, match="seconds"):
        measure(source, words=7, mode="time")


def test_a_number_where_text_belongs_is_refused():
    with pytest.raises(Refused, match=r"^mode: is a number, not text$"):
        measure("1 if mode == 'time' else 2", mode=5)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1 + 2 * 3 - 4", 3),
        ("7 // 2 + 7 % 4", 6),
        ("-7 // 2", -4),
        ("-7 % 4", 1),
        ("2 ** 10", 1024),
        ("min(3, 1, 2) + max(1, 2)", 3),
        ("abs(-5) + floor(2.5) + ceil(2.5)", 10),
        ("+5", 5),
        ("6 / 3", 2),
        ("1 < 2 <= 2", 1),
        ("1 < 2 and not 2 < 1", 1),
        ("0 or 4", 4),
        ("10 if 1 > 2 else 20", 20),
        ("round(1234, -2)", 1200),
        ("round(1250, -2)", 1300),
        ("round(-1250, -2)", -1200),
        ("round(1250.0, -2)", 1300),
    ],
)
@pytest.mark.parametrize("type", ["integer", "decimal(0)", "float"])
def test_an_expression_means_the_same_in_every_number_type(source, expected, type):
    assert measure(source, type) == expected


def test_a_value_may_have_the_name_of_a_python_builtin_or_keyword_like_word():
    assert measure("sum + len + values", sum=1, len=2, values=3) == 6


@pytest.mark.parametrize(
    ("number", "rounded"),
    [
        (0.5, 1),
        (1.5, 2),
        (2.5, 3),
        (-0.5, 0),
        (-1.5, -1),
        (-2.5, -2),
        (-2.500001, -3),
        (0.49999999999999994, 0),
        (-0.49999999999999994, 0),
        (-1e-20, 0),
        (4503599627370495.5, 4503599627370496),
        (4503599627370497.0, 4503599627370497),
        (9007199254740991.0, 9007199254740991),
        (1e300, int(1e300)),
        (7, 7),
    ],
)
def test_round_is_half_up_as_in_javascript(number, rounded):
    assert round_half_up(number) == rounded


@given(st.floats(allow_nan=False, allow_infinity=False))
@example(0.49999999999999994)
@example(5e-324)
def test_round_agrees_with_exact_fractions(number):
    assert round_half_up(number) == math.floor(Fraction(number) + Fraction(1, 2))


@given(
    st.decimals(-1000, 1000, places=6),
    st.integers(0, 5),
)
def test_round_of_a_decimal_measure_agrees_with_exact_fractions(number, digits):
    exact = Fraction(repr(float(number)))
    expected = math.floor(exact * 10**digits + Fraction(1, 2)) / Fraction(10) ** digits
    assert Fraction(measure(f"round(x, {digits})", "decimal(6)", x=float(number))) == expected


@given(st.floats(0, 400), st.floats(0, 100))
def test_the_formula_of_a_browser_gives_what_it_gives_there(wpm, accuracy):
    # A browser: floor(x), one up when the difference is a half or more, in IEEE doubles.
    product = wpm * accuracy / 100
    expected = math.floor(Fraction(product) + Fraction(1, 2))
    assert measure("round(wpm * accuracy / 100)", wpm=wpm, accuracy=accuracy) == expected


@pytest.mark.parametrize(("number", "rounded"), [(1.005, 1.0), (2.345, 2.35), (-2.5, -2.5)])
def test_round_with_digits_is_the_browsers_idiom_for_doubles(number, rounded):
    assert measure("round(x, 2)", "float", x=number) == rounded


numbers = st.one_of(st.integers(-99, 99), st.decimals(-99, 99, places=2).map(float))


@given(numbers, numbers, st.sampled_from(["+", "-", "*", "/", "//", "%"]))
def test_a_decimal_measure_computes_exactly_or_refuses(a, b, operator):
    left, right = Fraction(repr(a)), Fraction(repr(b))
    operations = {
        "+": lambda: left + right,
        "-": lambda: left - right,
        "*": lambda: left * right,
        "/": lambda: left / right,
        "//": lambda: Fraction(left // right),
        "%": lambda: left % right,
    }
    try:
        exact = operations[operator]()
        expected = exact if (exact * 10**4).denominator == 1 else None
    except ZeroDivisionError:
        expected = None
    if expected is None:
        with pytest.raises(Refused):
            measure(f"a {operator} b", "decimal(4)", a=a, b=b)
    else:
        assert Fraction(measure(f"a {operator} b", "decimal(4)", a=a, b=b)) == expected


def test_a_third_is_exact_until_it_is_rounded():
    assert measure("round(a / 3, 2)", "decimal(2)", a=10) == Decimal("3.33")
    assert measure("a / 3 * 3", "decimal(2)", a=10) == 10
    with pytest.raises(Refused, match=r"more than 2 digits"):
        measure("a / 3", "decimal(2)", a=10)


def test_an_expression_says_which_values_it_reads():
    parsed = parse_expression("a + b if mode == 'x' else round(c)", "measures.score")
    assert (parsed.numbers, parsed.texts) == (("a", "b", "c"), ("mode",))
    assert parsed.function(NATIVE)({"a": 1, "b": 2, "mode": "x"}) == 3


@pytest.mark.parametrize("source", ["9**9**9", "x + 2**-3**9**9", "0**-1", "(-8)**0.5"])
def test_a_power_of_numbers_that_cannot_be_is_refused_at_load(source):
    with pytest.raises(SpecError, match=r"^measures.score: .* no number"):
        Board("b", {"score": source}, ["score desc"])
