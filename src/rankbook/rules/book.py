"""A whole book's specification, from rankbook.toml or from Python, checked as one."""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from rankbook.errors import NotFound, SpecError
from rankbook.model import Event
from rankbook.rules.board import Board
from rankbook.rules.boardrules import BoardRules
from rankbook.rules.expression import Expression
from rankbook.rules.limits import ValueRule, event_checker
from rankbook.rules.numbers import read_fraction
from rankbook.rules.options import check_seconds
from rankbook.rules.ranking import Tags
from rankbook.rules.specs import (
    check_choice,
    check_keys,
    check_name,
    check_unique,
    check_unique_names,
    check_value_name,
    nearest,
    shaped,
)

FILE = "rankbook.toml"
MAX_TOP = 1000
MAX_BUNDLE = 64
PARTITIONS = ("book", "board", "period")
MAX_PARTITIONS = 256
BOOK_KEYS: dict[str, Any] = {
    "name": str,
    "log": str,
    "store": str,
    "partition": str,
    "partitions": int,
    "max_ahead_seconds": int | float,
}


class BundleRanking(msgspec.Struct, frozen=True):
    """A ranking in a bundle: the running period of a window, under tags."""

    board: str
    window: str
    tags: Tags = ()


class Bundle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rankings that are read together: the first `top` entries of each.

    `named_only` skips entries whose profile has no name. After `max_age_seconds` a reading is made
    again even if nothing changed; 0 is no limit.
    """

    name: str
    rankings: tuple[BundleRanking, ...]
    top: int = 10
    named_only: bool = False
    max_age_seconds: int | float = 0

    def __post_init__(self) -> None:
        """Raises `SpecError` for a bad name, size, age or number of rankings."""
        check_name(self.name, "name")
        if not 1 <= self.top <= MAX_TOP:
            raise SpecError("top", f"is {self.top}; it may be 1 to {MAX_TOP}")
        check_seconds(self.max_age_seconds, "max_age_seconds")
        msgspec.structs.force_setattr(self, "rankings", tuple(self.rankings))
        if not 1 <= len(self.rankings) <= MAX_BUNDLE:
            raise SpecError("rankings", f"has {len(self.rankings)}; there may be 1 to {MAX_BUNDLE}")

    def shows(self, profile: Mapping[str, str]) -> bool:
        """Whether an entry with this profile is shown: its name is more than white space."""
        return not self.named_only or bool(profile.get("name", "").strip())


class BookSpec(msgspec.Struct, frozen=True, kw_only=True):
    """A book: where it lives, what it accepts, its boards and its bundles.

    `partition` spreads the rankings over parts of the store: "book" is one part, "board" one part
    for each board, "period" a fixed number of parts, `partitions`, each with some periods.
    A result whose `at` is more than `max_ahead_seconds` ahead of the book's clock is refused.
    Making one checks it: a `SpecError` names the path, such as ``bundle[0].rankings[2].window``.
    """

    name: str
    boards: tuple[Board, ...]
    bundles: tuple[Bundle, ...] = ()
    values: dict[str, ValueRule] = {}
    log: str = "sqlite:"
    store: str = "embedded:"
    partition: str = "book"
    partitions: int = 16
    max_ahead_seconds: int | float = 300

    def __repr__(self) -> str:
        """The book's name and boards; its URIs may hold passwords."""
        boards = [board.name for board in self.boards]
        return f"BookSpec(name={self.name!r}, boards={boards!r})"

    def __post_init__(self) -> None:
        """Check what single boards and bundles cannot."""
        check_name(self.name, "book.name")
        check_choice(self.partition, PARTITIONS, "book.partition")
        if not 1 <= self.partitions <= MAX_PARTITIONS:
            raise SpecError(
                "book.partitions", f"is {self.partitions}; it may be 1 to {MAX_PARTITIONS}"
            )
        check_seconds(self.max_ahead_seconds, "book.max_ahead_seconds")
        for field in ("boards", "bundles"):
            msgspec.structs.force_setattr(self, field, tuple(getattr(self, field)))
        if not self.boards:
            raise SpecError("board", "a book has at least one board")
        for field, named in (("board", self.boards), ("bundle", self.bundles)):
            check_unique_names(named, field)
        for name in self.values:
            check_value_name(name, f"values.{name}")
        for index, board in enumerate(self.boards):
            _check_board_values(board, self.values, f"board[{index}]")
        for index, bundle in enumerate(self.bundles):
            self._check_bundle(bundle, f"bundle[{index}]")

    def _check_bundle(self, bundle: Bundle, field: str) -> None:
        for index, wanted in enumerate(bundle.rankings):
            place = f"{field}.rankings[{index}]"
            with _naming(f"{place}.board"):
                rules = BoardRules(self.board(wanted.board))
            with _naming(f"{place}.window"):
                rules.window(wanted.window)
            with _naming(place):
                rules.tags(dict(wanted.tags))
        check_unique(bundle.rankings, f"{field}.rankings")

    def board(self, name: str) -> Board:
        """The board of that name. Raises `NotFound` and lists them."""
        return _named(self.boards, name, "board")

    def bundle(self, name: str) -> Bundle:
        """The bundle of that name. Raises `NotFound` and lists them."""
        return _named(self.bundles, name, "bundle")

    def event_checker(self) -> Callable[[Event], None]:
        """A compiled check of events against `values` and the limits. It raises `Refused`."""
        return event_checker(self.values)

    def fingerprints(self) -> dict[str, str]:
        """Each board's fingerprint, by name."""
        return {board.name: board.fingerprint() for board in self.boards}


