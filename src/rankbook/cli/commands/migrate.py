"""`rankbook migrate`: bring the tables of the log up to this program's form."""

from pathlib import Path

import msgspec
import typer

from rankbook.book.book import FILE
from rankbook.cli.options import BookOption, JsonOption, place
from rankbook.cli.screen.output import document, show
from rankbook.errors import BookError
from rankbook.log import migrate as bring_up
from rankbook.rules import BookSpec, load


class Migration(msgspec.Struct, frozen=True, kw_only=True):
    """The number of the log's tables before and after."""

    before: int = msgspec.field(name="from")
    after: int = msgspec.field(name="to")


def migrate(ctx: typer.Context, as_json: JsonOption = False, book: BookOption = None) -> None:
    """Bring the tables of the log up to the number of this program, and say from which.

    Opening a book does so, too; this does nothing else.
    """
    where = place(ctx, book)
    done = bring_up(specification(where).log, where)
    if as_json:
        document(Migration(before=done.before, after=done.after))
    elif done.before == done.after:
        show(f"The log has schema {done.after}, this program's; nothing was changed.")
    else:
        show(f"The log is migrated from schema {done.before} to {done.after}.")


def specification(where: Path) -> BookSpec:
    """What the rankbook.toml of a directory says. Raises `BookError` and `SpecError`."""
    try:
        return load((where / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise BookError(f"{where} is no book: it has no {FILE}") from None
