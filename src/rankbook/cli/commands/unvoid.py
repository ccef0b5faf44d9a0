"""`rankbook unvoid`: let a result count again."""

from rankbook.cli.call import Call, subcommand
from rankbook.cli.changes import submit_change
from rankbook.cli.options import EventArgument, IdOption
from rankbook.model import Event


@subcommand
def unvoid(call: Call, event_id: EventArgument, id: IdOption = "") -> None:
    """Undo every void of a result: it counts again, as it was corrected last."""
    with call.open() as book:
        submit_change(call, book, Event(kind="unvoid", player="", target=event_id, id=id))
