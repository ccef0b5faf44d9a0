"""The language of measures: a small part of Python's expressions, compiled once.

An expression may use `+ - * / // % **`, comparisons, `and or not`, `a if c else b`, numbers, the
names of an event's values, and the functions `min max abs floor ceil round`. Text literals stand
only beside ``==`` and ``!=``. The source is parsed with `ast`, every node is rebuilt from a
whitelist, and the result runs without builtins: nothing else can be reached from it.
"""

import ast
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from rankbook.errors import SpecError
from rankbook.rules.exact import Arithmetic, Inapplicable, bounded_power
from rankbook.rules.numbers import PAST_DOUBLES, read_fraction

MAX_SOURCE = 500
MAX_DEPTH = 64
MAX_ROUND_DIGITS = 15
MAX_LITERAL = 2**63

Function = Callable[[Mapping[str, Any]], Any]

_ARGUMENTS = {"min": (2, 16), "max": (2, 16), "abs": (1, 1), "floor": (1, 1), "ceil": (1, 1)}
_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
}
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_NOUNS: dict[type[ast.AST], str] = {
    ast.Attribute: "an attribute",
    ast.Subscript: "a subscript",
    ast.Lambda: "a lambda",
    ast.NamedExpr: "an assignment",
    ast.JoinedStr: "a formatted text",
    ast.ListComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.Tuple: "a tuple",
    ast.List: "a list",
    ast.Await: "await",
    ast.Starred: "an unpacking",
}


class Expression(NamedTuple):
    """A checked expression: its code, and the values it reads as numbers and as text."""

    source: str
    body: ast.expr
    literals: tuple[int | float | Decimal, ...]
    numbers: tuple[str, ...]
    texts: tuple[str, ...]

    def function(self, arithmetic: Arithmetic) -> Function:
        """The expression as a function of a mapping of values, under this arithmetic."""
        values = ast.arguments([], [ast.arg("values")], None, [], [], None, [])
        tree = ast.Expression(ast.Lambda(values, self.body))
        code = compile(ast.fix_missing_locations(tree), "<measure>", "eval")
        scope: dict[str, Any] = {"__builtins__": {}, **arithmetic.functions}
        scope |= {f"literal{i}": arithmetic.literal(x) for i, x in enumerate(self.literals)}
        function: Function = eval(code, scope)
        return function


def parse_expression(source: str, field: str, *, exact: bool = False) -> Expression:
    """Check an expression; `exact` prepares it for the exact arithmetics.

    Raises `SpecError` at `field` for anything outside the language.
    """
    text = source.strip()
    if not text or len(text) > MAX_SOURCE:
        raise SpecError(field, f"an expression has 1 to {MAX_SOURCE} characters")
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise SpecError(field, f"not an expression: {error.msg}: {text!r}") from error
    except (ValueError, MemoryError, RecursionError) as error:
        raise SpecError(field, "not an expression") from error
    builder = _Builder(text, field, exact)
    body = builder.build(tree.body, 0)
    both = sorted(builder.numbers & builder.texts)
    if both:
        raise SpecError(field, f"{both[0]!r} is used both as a number and as text")
    numbers, texts = sorted(builder.numbers), sorted(builder.texts)
    return Expression(text, body, tuple(builder.literals), tuple(numbers), tuple(texts))


