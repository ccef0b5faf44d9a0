"""The one place that loads SQL files: a folder for each dialect, read as package data.

`sql/<dialect>/queries.sql` holds the named queries, `schema.sql` the newest form of the tables, and
`migrations/NNNN_name.sql` the steps to it. A test checks that the schema is the sum of the steps.
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from sqlite3 import complete_statement
from typing import Any, NamedTuple

import aiosql

from rankbook.errors import BookError


class Migration(NamedTuple):
    """One numbered step of the schema."""

    number: int
    name: str
    sql: str


def _folder(dialect: str) -> Traversable:
    return files("rankbook.log").joinpath("sql", dialect)


@cache
def queries(dialect: str, driver: str) -> Any:
    """The named queries of a dialect, as methods that take a connection of the aiosql `driver`."""
    text = _folder(dialect).joinpath("queries.sql").read_text(encoding="utf-8")
    return aiosql.from_str(text, driver)


@cache
def schema(dialect: str) -> str:
    """The script that makes an empty database the newest form."""
    return _folder(dialect).joinpath("schema.sql").read_text(encoding="utf-8")


@cache
def migrations(dialect: str) -> tuple[Migration, ...]:
    """Every step, in order; their numbers are 1, 2, 3 ..."""
    steps = []
    for file in _folder(dialect).joinpath("migrations").iterdir():
        number, _, extension = file.name.partition(".")
        if extension == "sql":
            digits, _, name = number.partition("_")
            steps.append(Migration(int(digits), name, file.read_text(encoding="utf-8")))
    return tuple(sorted(steps))


def newest(dialect: str) -> int:
    """The schema number that this program writes."""
    return len(migrations(dialect))


def upgrade(dialect: str, number: int) -> list[str]:
    """The scripts that migrate tables from this number (0: no tables) to the newest."""
    if number == 0:
        return [schema(dialect)]
    return [step.sql for step in migrations(dialect)[number:]]


def check_number(dialect: str, number: int, where: object, *, create: bool) -> int:
    """The number of a log's tables, if this program can open it.

    Raises `BookError` for a newer number than this program knows. Without `create` it also raises
    `BookError` for 0, which is no log.
    """
    if number > newest(dialect):
        known = newest(dialect)
        raise BookError(
            f"the log {where} has schema {number}, newer than the {known} this program knows"
        )
    if number == 0 and not create:
        raise BookError(f"there is no Rankbook log in {where}")
    return number


def split(script: str) -> Iterator[str]:
    """The statements of a script, one by one, so that they can run inside an open transaction.

    A statement ends at the end of a line.
    """
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip():
        yield statement