def load(text: str) -> BookSpec:
    """The book in the text of a rankbook.toml. Raises `SpecError` with the path or the line."""
    try:
        tables: dict[str, Any] = tomllib.loads(text, parse_float=read_fraction)
    except tomllib.TOMLDecodeError as error:
        raise SpecError(FILE, f"not TOML: {error}") from error
    check_keys(tables, ("book", "values", "board", "bundle"), "")
    _check_brackets(tables)
    book = shaped(tables.get("book", {}), dict[str, Any], "book")
    check_keys(book, tuple(BOOK_KEYS), "book")
    if "name" not in book:
        raise SpecError("book.name", "is missing")
    said = {key: shaped(value, BOOK_KEYS[key], f"book.{key}") for key, value in book.items()}
    return BookSpec(
        **said,
        values=_values(shaped(tables.get("values", {}), dict[str, Any], "values")),
        boards=tuple(_tables(tables, "board", _board)),
        bundles=tuple(_tables(tables, "bundle", _bundle)),
    )


def _check_brackets(tables: Mapping[str, object]) -> None:
    """A table that is one is no list, and the other way round. Raises `SpecError`."""
    for key, table in tables.items():
        if key in ("book", "values") and isinstance(table, list):
            raise SpecError(key, f"is written [[{key}]]; there is one, so write [{key}]")
        if key in ("board", "bundle") and isinstance(table, dict):
            raise SpecError(key, f"is written [{key}]; it is a list, so write [[{key}]]")


def _values(tables: dict[str, Any]) -> dict[str, ValueRule]:
    return {name: shaped(table, ValueRule, f"values.{name}") for name, table in tables.items()}


def _tables(tables: dict[str, Any], key: str, read: Callable[[Any, str], Any]) -> list[Any]:
    found = shaped(tables.get(key, []), list[Any], key)
    return [read(table, f"{key}[{index}]") for index, table in enumerate(found)]


def _board(table: object, field: str) -> Board:
    return shaped(table, Board, field)


def _bundle(table: object, field: str) -> Bundle:
    keys = shaped(table, dict[str, Any], field)
    raw = shaped(keys.get("rankings", []), list[Any], f"{field}.rankings")
    rankings = [_bundle_ranking(each, f"{field}.rankings[{i}]") for i, each in enumerate(raw)]
    return shaped({**keys, "rankings": rankings}, Bundle, field)


def _bundle_ranking(table: object, field: str) -> BundleRanking:
    keys = shaped(table, dict[str, Any], field)
    for key in ("board", "window"):
        if key not in keys:
            raise SpecError(f"{field}.{key}", "is missing")
    words = {key: shaped(value, str, f"{field}.{key}") for key, value in keys.items()}
    tags = tuple(sorted([pair for pair in words.items() if pair[0] not in ("board", "window")]))
    return BundleRanking(words["board"], words["window"], tags)


def _check_board_values(board: Board, values: dict[str, ValueRule], field: str) -> None:
    for measure in board.compiled():
        if measure.expression is not None:
            _check_types(measure.expression, values, f"{field}.measures.{measure.name}")
    condition = board.condition()
    if condition is not None:
        _check_types(condition.expression, values, f"{field}.where")


def _check_types(expression: Expression, values: dict[str, ValueRule], place: str) -> None:
    """An expression reads values that are declared, as what they are declared. None: any."""
    for name in expression.numbers + expression.texts:
        if values and name not in values:
            raise SpecError(
                place, f"reads {name!r}, which [values] lacks; {nearest(name, list(values))}"
            )
    for name in expression.numbers:
        if name in values and values[name].type == "text":
            raise SpecError(place, f"reads {name!r} as a number; values.{name} says text")
    for name in expression.texts:
        if name in values and values[name].type != "text":
            raise SpecError(place, f"reads {name!r} as text; values.{name} says a number")


@contextmanager
def _naming(field: str) -> Iterator[None]:
    """Turn a `NotFound` into a `SpecError` at `field`."""
    try:
        yield
    except NotFound as error:
        raise SpecError(field, str(error)) from error


N = TypeVar("N", Board, Bundle)


def _named(items: tuple[N, ...], name: str, kind: str) -> N:
    for item in items:
        if item.name == name:
            return item
    there = ", ".join([item.name for item in items]) or "none"
    raise NotFound(f"no {kind} {name!r}; there are: {there}")
