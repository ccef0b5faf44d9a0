"""`rankbook key`: the keys of the book's HTTP service are created, listed and revoked."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from rankbook.book.book import FILE
from rankbook.cli.options import BookOption, JsonOption, place
from rankbook.cli.screen import tables
from rankbook.cli.screen.cells import moment
from rankbook.cli.screen.output import clean, document, note, result, show
from rankbook.errors import BookError, Refused

if TYPE_CHECKING:
    from rich.table import Table

    from rankbook.http.auth.keys import Key, KeyRing


class Action(StrEnum):
    """What to do with keys."""

    CREATE = "create"
    LIST = "list"
    REVOKE = "revoke"


ActionArgument = Annotated[Action, typer.Argument(metavar="ACTION", help="create, list or revoke.")]
NameArgument = Annotated[
    str, typer.Argument(metavar="[NAME]", help="The new key's name, or the id of one to revoke.")
]
ScopeOption = Annotated[
    list[str] | None,
    typer.Option("--scope", metavar="S", help="read, submit or admin; may be repeated."),
]
SignedOption = Annotated[
    bool, typer.Option("--signed", help="A key that signs submissions and is never sent.")
]


def key(
    ctx: typer.Context,
    action: ActionArgument,
    name: NameArgument = "",
    scope: ScopeOption = None,
    signed: SignedOption = False,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Create, list or revoke keys of the HTTP service. Services that run take notice at once."""
    where = place(ctx, book)
    if not (where / FILE).is_file():
        raise BookError(f"{where} is no book: it has no {FILE}")
    keys = _keys(where)
    if action is Action.LIST:
        found = keys.list()
        result(as_json, found, lambda: _table(found))
    elif not name:
        raise Refused("NAME", f"is needed to {action.value} a key")
    elif action is Action.CREATE:
        _create(keys, name, scope or [], signed, as_json)
    else:
        revoked = keys.revoke(name)
        result(as_json, revoked, lambda: Text(clean(f"{revoked.id} ({revoked.name}) is revoked")))


def _keys(where: Path) -> "KeyRing":
    """The keys of a book. What they belong to is an extra."""
    try:
        from rankbook.http.auth import keys
    except ModuleNotFoundError as error:
        raise BookError(
            f"{error.name} is not installed; the service needs: pip install 'rankbook[serve]'"
        ) from None
    return keys.KeyRing(where / keys.FILE)


def _create(keys: "KeyRing", name: str, scopes: list[str], signed: bool, as_json: bool) -> None:
    made, token = keys.create(name, scopes, signed=signed)
    if as_json:
        document({"id": made.id, "name": made.name, "scopes": made.scopes, "key": token})
        return
    note(f"{made.id} ({made.name}) may {', '.join(made.scopes)}. The key is shown this once:")
    show(token)


def _table(found: "list[Key]") -> "Table":
    made = tables.table("keys")
    for heading in ("id", "name", "scopes", "created (UTC)"):
        made.add_column(heading)
    for each in found:
        scopes = ", ".join(each.scopes) + (", signed" if each.signed else "")
        made.add_row(*map(Text, (each.id, clean(each.name), scopes)), moment(each.created_at))
    return made
