"""What the command prints: one JSON document, or text in which no player's name can act."""

import os
import sys
from io import TextIOWrapper

import msgspec
from rich.console import Console, RenderableType
from rich.text import Text

from rankbook.rules import display

Part = RenderableType
"""What `show` prints: a string is data and is cleaned; anything else prints as rich draws it."""

PIPED_WIDTH = 120
SHOWN = 50
"""How many faults or differences a report lists; a document lists them all."""

_encoder = msgspec.json.Encoder(decimal_format="number")


class _Console(Console):
    """A console that raises when its reader has gone away."""

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError."""
        raise BrokenPipeError


def stdout() -> Console:
    """The console for results. In a pipe it is 120 columns wide, or as COLUMNS says."""
    console = _Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED_WIDTH
    return console


def stderr() -> Console:
    """The console for progress and complaints."""
    return _Console(stderr=True, highlight=False, markup=False, emoji=False)


def clean(text: str) -> str:
    """The text with every character that could act on a terminal replaced by a mark."""
    return display.clean(text, display.MARK)


def show(*parts: RenderableType) -> None:
    """Print parts on stdout, one below the other. Strings are cleaned and not wrapped."""
    console = stdout()
    for part in parts:
        _print(console, part)


def note(text: str) -> None:
    """A line on stderr."""
    _print(stderr(), text)


def ask(question: str) -> bool:
    """Ask a person at the terminal, on stderr; only y and yes are a yes."""
    stderr().print(Text(f"{clean(question)} [y/N] "), end="", soft_wrap=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def complain(text: str) -> None:
    """The one line of an error, on stderr."""
    note(f"rankbook: {' '.join(text.split())}")


def _print(console: Console, part: RenderableType) -> None:
    if isinstance(part, str):
        console.print(Text(clean(part)), soft_wrap=True)
    else:
        console.print(part)


def document(value: object) -> None:
    """One JSON document on stdout: UTF-8, times in RFC 3339 UTC, exact numbers."""
    line(msgspec.json.format(_encoder.encode(value), indent=2))


def line(written: bytes) -> None:
    """Write UTF-8 bytes and a line end to stdout, and flush."""
    text = written + b"\n"
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.flush()
        sys.stdout.buffer.write(text)
    else:
        sys.stdout.write(text.decode())
    sys.stdout.flush()
