"""`rankbook key`: the keys of the book's HTTP service are created, listed and revoked."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from rankbook.book import FILE
from rankbook.cli.call import Call, subcommand
from rankbook.cli.extras import service_extra
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import clean, document, note, show
from rankbook.errors import BookError, Refused
from rankbook.rules.display import second

if TYPE_CHECKING:
    from rankbook.http import Key, KeyRing


class Action(StrEnum):
    """What to do with keys."""

    CREATE = "create"
    LIST = "list"
    REVOKE = "revoke"


@subcommand
def key(
    call: Call,
    action: Annotated[Action, typer.Argument(metavar="ACTION", help="create, list or revoke.")],
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="The new key's name, or the id to revoke.")
    ] = "",
    scope: Annotated[
        list[str] | None,
        typer.Option("--scope", metavar="S", help="read, submit or admin; may be repeated."),
    ] = None,
    signed: Annotated[
        bool, typer.Option("--signed", help="A key that signs submissions and is never sent.")
    ] = False,
) -> None:
    """Create, list or revoke keys of the HTTP service. Running services notice at once."""
    if not (call.directory / FILE).is_file():
        raise BookError(f"{call.directory} is no book: it has no {FILE}")
    with service_extra():
        from rankbook.http import KeyRing
    keys = KeyRing.of_book(call.directory)
    if action is Action.LIST:
        found = keys.list()
        call.answer(found, lambda: _table(found))
    elif not name:
        raise Refused("NAME", f"is needed to {action.value} a key")
    elif action is Action.CREATE:
        _create(keys, name, scope or [], signed, call.as_json)
    else:
        revoked = keys.revoke(name)
        call.answer(revoked, lambda: f"{revoked.id} ({revoked.name}) is revoked")


def _create(keys: "KeyRing", name: str, scopes: list[str], signed: bool, as_json: bool) -> None:
    made, token = keys.create(name, scopes, signed=signed)
    if as_json:
        document({"id": made.id, "name": made.name, "scopes": made.scopes, "key": token})
        return
    note(f"{made.id} ({made.name}) may {', '.join(made.scopes)}. The key is shown this once:")
    show(token)


def _table(found: "list[Key]") -> Table:
    made = tables.table("keys")
    for heading in ("id", "name", "scopes", "created (UTC)"):
        made.add_column(heading)
    for each in found:
        scopes = ", ".join(each.scopes) + (", signed" if each.signed else "")
        made.add_row(*map(Text, (each.id, clean(each.name), scopes)), second(each.created_at))
    return made
