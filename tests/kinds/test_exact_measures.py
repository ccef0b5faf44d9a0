"""A decimal measure is exact rational arithmetic all the way, whatever its expression does."""

import ast
import math
import operator
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rankbook.errors import Refused
from rankbook.rules.scoring import CompiledMeasure, Measure


def measure(expression, digits=12):
    return CompiledMeasure("m", Measure(expression, f"decimal({digits})"), "measures.m")


@pytest.mark.parametrize(
    ("expression", "values", "right"),
    [
        ("floor(points / 3) / floor(games)", {"points": 10, "games": 4}, "0.75"),
        ("ceil(points / 3) / ceil(games)", {"points": 10, "games": 5}, "0.80"),
        ("round(points / 3) / 4", {"points": 10}, "0.75"),
        ("(points // 3) / (games % 5)", {"points": 10, "games": 9}, "0.75"),
        ("(points > 3) / 4 + points / 3 - points / 3", {"points": 10}, "0.25"),
        ("abs(floor(0 - points / 3)) / 4", {"points": 10}, "1.00"),
        ("max(floor(points / 3), 2) / min(games, 8)", {"points": 10, "games": 4}, "0.75"),
        ("-floor(points / 3) / -4", {"points": 10}, "0.75"),
        ("floor(points / 3) ** 2 / 4", {"points": 10}, "2.25"),
        ("floor(points / 3) / 4 if points / 3 > 3 else 0", {"points": 10}, "0.75"),
    ],
)
def test_whole_numbers_divide_exactly_also_where_a_third_came_before(expression, values, right):
    compiled = measure(expression, 2)
    assert compiled.type.number(compiled(values)) == Decimal(right)


numbers = st.one_of(st.integers(-20, 20).map(str), st.sampled_from(["x", "y", "0.5", "0.1"]))
functions = ["floor", "ceil", "round", "abs", "-"]
operators = ["+", "-", "*", "/", "//", "%", "<", "=="]


def _deeper(inner):
    one = st.builds(lambda f, a: f"{f}({a})", st.sampled_from(functions), inner)
    two = st.builds(lambda a, o, b: f"(({a}) {o} ({b}))", inner, st.sampled_from(operators), inner)
    more = st.builds(
        lambda f, a, b: f"{f}({a}, {b})", st.sampled_from(["min", "max"]), inner, inner
    )
    branch = st.builds(lambda a, b, c: f"(({a}) if ({b}) else ({c}))", inner, inner, inner)
    return one | two | more | branch


PLAIN = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Lt: operator.lt,
    ast.Eq: operator.eq,
}
NAMED = {
    "floor": math.floor,
    "ceil": math.ceil,
    "abs": abs,
    "round": lambda x: math.floor(x + Fraction(1, 2)),
    "min": min,
    "max": max,
}


def rational(node, values):
    """The expression in fractions, each number of every step a Fraction."""
    match node:
        case ast.Constant():
            return Fraction(repr(node.value))
        case ast.Name():
            return Fraction(values[node.id])
        case ast.BinOp():
            left, right = rational(node.left, values), rational(node.right, values)
            return Fraction(PLAIN[type(node.op)](left, right))
        case ast.UnaryOp():
            return -rational(node.operand, values)
        case ast.Compare():
            left, right = rational(node.left, values), rational(node.comparators[0], values)
            return Fraction(PLAIN[type(node.ops[0])](left, right))
        case ast.IfExp():
            chosen = node.body if rational(node.test, values) else node.orelse
            return rational(chosen, values)
    return Fraction(NAMED[node.func.id](*[rational(each, values) for each in node.args]))


@given(
    st.recursive(numbers, _deeper, max_leaves=6).filter(lambda text: len(text) < 400),
    st.decimals(-99, 99, places=2),
    st.integers(-9, 9),
)
@example("floor(x / 3) / floor(y)", Decimal(10), 4)
@example("((x) if ((y) < (1)) else ((1) / (3)))", Decimal("0.10"), 0)
def test_every_expression_gives_what_fractions_give(expression, x, y):
    values = {"x": float(x), "y": y}
    exact = {"x": Fraction(repr(float(x))), "y": y}
    compiled = measure(expression)
    try:
        right = rational(ast.parse(expression, mode="eval").body, exact)
    except ZeroDivisionError:
        with pytest.raises(Refused, match="divides by zero"):
            compiled(values)
        return
    scaled = right * 10**12
    assume(abs(scaled) < 2**63)
    if scaled.denominator == 1:
        assert compiled(values) == scaled
    else:
        with pytest.raises(Refused, match="more than 12 digits"):
            compiled(values)
