"""`rankbook import`: record the results in files, or the rows of a query, and rank them."""

from typing import Annotated

import typer

from rankbook.cli.call import Call, subcommand
from rankbook.cli.exits import BAD_INPUT
from rankbook.cli.screen.output import document, note, show
from rankbook.cli.screen.progress import progress
from rankbook.errors import Refused
from rankbook.importing import FORMATS, Importer, Summary, import_query

SHOWN_FAULTS = 20


@subcommand
def import_(
    call: Call,
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE...]", help="Files to read; - is standard input.", show_default=False
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="F", help="One of: " + ", ".join(FORMATS) + "."),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option("--player", metavar="NAME", help="Whose results, if no column says so."),
    ] = None,
    query: Annotated[
        str | None,
        typer.Option("--sql", metavar="QUERY", help="Instead of files: a query with a row each."),
    ] = None,
    dsn: Annotated[
        str | None,
        typer.Option("--dsn", metavar="DSN", help="Its database: a SQLite file or postgresql:."),
    ] = None,
) -> None:
    """Record the good lines of files and rank them; run it again and nothing counts twice.

    Faults in other lines are listed, and the exit code is then 2. With --sql and --dsn, the rows
    of a query are taken instead. Their columns are player and at, if wanted id, sequence and
    profile.NAME; every other column is a value.
    """
    _check(files, format, player, query, dsn)
    with call.open(catch_up=False) as book, progress() as told:
        importer = Importer(book, told=told)
        if query is not None:
            import_query(importer, dsn or "", query, player)
        for path in files or []:
            importer.file(path, format or "", player)
        summary = importer.finish()
    if call.as_json:
        document(summary)
    else:
        if not _unread(summary):
            show(_counts(summary))
        _complain(summary)
    if summary.bad:
        raise typer.Exit(BAD_INPUT)


def _check(
    files: list[str] | None,
    format: str | None,
    player: str | None,
    query: str | None,
    dsn: str | None,
) -> None:
    if query is not None or dsn is not None:
        if query is None or dsn is None:
            missing, given = ("--sql", "--dsn") if query is None else ("--dsn", "--sql")
            raise Refused(missing, f"is needed with {given}")
        if files or format is not None:
            raise Refused("--sql", "is given instead of files and --format")
        return
    if not files:
        raise Refused("FILE", "is needed, or --sql and --dsn")
    if format is None:
        raise Refused("--format", f"is needed; there are: {', '.join(FORMATS)}")
    if format not in FORMATS:
        raise Refused("--format", f"{format!r} is not known; there are: {', '.join(FORMATS)}")
    if player is None and not FORMATS[format].names_players:
        raise Refused("--player", f"is needed: a {format} file does not say whose it is")


def _unread(summary: Summary) -> bool:
    """Whether no file could be read at all, so that there is nothing to count."""
    done = summary.recorded or summary.known
    return bool(summary.bad) and not done and all(fault.line == 0 for fault in summary.faults)


def _counts(summary: Summary) -> str:
    """What was recorded, in a line."""
    recorded, known = f"{summary.recorded:,} recorded", f"{summary.known:,} already known"
    if not summary.known:
        return recorded
    return f"{recorded}, {known}" if summary.recorded else f"{known}, nothing changed"


def _complain(summary: Summary) -> None:
    """Each fault in a line, up to a screenful, and their number."""
    for fault in summary.faults[:SHOWN_FAULTS]:
        note(str(fault))
    if summary.bad > SHOWN_FAULTS:
        note(f"... and {summary.bad - SHOWN_FAULTS:,} more; --json lists them")
    if summary.bad:
        lines = "1 fault" if summary.bad == 1 else f"{summary.bad:,} faults"
        note(f"{lines}; mend them and import again: only what is missing is added")
