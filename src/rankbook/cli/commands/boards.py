"""`rankbook boards`: what a book ranks."""

from typing import Any

import msgspec
from rich.text import Text

from rankbook.cli.call import Call, subcommand
from rankbook.cli.screen import tables
from rankbook.cli.screen.output import Part
from rankbook.rules import BookSpec, Bundle


@subcommand
def boards(call: Call) -> None:
    """Show the boards and bundles of the book."""
    with call.open() as book:
        spec = book.spec
    call.answer(_document(spec), lambda: _drawn(spec))


def _drawn(spec: BookSpec) -> list[Part]:
    drawn: list[Part] = [tables.boards(spec)]
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
