"""Exit codes of errors, in one table; and the line on stderr that says what is wrong."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import typer

from rankbook.cli.screen.output import complain
from rankbook.errors import (
    BookError,
    ConfigError,
    EventConflict,
    LogError,
    NotFound,
    RankbookError,
    RebuildNeeded,
    Refused,
    SpecError,
    StoreError,
)

DISAGREES = 1
BAD_INPUT = 2
NOT_THERE = 3
CONFLICT = 4
UNAVAILABLE = 5
INTERRUPTED = 130

EXITS: dict[type[Exception], int] = {
    SpecError: BAD_INPUT,
    ConfigError: BAD_INPUT,
    Refused: BAD_INPUT,
    NotFound: NOT_THERE,
    EventConflict: CONFLICT,
    BookError: UNAVAILABLE,
    LogError: UNAVAILABLE,
    StoreError: UNAVAILABLE,
    OSError: UNAVAILABLE,
}


def exit_code(error: Exception) -> int:
    """The exit code of an error: that of the nearest class in the table."""
    return next((EXITS[kind] for kind in type(error).__mro__ if kind in EXITS), UNAVAILABLE)


@contextmanager
def one_line() -> Iterator[None]:
    """Turn errors into one line and an exit code. A closed pipe is not an error."""
    try:
        yield
    except BrokenPipeError:
        _discard_stdout()
        raise typer.Exit(0) from None
    except KeyboardInterrupt:
        complain("interrupted")
        raise typer.Exit(INTERRUPTED) from None
    except (RankbookError, OSError) as error:
        complain(_line(error))
        raise typer.Exit(exit_code(error)) from None


@contextmanager
def interruptible() -> Iterator[None]:
    """Let the first SIGINT raise KeyboardInterrupt, and one after it end the program at once.

    So does one that comes after the block. Raised while files close or Python exits, the second
    would be printed as an ignored exception. A program that ignores SIGINT goes on ignoring it.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    raise KeyboardInterrupt


def _line(error: RankbookError | OSError) -> str:
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror}"
    if isinstance(error, RebuildNeeded):
        return f"{error}; the command is: rankbook rebuild"
    return str(error)


def _discard_stdout() -> None:
    """Send what is still buffered to nowhere, so that closing stdout raises nothing."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
