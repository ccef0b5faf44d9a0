"""`rankbook boards`: what a book ranks."""

from typing import Any

import msgspec
import typer
from rich.console import Group
from rich.text import Text

from rankbook.cli.options import BookOption, JsonOption, opened
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import result
from rankbook.rules import BookSpec, Bundle


def boards(
    ctx: typer.Context,
    as_json: JsonOption = False,
    book: BookOption = None,
) -> None:
    """Show the boards and bundles of the book."""
    with opened(ctx, book) as open_book:
        spec = open_book.spec
    result(as_json, _document(spec), lambda: Group(*_drawn(spec)))


def _drawn(spec: BookSpec) -> list[Any]:
    drawn: list[Any] = [tables.boards(spec)]
    more = tables.more(spec)
    if more.row_count:
        drawn += [Text(), more]
    if spec.bundles:
        drawn += [Text(), tables.bundles(spec)]
    return drawn


def _document(spec: BookSpec) -> dict[str, Any]:
    return {
        "name": spec.name,
        "boards": spec.boards,
        "bundles": [_bundle(bundle) for bundle in spec.bundles],
    }


def _bundle(bundle: Bundle) -> dict[str, Any]:
    rankings = [
        {**msgspec.structs.asdict(each), "tags": dict(each.tags)} for each in bundle.rankings
    ]
    return {"name": bundle.name, "top": bundle.top, "rankings": rankings}