class _Builder:
    """Rebuilds a parsed tree from the whitelist, so that nothing unknown is ever compiled."""

    def __init__(self, source: str, field: str, exact: bool) -> None:
        self.source = source
        self.field = field
        self.exact = exact
        self.literals: list[int | float | Decimal] = []
        self.numbers: set[str] = set()
        self.texts: set[str] = set()

    def build(self, node: ast.expr, depth: int) -> ast.expr:
        """A safe copy of the node. Raises `SpecError`."""
        if depth > MAX_DEPTH:
            raise self._error(f"nested more than {MAX_DEPTH} deep")
        match node:
            case ast.Constant():
                return self._literal(node)
            case ast.Name():
                return self._value(node.id, self.numbers)
            case ast.BinOp():
                return self._binary(node, depth)
            case ast.UnaryOp():
                return self._unary(node, depth)
            case ast.BoolOp():
                return ast.BoolOp(node.op, [self.build(each, depth + 1) for each in node.values])
            case ast.IfExp():
                parts = (node.test, node.body, node.orelse)
                return ast.IfExp(*[self.build(each, depth + 1) for each in parts])
            case ast.Compare():
                return self._compare(node, depth)
            case ast.Call():
                return self._call(node, depth)
        raise self._error(f"{_NOUNS.get(type(node), type(node).__name__)} is not allowed")

    def _error(self, reason: str) -> SpecError:
        return SpecError(self.field, reason)

    def _literal(self, node: ast.Constant) -> ast.expr:
        value: object = node.value
        if isinstance(value, str):
            raise self._error("a text stands only beside == or !=, against a value's name")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._error(f"{value!r} is not a number")
        if not math.isfinite(value) or (isinstance(value, int) and value >= MAX_LITERAL):
            raise self._error("a number in it is too large")
        number = self._written(node) if isinstance(value, float) else value
        if not self.exact:
            if isinstance(number, Decimal):
                raise self._error(f"{number} {PAST_DOUBLES}")
            return ast.Constant(number)
        self.literals.append(number)
        return _name(f"literal{len(self.literals) - 1}")

    def _written(self, node: ast.Constant) -> float | Decimal:
        """The number in the source, exactly."""
        text = ast.get_source_segment(self.source, node) or repr(node.value)
        return read_fraction(text.replace("_", ""))

    def _value(self, name: str, kind: set[str]) -> ast.expr:
        if name in _ARGUMENTS or name == "round":
            raise self._error(f"{name} is a function; write {name}(...)")
        if name.startswith("__"):
            raise self._error(f"{name!r} cannot be the name of a value")
        kind.add(name)
        return ast.Subscript(_name("values"), ast.Constant(name), ast.Load())

    def _binary(self, node: ast.BinOp, depth: int) -> ast.expr:
        name = _OPERATORS.get(type(node.op))
        if name is None:
            raise self._error(f"the operator {type(node.op).__name__} is not allowed")
        left, right = self.build(node.left, depth + 1), self.build(node.right, depth + 1)
        if name == "pow":
            self._check_power(node)
        if self.exact or name == "pow":
            return ast.Call(_name(name), [left, right], [])
        return ast.BinOp(left, node.op, right)

    def _check_power(self, node: ast.BinOp) -> None:
        """A power of numbers that is too large, or is none, is known before any event comes."""
        try:
            _constant(node)
        except (OverflowError, ZeroDivisionError, Inapplicable) as error:
            raise self._error(
                f"{ast.unparse(node)} is no number that a measure can have"
            ) from error

    def _unary(self, node: ast.UnaryOp, depth: int) -> ast.expr:
        operand = self.build(node.operand, depth + 1)
        if isinstance(node.op, ast.UAdd):
            return operand
        if isinstance(node.op, ast.Invert):
            raise self._error("the operator ~ is not allowed")
        if self.exact and isinstance(node.op, ast.USub):
            return ast.Call(_name("neg"), [operand], [])
        return ast.UnaryOp(node.op, operand)

    def _compare(self, node: ast.Compare, depth: int) -> ast.expr:
        if not all(isinstance(op, _COMPARISONS) for op in node.ops):
            raise self._error("comparisons are == != < <= > >=")
        sides = [node.left, *node.comparators]
        if any(_is_text(side) for side in sides):
            return self._compare_text(node, sides)
        first, *rest = [self.build(side, depth + 1) for side in sides]
        return ast.Compare(first, node.ops, rest)

    def _compare_text(self, node: ast.Compare, sides: list[ast.expr]) -> ast.expr:
        built: list[ast.expr] = []
        for side in sides:
            if isinstance(side, ast.Name):
                built.append(self._value(side.id, self.texts))
            elif isinstance(side, ast.Constant) and isinstance(side.value, str):
                built.append(ast.Constant(side.value))
        names = sum(isinstance(side, ast.Name) for side in sides)
        if (len(built), names) != (2, 1) or not isinstance(node.ops[0], ast.Eq | ast.NotEq):
            raise self._error('a text is compared as in: mode == "time", or !=')
        return ast.Compare(built[0], node.ops, built[1:])

    def _call(self, node: ast.Call, depth: int) -> ast.expr:
        if not isinstance(node.func, ast.Name) or node.keywords:
            raise self._error("the functions are min, max, abs, floor, ceil and round")
        name = node.func.id
        if name == "round":
            return self._round(node, depth)
        if name not in _ARGUMENTS:
            raise self._error(f"no function {name!r}; there are min, max, abs, floor, ceil, round")
        least, most = _ARGUMENTS[name]
        if not least <= len(node.args) <= most:
            raise self._error(f"{name} takes {least if least == most else f'{least} to {most}'}")
        return ast.Call(_name(name), [self.build(each, depth + 1) for each in node.args], [])

    def _round(self, node: ast.Call, depth: int) -> ast.expr:
        if not 1 <= len(node.args) <= 2:
            raise self._error("write round(x) or round(x, digits)")
        rounded = [self.build(node.args[0], depth + 1)]
        if len(node.args) == 2:
            rounded.append(ast.Constant(self._digits(node.args[1])))
        return ast.Call(_name("round"), rounded, [])

    def _digits(self, node: ast.expr) -> int:
        try:
            digits = ast.literal_eval(node)
        except ValueError:
            digits = None
        if type(digits) is not int or abs(digits) > MAX_ROUND_DIGITS:
            raise self._error(f"round's digits are a whole number up to {MAX_ROUND_DIGITS}")
        return digits


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _constant(node: ast.expr) -> Any:
    """The number that a number, its negative, or a power of such is; None for anything else."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.UnaryOp(op=ast.USub()):
            operand = _constant(node.operand)
            return None if operand is None else -operand
        case ast.BinOp(op=ast.Pow()):
            base, exponent = _constant(node.left), _constant(node.right)
            return None if base is None or exponent is None else bounded_power(base, exponent)
    return None
