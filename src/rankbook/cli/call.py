"""What one call of a subcommand is about: a book, perhaps a ranking of it, and how to answer.

A subcommand takes a `Call` or a `RankingCall`. `subcommand` shows typer its fields as options.
"""

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import MISSING, dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, get_type_hints

import msgspec
import typer

from rankbook.book import Rankbook, RankingView
from rankbook.cli.options import (
    ENVIRONMENT,
    BoardArgument,
    BookOption,
    JsonOption,
    PeriodOption,
    TagOption,
    WindowOption,
    pairs,
)
from rankbook.cli.screen.output import Part, document, note, show, stdout
from rankbook.cli.screen.progress import counting
from rankbook.cli.screen.standings import standings
from rankbook.errors import StoreError
from rankbook.model import Standings


class LogPosition(msgspec.Struct, frozen=True, kw_only=True):
    """The log position that the rankings are at, as a document."""

    position: int


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of a subcommand that works on a book."""

    ctx: typer.Context
    as_json: JsonOption = False
    book: BookOption = None

    @property
    def given_directory(self) -> Path | None:
        """The directory given on the command line, after the subcommand or else before it."""
        before: Path | None = self.ctx.obj
        return before if self.book is None else self.book

    @property
    def directory(self) -> Path:
        """The book's directory: as given, else the environment's, else the current one."""
        return self.given_directory or Path(os.environ.get(ENVIRONMENT) or ".")

    def open(self, *, catch_up: bool = True) -> Rankbook:
        """The book, open. Pending events are ranked first, under a progress bar, if `catch_up`.

        Raises `BookError` and whatever else `Rankbook.open` does.
        """
        book = Rankbook.open(self.directory, catch_up=False)
        try:
            if catch_up:
                rank_pending(book)
        except BaseException:
            book.close()
            raise
        return book

    def answer(self, value: object, draw: Callable[[], Part | list[Part]]) -> None:
        """Print a value: with --json as a document, else as `draw` draws it."""
        if self.as_json:
            document(value)
            return
        drawn = draw()
        show(*(drawn if isinstance(drawn, list) else [drawn]))

    def note(self, text: str) -> None:
        """A line on stderr, for people: not with --json."""
        if not self.as_json:
            note(text)


@dataclass(frozen=True, kw_only=True)
class RankingCall(Call):
    """One call of a subcommand that reads a ranking."""

    board: BoardArgument
    window: WindowOption = None
    tag: TagOption = None
    period: PeriodOption = None

    @contextmanager
    def view(self) -> Iterator[RankingView]:
        """The chosen ranking, of a book that is open meanwhile. Raises `NotFound`, `Refused`."""
        with self.open() as book:
            tags = pairs(self.tag, "--tag")
            yield book.ranking(self.board, window=self.window, period=self.period, tags=tags)

    def entries(self, found: Standings) -> None:
        """Print entries of the ranking."""
        self.answer(found, lambda: standings(found, stdout().width))

    def note_missing(self, player: str) -> None:
        """Say that a player has no entry."""
        self.note(f"{player} has no entry in this ranking")


def rank_pending(book: Rankbook) -> None:
    """Catch up under a progress bar. A part whose store is down is left for later."""
    pending = 0
    with suppress(StoreError):
        pending = book.pending()
    if not pending:
        book.catch_up()
        return
    with counting("ranking what is pending", pending) as ranked:
        book.catch_up(progress=ranked)


C = TypeVar("C", bound=Call)
P = ParamSpec("P")


def subcommand(run: Callable[Concatenate[C, P], None]) -> Callable[..., None]:
    """The function as typer reads it: the fields of its first parameter's class are parameters.

    Help lists the fields of a `RankingCall` first, then the function's own, then those of `Call`.
    """
    call, *own = inspect.signature(run).parameters.values()
    taken = _parameters(call.annotation)
    shared = [taken[field.name] for field in fields(Call)]
    first = [each for each in taken.values() if each not in shared]
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]

    @wraps(run)
    def command(**given: Any) -> None:
        made = call.annotation(**{name: given.pop(name) for name in taken})
        run(made, **given)  # type: ignore[call-arg]

    every = [*first, *own, *shared]
    command.__signature__ = inspect.Signature(every)  # type: ignore[attr-defined]
    command.__annotations__ = {each.name: each.annotation for each in every}
    return command


def _parameters(kind: type[Call]) -> dict[str, inspect.Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    return {
        field.name: inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=inspect.Parameter.empty if field.default is MISSING else field.default,
            annotation=hints[field.name],
        )
        for field in fields(kind)
    }
